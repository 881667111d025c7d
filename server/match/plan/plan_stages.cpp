#include "server/match/plan/plan_stages.h"

#include "engine/declared.h"
#include "engine/entity_id.h"
#include "engine/row_codec.h"
#include "net/transport.h"
#include "views/rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace tickbox::server {
namespace {

/// A body out of sight that the server has decided for stays in the view for at most this many
/// ticks, even on an older base. Honest clients need no more.
constexpr std::uint32_t kDecidedSeenTicks = 16;
static_assert(kDecidedSeenTicks < protocol::kTicksRemembered,
              "an outcome is remembered while it keeps its body in view");

/// Calls visit(slot) for the members of an island while it returns true. Returns whether all were
/// visited.
template <class Visit>
bool all_members(const Islands& islands, SlotId root, Visit visit) {
  SlotId member = root;
  do {
    if (!visit(member)) return false;
    member = islands.next(member);
  } while (member != root);
  return true;
}

bool is_all_inside(const ClientBodies& bodies, const Islands& islands, SlotId root) {
  return all_members(islands, root, [&](SlotId member) {
    return bodies.states[member].membership == Membership::Inside;
  });
}

/// Returns the bits of a body in full.
std::size_t row_bits(const ClientContext& client, const ClientBodies& bodies, SlotId slot) {
  const PlannedBody& body = client.tick.bodies[slot];
  const bool on_base = client.request.base != nullptr;
  const RowBits bits = client.tick.bits_of(slot);
  const std::size_t name = bodies.states[slot].is_in_base ? client.index_bits() : bits.id;
  return 1 + (on_base ? 1 : 0) + name + bits.row +
         (engine::is_near(min_of(body.extent), client.origin) ? 0 : engine::kFarBits);
}

/// Returns the bits of an island's present bodies in full. Cost: linear in its members.
std::size_t island_bits(const ClientContext& client, const ClientBodies& bodies,
                        const Islands& islands, SlotId root) {
  std::size_t bits = 0;
  all_members(islands, root, [&](SlotId member) {
    if (client.tick.is_present(member)) bits += row_bits(client, bodies, member);
    return true;
  });
  return bits;
}

/// Returns the bits of a content besides its causes and rows: the head, the ends of the ticks of
/// each list, the room, the exits, the origin, and the last byte's rest.
std::size_t other_bits(const ClientContext& client) {
  constexpr std::size_t kOwnEnds = views::kHeadBits + 2 * views::kOriginBits + 1 + 7;
  if (client.request.base == nullptr) return kOwnEnds + client.tick.room_bits;
  const auto age = static_cast<std::size_t>(client.tick.now() - client.request.base_tick);
  const PayloadSum room =
      client.tick.match->history().room().sum_since(0, client.request.base_tick);
  return kOwnEnds + 3 * age + room.bits + room.count +
         views::exit_bits_max(client.request.base->size());
}

/// Returns how many bits the content may have in a datagram of at most `datagram_bytes`, beside
/// frame and events; 0 if there is no room.
std::size_t content_bits(const ViewRequest& request, std::size_t datagram_bytes) {
  const std::size_t frame = protocol::kSnapshotFrameBytes + request.bytes_kept;
  return 8 * (datagram_bytes - std::min(datagram_bytes, frame));
}

/// Returns the bits that causes may take in a whole datagram. If the client's byte budget allows
/// fewer, the snapshot waits until it allows more. Own bodies that are not replayed are sent in
/// full.
std::size_t cause_bits_max(const ClientContext& client, const ClientBodies& bodies) {
  std::size_t rest = other_bits(client);
  for (const SlotId own : client.own) {
    if (!bodies.is_replayed(own)) rest += row_bits(client, bodies, own);
  }
  const std::size_t all = content_bits(client.request, net::kDatagramBytesMax);
  return all - std::min(all, rest);
}

/// Calls `visit(ago)` for each of `ticks`.
template <class Visit>
void visit_ticks(std::uint64_t ticks, Visit visit) {
  for (; ticks != 0; ticks &= ticks - 1) {
    visit(static_cast<std::uint8_t>(std::countr_zero(ticks)));
  }
}

/// The places of causes sorted by counting, the oldest first; those of one age keep their order.
class AgeOrder {
 public:
  void count(std::uint8_t ago) { ++first_[protocol::kBaseAgeMax - ago + 1]; }

  /// Call it after all have been counted, before place_of().
  void sum() { std::partial_sum(first_.begin(), first_.end(), first_.begin()); }

  [[nodiscard]] std::size_t place_of(std::uint8_t ago) {
    return first_[protocol::kBaseAgeMax - ago]++;
  }

 private:
  std::array<std::uint32_t, protocol::kBaseAgeMax + 2> first_{};
};

/// Bits that bodies new to a view must leave free. A crowded view then has space for what happens
/// next, and the client does not need a full view.
constexpr std::size_t kHeadroomBits = std::size_t{8} * 256;

std::uint32_t nearness(Vec2 place, Vec2 centre) {
  const std::int64_t units = axis_distance(place, centre) / kUnit;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, kFarUnits - units));
}

/// A rectangle around a place.
struct Rectangle {
  std::int64_t half_width = 0;  ///< sub-units
  std::int64_t half_height = 0;

  void include(Vec2 centre, Vec2 place) {
    half_width = std::max(half_width, std::abs(std::int64_t{place.x} - centre.x));
    half_height = std::max(half_height, std::abs(std::int64_t{place.y} - centre.y));
  }

  [[nodiscard]] bool contains(Vec2 centre, Vec2 place) const {
    return std::abs(std::int64_t{place.x} - centre.x) <= half_width &&
           std::abs(std::int64_t{place.y} - centre.y) <= half_height;
  }
};

constexpr std::size_t kWordBits = 64;

void write_words(const std::uint64_t* words, std::size_t bits, engine::BitWriter& out) {
  for (; bits > kWordBits; bits -= kWordBits) {
    out.write(*words++, kWordBits);
  }
  out.write(*words, static_cast<unsigned>(bits));
}

}  // namespace

// --- the rows of a tick as bits ---

void PackedRows::begin(const engine::World& world, std::size_t slots) {
  world_ = &world;
  rows_.grow(slots);
  rows_.clear();
  words_.clear();
}

const PackedRows::Packed& PackedRows::pack(SlotId slot, std::size_t row) {
  const views::RowRef ref = views::row_of(*world_, row);
  Packed& packed = rows_[slot];
  const auto pack = [&](auto write, std::uint16_t& bits) {
    const std::size_t first = words_.size();
    bytes_.clear();
    {
      engine::BitWriter out{bytes_};
      write(out);
      bits = static_cast<std::uint16_t>(out.written());
    }
    engine::BitReader in{bytes_};
    for (std::size_t at = 0; at < bits; at += kWordBits) {
      words_.push_back(in.read(static_cast<unsigned>(std::min(bits - at, kWordBits))));
    }
    return static_cast<std::uint32_t>(first);
  };
  packed.id =
      pack([&](auto& out) { engine::write_id(ref.head.id, world_->tick, out); }, packed.bits.id);
  packed.row = pack([&](auto& out) { views::write_member(world_->game(), ref, ref.head.min, out); },
                    packed.bits.row);
  return packed;
}

void PackedRows::write_id(SlotId slot, std::size_t row, engine::BitWriter& out) {
  const Packed& of = packed(slot, row);
  write_words(&words_[of.id], of.bits.id, out);
}

void PackedRows::write_row(SlotId slot, std::size_t row, Vec2 origin, engine::BitWriter& out) {
  const Vec2 place = world_->body(row).min;
  if (!engine::is_near(place, origin)) {
    return views::write_member(world_->game(), views::row_of(*world_, row), origin, out);
  }
  const Packed& of = packed(slot, row);
  const std::uint64_t* words = &words_[of.row];
  const std::size_t first = std::min<std::size_t>(of.bits.row, kWordBits);
  out.write(*words | engine::near_place(place, origin) << engine::bits_before_place(world_->game()),
            static_cast<unsigned>(first));
  if (of.bits.row > kWordBits) write_words(words + 1, of.bits.row - kWordBits, out);
}

// --- what a plan reads ---

void TickContext::read(Match& of) {
  const engine::World& world = of.world();
  const BodySlots& read = of.history().slots();
  const bool are_same = match == &of && slots_version == read.version();
  match = &of;
  slots = &read;
  slots_version = read.version();
  if (are_same) {
    for (const std::uint32_t row : world.active_rows()) {
      read_row(row);
    }
    interest.rebuild_active(world, read.present());
  } else {
    read_all();
    interest.rebuild(world, read.present());
  }
  room_bits = engine::sparse_bits(world.game().room, world.room());
  rows.begin(world, read.size());
}

void TickContext::read_all() {
  bodies.reserve(slots->capacity());
  bodies.resize(slots->size());
  for (SlotId slot = 0; slot < slots->size(); ++slot) {
    const BodySlot& body = slots->slot(slot);
    const std::uint16_t seat = views::is_controlled(body.id)
                                   ? static_cast<std::uint16_t>(engine::lineage_of(body.id))
                                   : kNoSeat;
    bodies[slot] = {.seat = seat, .removed_by_server = body.removed_by_server, .id = body.id};
  }
  for (std::uint32_t row = 0; row < slots->present().size(); ++row) {
    read_row(row);
  }
}

void TickContext::read_row(std::uint32_t row) {
  const sim::Body& moved = match->world().body(row);
  PlannedBody& body = bodies[slots->present()[row]];
  const Vec2 half{moved.size.x / 2, moved.size.y / 2};
  body.hash = match->state().hashes[row];
  body.extent = {.middle = {moved.min.x + half.x, moved.min.y + half.y}, .half = half};
  body.row = row;
  body.is_present = true;
}

ClientContext::ClientContext(const TickContext& planned, const ViewRequest& requested)
    : tick(planned),
      request(requested),
      eye(eye_of(planned.match->world(), requested.player)),
      origin(views::origin_of(eye.centre)) {
  const engine::World& world = tick.match->world();
  const std::size_t first = world.avatar_of(request.player);
  std::size_t end = first;
  while (end < world.size() && world.is_controlled_by(end, request.player)) {
    ++end;
  }
  own_row = static_cast<std::uint32_t>(first);
  own = tick.slots->present().subspan(first, end - first);
}

// --- which bodies the client knows, and which of them it replays ---

Membership membership_of(const ClientContext& client, SlotId slot) {
  const TickContext& tick = client.tick;
  const PlannedBody& body = tick.bodies[slot];
  if (!body.is_present) return body.removed_by_server ? Membership::Outside : Membership::Inside;
  if (keeps_seeing(client.eye, body.extent) || client.is_own(slot)) return Membership::Inside;
  const Tick now = tick.now();
  const bool is_young =
      engine::class_of(body.id) == engine::IdClass::ByEntity &&
      now - engine::spawn_tick_of(body.id) <= std::int64_t{tick.match->world().tick_rate()};
  if (is_young) return Membership::Inside;
  const Tick seen_before{now.value - std::min(now.value, kDecidedSeenTicks + 1)};
  const bool stays = tick.match->history().outcomes().has_since(
      slot, std::max(client.request.base_tick, seen_before));
  return stays ? Membership::Inside : Membership::Outside;
}

void mark_waiting(const WaitingBodies& waiting, ClientBodies& bodies) {
  for (const WaitingBody& body : waiting) {
    bodies.states[body.slot].priority = body.priority;
  }
}

void mark_known(const ClientContext& client, Islands& islands, ClientBodies& bodies) {
  const auto mark = [&](SlotId slot, Membership membership) -> SlotState& {
    SlotState& state = bodies.states[slot];
    state.membership = membership;
    state.root = islands.root_of(slot);
    bodies.known.push_back(slot);
    return state;
  };
  const Members& base = *client.request.base;
  for (std::size_t i = 0; i < base.size(); ++i) {
    SlotState& state = mark(base[i], membership_of(client, base[i]));
    state.is_in_base = true;
    state.base_index = static_cast<std::uint16_t>(i);
  }
  const MatchHistory& history = client.tick.match->history();
  // The list grows: what a member has spawned may have spawned more.
  for (std::size_t i = 0; i < bodies.known.size(); ++i) {
    const SlotId parent = bodies.known[i];
    if (history.last_cause_of(parent) <= client.request.base_tick) continue;
    if (bodies.states[parent].membership != Membership::Inside) continue;
    history.spawns().visit_since(
        parent, client.request.base_tick, [&](Tick, const SpawnCause& spawn) {
          const bool has_space = bodies.known.size() < client.request.members_max;
          mark(spawn.child, has_space ? membership_of(client, spawn.child) : Membership::Outside);
          return true;
        });
  }
}

void plan_islands(const Islands& islands, ClientBodies& bodies) {
  for (const SlotId slot : bodies.known) {
    SlotState& state = bodies.states[slot];
    if (islands.next(slot) == slot) {
      state.is_replayed = state.membership == Membership::Inside;
      continue;
    }
    if (bodies.islands.contains(state.root)) continue;
    bodies.islands[state.root] = {};
    if (is_all_inside(bodies, islands, state.root)) {
      all_members(islands, state.root,
                  [&](SlotId member) { return bodies.states[member].is_replayed = true; });
    }
  }
}

// --- the causes of the islands that are replayed ---

bool gather_causes(const ClientContext& client, const Islands& islands, ClientBodies& bodies,
                   PendingCauses& pending) {
  pending.clear();
  const std::size_t bits_max = cause_bits_max(client, bodies);
  const Tick base = client.request.base_tick;
  const MatchHistory& history = client.tick.match->history();
  const ChangeHistory& inputs = history.inputs();
  const std::size_t name_bits = 1 + client.index_bits();
  std::size_t sum = 0;  // of the islands that are replayed
  // Returns whether the causes of a body fit and can name it; adds their bits.
  const auto add = [&](SlotId slot, std::size_t& bits, auto&& is_enough) {
    const auto add_bits = [&](std::size_t more) {
      bits += more;
      return is_enough();
    };
    if (const std::uint16_t seat = client.tick.bodies[slot].seat; seat != kNoSeat) {
      const PayloadSum changes = inputs.sum_since(seat, base);
      const std::size_t more = changes.bits + changes.count * name_bits;
      if (more > 0 && !add_bits(more)) return false;
    }
    if (history.last_cause_of(slot) <= base) return true;
    return history.outcomes().visit_since(slot, base, [&](Tick at, const OutcomeCause& cause) {
      if (!bodies.states[slot].is_in_base || cause.payload.bits == 0) return false;
      pending.outcomes.push_back({.slot = slot, .tick = at, .payload = cause.payload});
      return add_bits(name_bits + cause.payload.bits);
    });
  };
  const auto add_own = [&](SlotId slot) { return add(slot, sum, [&] { return sum <= bits_max; }); };
  for (const SlotId own : client.own) {
    const SlotId root = bodies.states[own].root;
    if (!bodies.is_replayed(own) || std::exchange(bodies.islands[root].is_own, true)) continue;
    if (!all_members(islands, root, add_own)) return false;
  }
  for (const SlotId slot : bodies.known) {
    if (!bodies.is_replayed(slot)) continue;
    const std::uint16_t seat = client.tick.bodies[slot].seat;
    const std::uint64_t ticks = seat != kNoSeat ? inputs.ticks_since(seat, base) : 0;
    if (ticks != 0) pending.inputs.push_back({.slot = slot, .seat = seat, .ticks = ticks});
    if (ticks == 0 && history.last_cause_of(slot) <= base) continue;
    const SlotId root = bodies.states[slot].root;
    IslandPlan& plan = bodies.islands[root];
    if (plan.is_own) continue;
    const std::size_t before = plan.cause_bits;
    const bool fits = add(slot, plan.cause_bits, [&] {
      if (sum + plan.cause_bits - before > bits_max) return false;
      if (plan.cause_bits <= kRowBitsMin) return true;
      if (plan.row_bits == 0) plan.row_bits = island_bits(client, bodies, islands, root);
      return plan.cause_bits <= plan.row_bits;
    });
    if (fits) {
      sum += plan.cause_bits - before;
    } else {
      all_members(islands, root, [&](SlotId member) {
        bodies.states[member].is_replayed = false;
        return true;
      });
      sum -= before;
    }
  }
  return true;
}

void sort_causes(const ClientContext& client, const ClientBodies& bodies, PendingCauses& pending,
                 WrittenCauses& causes) {
  const ChangeHistory& inputs = client.tick.match->history().inputs();
  const Tick now = client.tick.now();
  const std::size_t name_bits = 1 + client.index_bits();
  std::erase_if(pending.outcomes,
                [&](const auto& outcome) { return !bodies.is_replayed(outcome.slot); });
  std::erase_if(pending.inputs,
                [&](const auto& changed) { return !bodies.is_replayed(changed.slot); });
  // The avatars of a player stand side by side; the first has the input of all.
  const auto repeats = std::ranges::unique(pending.inputs, {}, &PendingCauses::Inputs::seat);
  pending.inputs.erase(repeats.begin(), repeats.end());
  const auto index_of = [&](SlotId slot) { return bodies.states[slot].base_index; };
  AgeOrder order;
  std::size_t count = 0;
  for (const PendingCauses::Inputs& changed : pending.inputs) {
    visit_ticks(changed.ticks, [&](std::uint8_t ago) { order.count(ago); });
    const PayloadSum changes = inputs.sum_since(changed.seat, client.request.base_tick);
    count += changes.count;
    causes.bits += changes.bits + changes.count * name_bits;
  }
  order.sum();
  causes.inputs.resize(count);
  for (const PendingCauses::Inputs& changed : pending.inputs) {
    const std::uint16_t index = index_of(changed.slot);
    visit_ticks(changed.ticks, [&](std::uint8_t ago) {
      causes.inputs[order.place_of(ago)] = {
          .ago = ago, .index = index, .payload = inputs.change(changed.seat, ago)};
    });
  }
  std::ranges::sort(pending.outcomes, {}, [](const PendingCauses::Outcome& outcome) {
    return std::uint64_t{outcome.tick.value} << 32 | outcome.payload.number;
  });
  for (const PendingCauses::Outcome& outcome : pending.outcomes) {
    causes.outcomes.push_back({.ago = static_cast<std::uint8_t>(now - outcome.tick),
                               .index = index_of(outcome.slot),
                               .payload = outcome.payload});
    causes.bits += outcome.payload.bits + name_bits;
  }
}

// --- which bodies are wanted in full, and which of them fit ---

std::optional<RowBudget> row_budget(const ClientContext& client, const WrittenCauses& causes,
                                    std::size_t replayed) {
  const std::size_t rest = other_bits(client) + causes.bits;
  const std::size_t all = content_bits(client.request, client.request.bytes_max);
  if (rest > all) return std::nullopt;
  const std::size_t members_max = client.request.members_max;
  return RowBudget{.bits = all - rest,
                   .headroom = client.request.base != nullptr ? kHeadroomBits : 0,
                   .members = members_max - std::min(replayed, members_max)};
}

std::span<Candidate> list_candidates(const ClientContext& client, const RowBudget& budget,
                                     const ClientBodies& bodies,
                                     std::vector<Interest::Found>& visible,
                                     std::vector<Candidate>& memory) {
  const TickContext& tick = client.tick;
  const Vec2 centre = client.eye.centre;
  const Members* base = client.request.base;
  const Members* last =
      base != nullptr && client.request.last != base ? client.request.last : nullptr;
  const std::size_t members = base != nullptr ? base->size() : 0;
  const std::size_t most = std::min(members + budget.rows_max(), client.request.members_max);
  tick.interest.query(client.eye, most, visible);
  const std::size_t listed_max =
      members + visible.size() + (last != nullptr ? last->size() : 0) + client.own.size();
  if (memory.size() < listed_max) memory.resize(listed_max);
  std::size_t count = 0;
  const auto is_unlisted = [](const SlotState& state) {
    return !state.is_in_base && !state.is_replayed;
  };
  for (const SlotId slot : std::span{bodies.known}.first(members)) {
    const PlannedBody& body = tick.bodies[slot];
    if (!body.is_present || bodies.is_replayed(slot)) continue;
    const bool is_own = client.is_own(slot);
    if (!is_own && !keeps_seeing(client.eye, body.extent)) continue;
    memory[count++] = {
        .slot = slot,
        .priority = is_own ? kOwnPriority : kKnownPriority + nearness(body.extent.middle, centre),
        .replaces_state = true};
  }
  // Writes each body, and counts it only if it is wanted: in a crowd, the processor would often
  // predict a branch wrong.
  Rectangle listed;  // the rectangle that query() has searched, as far as it has bodies
  const auto add_new = [&](std::span<const Interest::Found> found) {
    for (const Interest::Found& each : found) {
      listed.include(centre, each.extent.middle);
      const SlotState& state = bodies.states[each.slot];
      // A client without a base has lost its view: near bodies matter more than waiting ones.
      const std::uint32_t before = base != nullptr ? state.priority : 0;
      memory[count] = {
          .slot = each.slot,
          .priority = std::min(before + nearness(each.extent.middle, centre), kKnownPriority - 1),
          .replaces_state = state.membership != Membership::Unknown,
          .can_wait = true};
      count += is_unlisted(state) && !client.is_own(each.slot) ? 1U : 0U;
    }
  };
  add_new(visible);
  // Own bodies are listed wherever they are.
  for (const SlotId slot : client.own) {
    const SlotState& state = bodies.states[slot];
    if (!is_unlisted(state)) continue;
    memory[count++] = {.slot = slot,
                       .priority = kOwnPriority,
                       .replaces_state = state.membership != Membership::Unknown};
  }
  if (last != nullptr) {
    const std::size_t seen = visible.size();
    for (const SlotId slot : *last) {
      const PlannedBody& body = tick.bodies[slot];
      const bool is_at_the_rim = body.is_present && !listed.contains(centre, body.extent.middle) &&
                                 keeps_seeing(client.eye, body.extent);
      if (is_at_the_rim) visible.push_back({.extent = body.extent, .slot = slot});
    }
    add_new(std::span{visible}.subspan(seen));
    visible.resize(seen);
  }
  const std::span<Candidate> candidates = std::span{memory}.first(count);
  if (candidates.size() > client.request.members_max) {
    std::ranges::nth_element(
        candidates, candidates.begin() + static_cast<std::ptrdiff_t>(client.request.members_max),
        kGoesBefore);
  }
  return candidates;
}

std::optional<ChosenBodies> choose_bodies(const ClientContext& client, const RowBudget& budget,
                                          const ClientBodies& bodies,
                                          std::span<const Candidate> candidates, Members& chosen) {
  ChosenBodies result;
  const bool may_omit_own =
      client.request.base == nullptr && client.request.bytes_max >= net::kDatagramBytesMax;
  std::size_t left = budget.bits;
  const std::size_t most = std::min({candidates.size(), budget.members, left / kRowBitsMin + 1});
  result.deferred = candidates.size();
  if (most == 0) return result;
  const std::span<const Candidate> kept =
      candidates.first(std::min(candidates.size(), client.request.members_max));
  BestFirst order{kept};
  for (std::size_t i = 0; i < most; ++i) {
    const Candidate& candidate = order.pop();
    const bool is_own = candidate.priority == kOwnPriority;
    const std::size_t headroom = candidate.can_wait ? budget.headroom : 0;
    // If this candidate is new, all behind it are new too: none of them fits.
    if (!is_own && left < headroom + engine::kNearPlaceBits) break;
    const std::size_t bits = row_bits(client, bodies, candidate.slot);
    if (bits + headroom > left) {
      if (is_own && !may_omit_own) return std::nullopt;
      continue;
    }
    left -= bits;
    chosen.push_back(candidate.slot);
    (candidate.replaces_state ? result.known_bits : result.new_bits) += bits;
  }
  result.deferred -= chosen.size();
  return result;
}

void list_waiting(std::span<const Candidate> candidates, std::size_t members_max,
                  WaitingBodies& waiting) {
  waiting.clear();
  for (const Candidate& candidate : candidates) {
    if (waiting.size() == members_max) return;
    if (!candidate.can_wait) continue;
    waiting.push_back({.slot = candidate.slot, .priority = candidate.priority});
  }
}

void list_exits(const ClientContext& client, const ClientBodies& bodies, const Members& chosen,
                std::vector<std::uint16_t>& exits) {
  const Members& base = *client.request.base;
  auto in_full = chosen.begin();
  const auto id_of = [&](SlotId slot) { return client.tick.bodies[slot].id; };
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (bodies.is_replayed(base[i])) continue;
    while (in_full != chosen.end() && id_of(*in_full) < id_of(base[i])) {
      ++in_full;
    }
    const bool is_in_full = in_full != chosen.end() && *in_full == base[i];
    if (!is_in_full) exits.push_back(static_cast<std::uint16_t>(i));
  }
}

}  // namespace tickbox::server
