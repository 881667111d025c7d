#include "engine/log/tick_codec.h"

#include "core/assert.h"
#include "engine/bits.h"
#include "engine/declared.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace tickbox::engine {
namespace {

std::uint8_t head_byte(std::uint8_t number, OutcomePhase phase) {
  return static_cast<std::uint8_t>(unsigned{number} << 1U | static_cast<unsigned>(phase));
}

/// By OutcomeKind; the place after Secret is that of a strike.
constexpr std::array<OutcomeForm, OutcomeHead::kMost + 1> kForms{{
    {.name = "left", .is_of_seat = true},
    {.name = "joined", .is_of_seat = true},
    {.name = "spawned",
     .has_type = true,
     .has_owner = true,
     .has_entity = true,
     .has_place = true,
     .has_way = true,
     .has_value = true},
    {.name = "removed", .has_entity = true},
    {.name = "focused", .is_of_seat = true, .has_entity = true, .has_place = true},
    {.name = "commanded", .is_of_seat = true, .has_type = true, .has_value = true},
    {.name = "decided", .has_type = true, .has_entity = true, .has_value = true},
    {.name = "seat", .is_of_seat = true, .has_value = true},
    {.name = "room", .has_value = true},
    {.name = "secret", .has_random = true, .has_value = true},
    {.name = "strike"},
    {.name = "published", .has_type = true, .has_value = true},
    {.name = "closed"},
}};

Player read_seat(NumberReader& in) {
  return {static_cast<std::uint16_t>(in.number(kSeatsMax - 1))};
}

/// Reads a number whose 0 is kNobody or kNoPath.
std::uint16_t read_one_less(NumberReader& in) {
  return static_cast<std::uint16_t>(static_cast<std::uint16_t>(in.number(UINT16_MAX)) - 1);
}

/// Reads a place or a velocity.
Vec2 read_place(NumberReader& in) {
  const std::int32_t x = in.coordinate();
  return {x, in.coordinate()};
}

/// Stands for the path of a spawned entity that has a velocity, which follows.
constexpr std::uint32_t kHasVelocity = std::uint32_t{UINT16_MAX} + 1;

/// Reads the path or the velocity of a spawned entity.
void read_way(NumberReader& in, Outcome& outcome) {
  const std::uint32_t number = in.number(kHasVelocity);
  if (number < kHasVelocity) {
    outcome.path = static_cast<std::uint16_t>(static_cast<std::uint16_t>(number) - 1);
    return;
  }
  outcome.velocity = read_place(in);
  if (outcome.velocity == Vec2{}) in.fail();
}

/// What a record assumes of the world, followed outcome by outcome.
class RecordCheck {
 public:
  explicit RecordCheck(const World& world) : world_(world) {
    for (const SeatInfo& seat : world.seats()) {
      seats_.push_back(seat);
    }
  }

  [[nodiscard]] bool is_valid(const TickRecord& record) {
    bool is_deciding = false;
    std::size_t spawned = 0;
    for (const Outcome& outcome : record.outcomes) {
      const bool decides = outcome.phase == OutcomePhase::Deciding;
      if (is_deciding && !decides) return false;
      is_deciding = decides;
      if (!is_valid(outcome, record.bytes_of(outcome))) return false;
      spawned += outcome.kind == OutcomeKind::Spawned ? 1 : 0;
    }
    return world_.size() + spawned <= kEntitiesMax + removed_.size() &&
           std::ranges::all_of(record.inputs,
                               [this](const auto& input) { return has(input.player); }) &&
           std::ranges::all_of(record.strikes, [this](const Strike& strike) {
             return strike.shooter.seat < seats_.size();
           });
  }

 private:
  [[nodiscard]] bool has(Player player) const {
    return player.seat < seats_.size() && seats_[player.seat].taken;
  }

  bool is_valid(const Outcome& outcome, ConstBytes bytes) {
    switch (outcome.kind) {
      case OutcomeKind::Left:
        if (!has(outcome.player)) return false;
        seats_[outcome.player.seat].taken = false;
        return outcome.phase == OutcomePhase::Joining;
      case OutcomeKind::Joined: {
        if (outcome.player.seat >= seats_.size() || has(outcome.player)) return false;
        SeatInfo& seat = seats_[outcome.player.seat];
        seat = {.generation = next_generation(seat.generation), .taken = true};
        return outcome.phase == OutcomePhase::Joining;
      }
      case OutcomeKind::Removed:
        if (const BodyId id = body_id(outcome.ref); world_.index_of(id) != world_.size()) {
          removed_.insert(id);
        }
        return true;
      case OutcomeKind::Spawned:
        return is_valid_spawn(outcome, bytes);
      case OutcomeKind::Focused:
      case OutcomeKind::Commanded:
        return has(outcome.player);
      case OutcomeKind::Seat:
        return outcome.player.seat < seats_.size();
      default:
        return true;
    }
  }

  bool is_valid_spawn(const Outcome& outcome, ConstBytes bytes) {
    const BodyId id = body_id(outcome.ref);
    const bool is_avatar = outcome.player.seat != Player::kNobody;
    const AlignedValue state{bytes};
    const RowRef row{.head = outcome.row(),
                     .state = {static_cast<const std::byte*>(state.data()), bytes.size()},
                     .input = {}};
    if (!spawned_.insert(id).second || !world_.can_add(row)) return false;
    if (!is_avatar) {
      return class_of(id) == IdClass::ByServer && lineage_of(id) >= kSeatsMax &&
             spawn_tick_of(id) == world_.tick + 1;
    }
    return has(outcome.player) && is_controlled(id) && lineage_of(id) == outcome.player.seat &&
           generation_of(id) == seats_[outcome.player.seat].generation;
  }

  const World& world_;
  std::vector<SeatInfo> seats_;
  std::set<BodyId> spawned_;
  std::set<BodyId> removed_;  ///< of the world's entities
};

/// Whether the lists of a tick say of which player an outcome is.
bool is_in_list(OutcomeKind kind) {
  return kind == OutcomeKind::Left || kind == OutcomeKind::Joined;
}

}  // namespace

const OutcomeForm& form_of(OutcomeKind kind) {
  return kForms[std::to_underlying(kind)];
}

const TypeInfo* payload_type(const GameTable& game, const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::Spawned:
      return outcome.type < game.kinds.size() ? &game.kinds[outcome.type].type : nullptr;
    case OutcomeKind::Commanded:
      return outcome.type < game.commands.size() ? &game.commands[outcome.type].type : nullptr;
    case OutcomeKind::Decided:
      return outcome.type < game.outcomes.size() ? &game.outcomes[outcome.type] : nullptr;
    case OutcomeKind::Seat:
      return &game.seat;
    case OutcomeKind::Room:
      return &game.room;
    case OutcomeKind::Secret:
      return &game.secret;
    case OutcomeKind::Published:
      return outcome.type < game.results.size() ? &game.results[outcome.type] : nullptr;
    default:
      return nullptr;
  }
}

void write_outcome(const GameTable& game, const Outcome& outcome, ConstBytes bytes,
                   std::vector<std::byte>& out) {
  NumberWriter writer{out};
  // kNobody and kNoPath become 0.
  const auto one_more = [](std::uint16_t number) {
    return static_cast<std::uint32_t>(static_cast<std::uint16_t>(number + 1));
  };
  const auto place = [&](Vec2 at) {
    writer.fixed(at.x);
    writer.fixed(at.y);
  };
  const OutcomeForm& form = form_of(outcome.kind);
  writer.fixed(head_byte(static_cast<std::uint8_t>(outcome.kind), outcome.phase));
  if (is_in_list(outcome.kind)) return;
  if (form.is_of_seat) writer.number(outcome.player.seat);
  if (form.has_type) writer.number(outcome.type);
  if (form.has_owner) writer.number(one_more(outcome.player.seat));
  if (form.has_entity) writer.fixed(outcome.ref.id);
  if (form.has_place) place(outcome.min);
  if (form.has_way && outcome.velocity == Vec2{}) {
    writer.number(one_more(outcome.path));
  } else if (form.has_way) {
    TICKBOX_ASSERT(outcome.path == kNoPath);
    writer.number(kHasVelocity);
    place(outcome.velocity);
  }
  if (form.has_random) writer.fixed(outcome.random);
  if (form.has_value) pack_sparse(*payload_type(game, outcome), bytes, out);
}

void write_strike(const Strike& strike, std::vector<std::byte>& out) {
  NumberWriter writer{out};
  writer.fixed(head_byte(OutcomeHead::kStrike, OutcomePhase::Joining));
  writer.number(strike.shooter.seat);
  writer.fixed(strike.victim.id);
}

std::optional<OutcomeHead> read_outcome_head(NumberReader& in) {
  const unsigned both = in.fixed<std::uint8_t>();
  const OutcomeHead head{.number = static_cast<std::uint8_t>(both >> 1U),
                         .phase = static_cast<OutcomePhase>(both & 1U)};
  if (in.failed() || head.number > OutcomeHead::kMost) return std::nullopt;
  return head;
}

void read_sparse(const TypeInfo& type, NumberReader& in, std::vector<std::byte>& out) {
  out.resize(out.size() + type.bytes);
  if (!unpack_sparse(type, in, MutableBytes{out}.last(type.bytes))) in.fail();
}

void read_outcome(const GameTable& game, OutcomeHead head, NumberReader& in, TickRecord& record) {
  TICKBOX_ASSERT(head.number != OutcomeHead::kStrike);
  Outcome outcome{.kind = static_cast<OutcomeKind>(head.number),
                  .phase = head.phase,
                  .first = record.bytes.size()};
  TICKBOX_ASSERT(!is_in_list(outcome.kind));
  const OutcomeForm& form = form_of(outcome.kind);
  if (form.is_of_seat) outcome.player = read_seat(in);
  if (form.has_type) outcome.type = static_cast<std::uint8_t>(in.number(UINT8_MAX));
  if (form.has_owner) outcome.player = {read_one_less(in)};
  if (form.has_entity) outcome.ref = {in.fixed<std::uint64_t>()};
  if (form.has_place) outcome.min = read_place(in);
  if (form.has_way) read_way(in, outcome);
  if (form.has_random) outcome.random = in.fixed<std::uint64_t>();
  if (form.has_value) {
    const TypeInfo* const type = payload_type(game, outcome);
    if (type == nullptr) return void(in.fail());
    read_sparse(*type, in, record.bytes);
  }
  outcome.size = record.bytes.size() - outcome.first;
  record.outcomes.push_back(outcome);
}

void read_strike(NumberReader& in, TickRecord& record) {
  const Player shooter = read_seat(in);
  record.strikes.push_back({.shooter = shooter, .victim = {in.fixed<std::uint64_t>()}});
}

bool is_valid(const World& world, const TickRecord& record) {
  if (record.is_idle) return std::ranges::none_of(world.seats(), &SeatInfo::taken);
  return RecordCheck{world}.is_valid(record);
}

}  // namespace tickbox::engine
