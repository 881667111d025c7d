#include "server/match/match_history.h"

#include "core/assert.h"
#include "engine/declared.h"
#include "engine/entity_id.h"
#include "views/content.h"

#include <algorithm>
#include <bit>

namespace tickbox::server {
namespace {

/// The expected bodies per seat, including despawned bodies still remembered. These are the
/// player's own, those of earlier players, what they have spawned in a second, and a reserve.
constexpr std::size_t kSlotsPerSeat = 8;

/// Links reserved per seat in each tick.
constexpr std::size_t kLinksPerSeat = 4;

/// Seats for which lists are reserved at least: a tick of a few players may have many times the
/// usual number of anything.
constexpr std::size_t kSeatsReserved = 16;

/// Writes one payload behind those that the tick has.
template <class Write>
Payload append_payload(std::vector<std::byte>& bytes, std::uint32_t number, Write write) {
  const std::size_t first = bytes.size();
  Payload payload{.value = 8 * first, .number = number};
  {
    engine::BitWriter writer{bytes};
    write(writer);
    payload.bits = static_cast<std::uint32_t>(writer.written());
  }
  if (payload.bits > 64) return payload;
  payload.value = engine::BitReader{ConstBytes{bytes}.subspan(first)}.read(payload.bits);
  bytes.resize(first);
  return payload;
}

/// Whether a despawned body was removed by the server: no replay shows it.
bool was_removed(const engine::TickRecord& record, BodyId id) {
  return std::ranges::any_of(record.outcomes, [id](const engine::Outcome& outcome) {
    switch (outcome.kind) {
      case engine::OutcomeKind::Removed:
        return engine::body_id(outcome.ref) == id;
      case engine::OutcomeKind::Left:
        return engine::is_controlled(id) && engine::lineage_of(id) == outcome.player.seat;
      default:
        return false;
    }
  });
}

}  // namespace

MatchHistory::MatchHistory(const engine::World& world, std::uint32_t base_age_max)
    : game_(&world.game()),
      base_age_max_(base_age_max),
      default_input_(engine::default_of(world.game().input)),
      inputs_(world.seats().size()),
      room_(1) {
  TICKBOX_ASSERT(base_age_max < protocol::kTicksRemembered);
  const auto seats = static_cast<std::uint16_t>(world.seats().size());
  const std::size_t slots = world.size() + kSlotsPerSeat * seats;
  slots_.reserve(slots);
  last_causes_.reserve(slots);
  islands_.reserve(slots);
  outcomes_.reserve_slots(slots);
  spawns_.reserve_slots(slots);
  for (std::uint16_t seat = 0; seat < seats; ++seat) {
    const ConstBytes held = world.has({seat}) ? world.input({seat}) : ConstBytes{default_input_};
    held_.insert(held_.end(), held.begin(), held.end());
    if (world.has({seat})) reserve_lists(seat + std::size_t{1});
  }
  begin_tick(world, nullptr, {});
}

/// Reserves the memory that the lists of a tick usually take if these seats are taken, and more at
/// once: it is asked for whenever a player joins. Seats that nobody takes have none.
void MatchHistory::reserve_lists(std::size_t seats) {
  if (seats <= seats_reserved_) return;
  seats_reserved_ = std::max(kSeatsReserved, std::bit_ceil(seats));
  links_.for_each_slot(
      [&](std::vector<Link>& links) { links.reserve(kLinksPerSeat * seats_reserved_); });
  outcomes_.reserve_causes(seats_reserved_);
  spawns_.reserve_causes(seats_reserved_);
  payloads_.for_each_slot([&](std::vector<std::byte>& bytes) {
    bytes.reserve(seats_reserved_ * (1 + game_->input.bytes));
  });
}

void MatchHistory::record(const engine::World& world, const engine::TickRecord& record,
                          const engine::TickReport& report) {
  begin_tick(world, &record, report.spawns);
  record_spawns(report);
  report.visit_influences([this](BodyId a, BodyId b) { link(a, b); });
  end_links();
  record_inputs(world, record);
  record_outcomes(record);
}

void MatchHistory::begin_tick(const engine::World& world, const engine::TickRecord* record,
                              std::span<const engine::SpawnedBy> spawns) {
  tick_ = world.tick;
  if (rest_version_ == world.rest_version()) {
    slots_.update_unchanged(tick_);
  } else {
    rest_version_ = world.rest_version();
    slots_.update(tick_, world.ids(),
                  [record](BodyId id) { return record != nullptr && was_removed(*record, id); });
  }
  transients_.clear();
  if (record != nullptr) add_transients(*record, spawns);
  begin_lists();
}

/// Begins the lists of the present tick.
void MatchHistory::begin_lists() {
  payloads_.insert(tick_).clear();
  payload_count_ = 0;
  inputs_.begin(tick_);
  room_.begin(tick_);
  outcomes_.begin(tick_, slots_.size());
  spawns_.begin(tick_, slots_.size());
  last_causes_.resize(slots_.size());
  links_.insert(tick_).clear();
  islands_.clear(slots_.size());
  islands_since_ = tick_;
}

void MatchHistory::record_idle(Tick last) {
  const std::int64_t ticks = std::min<std::int64_t>(last - tick_, protocol::kTicksRemembered);
  transients_.clear();
  for (std::int64_t before = ticks; before-- > 0;) {
    tick_ = {last.value - static_cast<std::uint32_t>(before)};
    slots_.update_unchanged(tick_);
    begin_lists();
  }
}

/// Gives slots to bodies that were removed in the tick in which they were spawned, if the server
/// has spawned or removed them. No client knows a body that the server has spawned, and such a body
/// may have influenced others. A body that the server has removed stays where a client replays its
/// spawn.
void MatchHistory::add_transients(const engine::TickRecord& record,
                                  std::span<const engine::SpawnedBy> spawns) {
  const auto add = [this](BodyId id) {
    transients_.push_back({.id = id, .slot = slots_.add_transient(tick_, id)});
  };
  for (const engine::Outcome& outcome : record.outcomes) {
    const BodyId id = engine::body_id(outcome.ref);
    if (outcome.kind == engine::OutcomeKind::Spawned && slots_.find(id) == kNoSlot) add(id);
  }
  for (const engine::SpawnedBy& spawn : spawns) {
    if (slots_.find(spawn.child) == kNoSlot && was_removed(record, spawn.child)) add(spawn.child);
  }
}

void MatchHistory::record_spawns(const engine::TickReport& report) {
  for (const engine::SpawnedBy& spawn : report.spawns) {
    const SlotId parent = joining_slot(spawn.parent);
    const SlotId child = joining_slot(spawn.child);
    if (child == kNoSlot) {
      transients_.push_back({.id = spawn.child, .slot = parent});
    } else {
      spawns_.add({.slot = parent, .child = child});
      if (parent != kNoSlot) last_causes_[parent] = tick_;
    }
  }
}

/// Returns the slot that stands for a body, or kNoSlot.
SlotId MatchHistory::joining_slot(BodyId id) const {
  const SlotId own = slots_.find(id);
  if (own != kNoSlot) return own;
  const auto transient = std::ranges::find(transients_, id, &Transient::id);
  return transient != transients_.end() ? transient->slot : kNoSlot;
}

void MatchHistory::link(BodyId a, BodyId b) {
  const SlotId first = joining_slot(a);
  const SlotId second = joining_slot(b);
  if (first == kNoSlot || second == kNoSlot || first == second) return;
  links_.at(tick_).emplace_back(std::min(first, second), std::max(first, second));
}

/// Two touching bodies report many contacts per tick.
void MatchHistory::end_links() {
  std::vector<Link>& links = links_.at(tick_);
  std::ranges::sort(links);
  const auto repeats = std::ranges::unique(links);
  links.erase(repeats.begin(), repeats.end());
}

// A slot is used again only after protocol::kTicksRemembered ticks, so no link of these ticks is
// one of an earlier body in its slot.
Islands& MatchHistory::islands_since(Tick base) {
  TICKBOX_ASSERT(base <= tick_ && tick_ - base <= std::int64_t{base_age_max_});
  if (base > islands_since_) {
    islands_.clear(slots_.size());
    islands_since_ = tick_;
  }
  for (; islands_since_ > base; islands_since_ = {islands_since_.value - 1}) {
    for (const auto& [first, second] : links_.at(islands_since_)) {
      islands_.link(first, second);
    }
  }
  return islands_;
}

MutableBytes MatchHistory::held(Player player) {
  return MutableBytes{held_}.subspan(player.seat * default_input_.size(), default_input_.size());
}

void MatchHistory::record_inputs(const engine::World& world, const engine::TickRecord& record) {
  for (const engine::Outcome& outcome : record.outcomes) {
    const bool is_other =
        outcome.kind == engine::OutcomeKind::Left || outcome.kind == engine::OutcomeKind::Joined;
    if (!is_other) continue;
    std::ranges::copy(default_input_, held(outcome.player).begin());
    reserve_lists(outcome.player.seat + std::size_t{1});
  }
  std::vector<std::byte>& bytes = payloads_.at(tick_);
  for (const engine::TickRecord::Input& input : record.inputs) {
    const ConstBytes given = ConstBytes{record.bytes}.subspan(input.first, default_input_.size());
    const MutableBytes held = this->held(input.player);
    inputs_.add(input.player.seat,
                append_payload(bytes, payload_count_++, [&](engine::BitWriter& out) {
                  engine::pack_change(game_->input, held, given, out);
                }));
    std::ranges::copy(world.input(input.player), held.begin());
  }
}

void MatchHistory::record_outcome(const OutcomeCause& cause) {
  outcomes_.add(cause);
  if (cause.slot != kNoSlot) last_causes_[cause.slot] = tick_;
}

void MatchHistory::record_outcomes(const engine::TickRecord& record) {
  std::vector<std::byte>& bytes = payloads_.at(tick_);
  const auto record_decided = [&](const engine::Outcome& outcome) {
    if (outcome.kind == engine::OutcomeKind::Room) {
      room_.add(0, append_payload(bytes, payload_count_++, [&](engine::BitWriter& out) {
                  engine::pack_sparse(game_->room, record.bytes_of(outcome), out);
                }));
    }
    if (outcome.kind != engine::OutcomeKind::Decided) return;
    const SlotId slot = slots_.find(engine::body_id(outcome.ref));
    record_outcome({.slot = slot,
                    .payload = append_payload(bytes, payload_count_++, [&](engine::BitWriter& out) {
                      views::write_outcome(*game_, outcome, record.bytes_of(outcome), out);
                    })});
  };
  const auto record_phase = [&](engine::OutcomePhase phase) {
    for (const engine::Outcome& outcome : record.outcomes) {
      if (outcome.phase == phase) record_decided(outcome);
    }
  };
  record_phase(engine::OutcomePhase::Joining);
  for (const engine::Strike& strike : record.strikes) {
    const BodyId victim = engine::body_id(strike.victim);
    const bool has_slot = slots_.find(victim) != kNoSlot;
    const Payload payload = append_payload(bytes, payload_count_++, [&](engine::BitWriter& out) {
      if (has_slot) views::write_strike(strike.shooter, out);
    });
    record_outcome({.slot = joining_slot(victim), .payload = payload, .is_strike = true});
  }
  record_phase(engine::OutcomePhase::Deciding);
}

}  // namespace tickbox::server
