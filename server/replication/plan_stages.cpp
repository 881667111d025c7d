#include "server/replication/plan_stages.h"

#include "net/transport.h"
#include "protocol/cause_codec.h"
#include "protocol/snapshot_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace tickbox::server {
namespace {

/// A body that is teleported out of view stays in the view for at most this many ticks, even on an
/// older base. Honest clients need no more.
constexpr std::uint32_t kTeleportSeenTicks = 16;
static_assert(kTeleportSeenTicks < protocol::kTicksRemembered,
              "a teleport is remembered while it keeps its body in view");

/// Returns the membership of a known body. A body teleported out of view since the base stays
/// inside for a few ticks, until a base has its new place. Otherwise all that it influenced would
/// have to be sent in full. A bullet always stays inside, which costs nothing and does not last
/// long.
Membership membership_of(const PlanInput& input, SlotId slot) {
  const PlannedTick& tick = input.tick;
  const PlannedBody& body = tick.bodies[slot];
  if (!body.is_present) return body.left ? Membership::Outside : Membership::Inside;
  if (tick.interest.keeps_seeing(input.centre(), body.place) ||
      game::has_kind(body.id, game::EntityKind::Bullet)) {
    return Membership::Inside;
  }
  const Tick now = tick.now();
  const Tick seen_before{now.value - std::min(now.value, kTeleportSeenTicks + 1)};
  const CauseLog<BodyTeleport>& teleports = tick.room->replication_log().teleports();
  const bool stays = teleports.has_since(slot, std::max(input.request.base_tick, seen_before));
  return stays ? Membership::Inside : Membership::Outside;
}

bool is_all_inside(const ClientBodies& bodies, const Islands& islands, SlotId root) {
  SlotId member = root;
  do {
    if (bodies.states[member].membership != Membership::Inside) return false;
    member = islands.next(member);
  } while (member != root);
  return true;
}

/// Returns the bytes of an island's present bodies in full. Cost: linear in its members.
std::size_t body_bytes(const PlannedTick& tick, const Islands& islands, SlotId root) {
  std::size_t bytes = 0;
  SlotId member = root;
  do {
    if (tick.is_present(member)) bytes += tick.bodies[member].bytes;
    member = islands.next(member);
  } while (member != root);
  return bytes;
}

/// Calls `visit(causes)` for the causes of a known body since the base while it returns true: for
/// all changes of its stick at once, then for each shot and each teleport, the newest first.
/// Returns whether all were visited.
template <class Visit>
bool visit_causes(const PlanInput& input, const ClientBodies& bodies, SlotId slot, Visit visit) {
  const ReplicationLog& log = input.tick.room->replication_log();
  const Tick now = input.tick.now();
  const Tick base = input.request.base_tick;
  const std::uint8_t base_index = bodies.states[slot].base_index;
  const StickTicks sticks = log.sticks().ticks_since(slot, base);
  if (sticks.bits != 0 && !visit(sticks)) return false;
  if (input.tick.bodies[slot].acted <= base) return true;
  return log.shots().visit_since(slot, base, [&](Tick at, const ShotFired& shot) {
    return visit(protocol::ShotCause{.ago = protocol::ago(now, at),
                                     .base_index = base_index,
                                     .aim = shot.aim,
                                     .weapon = shot.weapon});
  }) && log.teleports().visit_since(slot, base, [&](Tick at, const BodyTeleport& teleport) {
    return visit(protocol::TeleportCause{
        .ago = protocol::ago(now, at), .base_index = base_index, .place = teleport.place});
  });
}

/// Returns the bytes of a datagram besides its causes and bodies. Every member of the base may
/// exit, which takes a byte.
std::size_t other_bytes(const ViewRequest& request) {
  return protocol::kSnapshotFrameBytes + request.bytes_kept +
         (request.base != nullptr ? request.base->size() : 0);
}

/// Returns the bytes that causes may take in a whole datagram. If the client's byte budget allows
/// fewer, they wait for more. An own body that is not replayed is sent in full.
std::size_t cause_bytes_max(const PlanInput& input, const ClientBodies& bodies) {
  const std::size_t own =
      bodies.is_replayed(input.own()) ? 0 : input.tick.bodies[input.own()].bytes;
  const std::size_t rest = other_bytes(input.request) + protocol::kCauseCountsBytes + own;
  return net::kDatagramBytesMax - std::min(net::kDatagramBytesMax, rest);
}

constexpr std::size_t kPendingCauses = protocol::kViewMembersMax * protocol::kBaseAgeMax;

/// Calls `visit(ago)` for each of `ticks`.
template <class Visit>
void visit_ticks(StickTicks ticks, Visit visit) {
  for (; ticks.bits != 0; ticks.bits &= ticks.bits - 1) {
    visit(static_cast<std::uint8_t>(std::countr_zero(ticks.bits)));
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

/// Bytes that bodies new to a view must leave free. A crowded view then has space for what happens
/// next, and the client does not need a full view.
constexpr std::size_t kHeadroomBytes = 256;

/// Priorities: known bodies go before bodies that are new to the view.
constexpr std::uint32_t kOwnPriority = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kKnownPriority = 1U << 30;

/// The distance in units from which on all bodies count as equally far.
constexpr std::int64_t kFarUnits = 64;

std::uint32_t nearness(Vec2 place, Vec2 centre) {
  const std::int64_t units = axis_distance(place, centre) / kUnit;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, kFarUnits - units));
}

/// A rectangle around a place.
struct Extent {
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

/// Orders by priority, then by slot.
constexpr auto kGoesBefore = [](const Candidate& a, const Candidate& b) {
  return (std::uint64_t{a.priority} << 32 | ~a.slot) > (std::uint64_t{b.priority} << 32 | ~b.slot);
};

/// Adds bodies to a view. Both are sorted by id. Requires: space for them.
void merge(const PlannedTick& tick, std::span<const SlotId> more, ViewMembers& view) {
  const auto id_of = [&](SlotId slot) { return tick.bodies[slot].id; };
  std::size_t before = view.size();
  for (const SlotId slot : more) {
    view.push_back(slot);
  }
  std::size_t at = view.size();
  for (std::size_t i = more.size(); i > 0; --i) {
    for (; before > 0 && id_of(more[i - 1]) < id_of(view[before - 1]); --before) {
      view[--at] = view[before - 1];
    }
    view[--at] = more[i - 1];
  }
}

}  // namespace

// --- what a plan reads ---

void PlannedTick::read(Room& of) {
  room = &of;
  const ReplicationLog& log = of.replication_log();
  slots = &log.slots();
  bodies.reserve(slots->capacity());
  bodies.resize(slots->size());
  for (SlotId slot = 0; slot < slots->size(); ++slot) {
    const BodySlot& body = slots->slot(slot);
    const Tick acted = std::max(
        {log.shots().newest(slot), log.teleports().newest(slot), log.bullet_spawns().newest(slot)});
    bodies[slot] = {.left = body.left, .id = body.id, .acted = acted};
  }
  for (std::uint32_t i = 0; i < of.entities().size(); ++i) {
    const game::EntityState& entity = of.entities()[i];
    PlannedBody& body = bodies[slots->present()[i]];
    body.hash = of.entity_hashes()[i];
    body.place = entity.min;
    body.index = i;
    body.bytes = static_cast<std::uint8_t>(protocol::encoded_bytes(entity));
    body.is_present = true;
  }
  interest.rebuild(of);
}

// --- which bodies the client knows, and which of them it replays ---

CauseSum CauseSum::of(StickTicks ticks) {
  const StickTicks long_ago{ticks.bits >> protocol::kAgoEscape};
  const std::size_t count = ticks.count();
  const std::size_t long_ago_count = long_ago.bits != 0 ? long_ago.count() : 0;
  return {.inputs = count,
          .bytes = protocol::input_cause_bytes(0) * (count - long_ago_count) +
                   protocol::input_cause_bytes(protocol::kAgoEscape) * long_ago_count};
}

CauseSum CauseSum::of(const protocol::ShotCause& cause) {
  return {.shots = 1, .bytes = protocol::shot_cause_bytes(cause.weapon)};
}

CauseSum CauseSum::of(const protocol::TeleportCause& /*cause*/) {
  return {.teleports = 1, .bytes = protocol::kTeleportCauseBytes};
}

CauseSum& CauseSum::operator+=(const CauseSum& more) {
  inputs += more.inputs;
  shots += more.shots;
  teleports += more.teleports;
  bytes += more.bytes;
  return *this;
}

CauseSum& CauseSum::operator-=(const CauseSum& less) {
  inputs -= less.inputs;
  shots -= less.shots;
  teleports -= less.teleports;
  bytes -= less.bytes;
  return *this;
}

void mark_waiting(const WaitingBodies& waiting, ClientBodies& bodies) {
  for (const WaitingBody& body : waiting) {
    bodies.states[body.slot].priority = body.priority;
  }
}

void mark_known(const PlanInput& input, Islands& islands, ClientBodies& bodies) {
  const auto mark = [&](SlotId slot, Membership membership) -> SlotState& {
    SlotState& state = bodies.states[slot];
    state.membership = membership;
    state.root = islands.root_of(slot);
    bodies.known.push_back(slot);
    return state;
  };
  const ViewMembers& base = *input.request.base;
  for (std::size_t i = 0; i < base.size(); ++i) {
    SlotState& state = mark(base[i], membership_of(input, base[i]));
    state.is_in_base = true;
    state.base_index = static_cast<std::uint8_t>(i);
  }
  const CauseLog<BulletSpawn>& spawns = input.tick.room->replication_log().bullet_spawns();
  for (const SlotId owner : base) {
    if (input.tick.bodies[owner].acted <= input.request.base_tick) continue;
    if (bodies.states[owner].membership != Membership::Inside) continue;
    spawns.visit_since(owner, input.request.base_tick, [&](Tick, const BulletSpawn& spawn) {
      const bool has_space = bodies.known.size() < protocol::kViewMembersMax;
      mark(spawn.bullet, has_space ? membership_of(input, spawn.bullet) : Membership::Outside);
      return true;
    });
  }
}

void plan_islands(const Islands& islands, ClientBodies& bodies) {
  for (const SlotId slot : bodies.known) {
    const SlotId root = bodies.states[slot].root;
    if (bodies.islands.contains(root)) continue;
    bodies.islands[root].in_full = !is_all_inside(bodies, islands, root);
  }
}

// --- the causes of the islands that are replayed ---

PendingCauses::PendingCauses() {
  sticks.reserve(2 * protocol::kViewMembersMax);
  shots.reserve(kPendingCauses);
  teleports.reserve(kPendingCauses);
}

bool gather_causes(const PlanInput& input, const Islands& islands, ClientBodies& bodies,
                   PendingCauses& pending) {
  pending.clear();
  const std::size_t bytes_max = cause_bytes_max(input, bodies);
  CauseSum sum;  // of the islands that are replayed
  const SlotId own = input.own();
  const SlotId own_root = bodies.root_if_inside(own);
  if (bodies.is_replayed(own)) {
    const auto add = [&](const auto& cause) {
      sum += CauseSum::of(cause);
      return sum.fits(bytes_max);
    };
    SlotId member = own;
    do {
      if (!visit_causes(input, bodies, member, add)) return false;
      member = islands.next(member);
    } while (member != own);
  }
  for (const SlotId slot : bodies.known) {
    if (!bodies.is_replayed(slot)) continue;
    const SlotId root = bodies.states[slot].root;
    IslandPlan& plan = bodies.islands[root];
    const auto add = [&](const auto& cause) {
      pending.add(slot, cause);
      if (root == own_root) return true;
      const CauseSum more = CauseSum::of(cause);
      plan.causes += more;
      sum += more;
      if (!sum.fits(bytes_max)) return false;
      // Every body in full takes at least as many bytes.
      if (plan.causes.bytes <= kBodyBytesMin) return true;
      if (plan.body_bytes == 0) plan.body_bytes = body_bytes(input.tick, islands, root);
      return plan.causes.bytes <= plan.body_bytes;
    };
    if (visit_causes(input, bodies, slot, add)) continue;
    plan.in_full = true;
    sum -= plan.causes;
  }
  return true;
}

void write_causes(const StickLog& sticks, const ClientBodies& bodies, PendingCauses& pending,
                  protocol::Causes& causes) {
  const auto drop = [&](auto& entries) {
    std::erase_if(entries, [&](const auto& entry) { return !bodies.is_replayed(entry.slot); });
  };
  const auto write = [&](const auto& entries, auto& out) {
    if (entries.empty()) return;
    AgeOrder order;
    for (const auto& entry : entries) {
      order.count(entry.cause.ago);
    }
    order.sum();
    std::array<std::size_t, protocol::kCausesMax> sorted{};
    for (std::size_t i = 0; i < entries.size(); ++i) {
      sorted[order.place_of(entries[i].cause.ago)] = i;
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      out.push_back(entries[sorted[i]].cause);
    }
  };
  drop(pending.sticks);
  AgeOrder order;
  std::size_t count = 0;
  for (const auto& [slot, ticks] : pending.sticks) {
    visit_ticks(ticks, [&](std::uint8_t ago) { order.count(ago); });
    count += ticks.count();
  }
  order.sum();
  causes.inputs.resize(count);
  for (const auto& entry : pending.sticks) {
    const SlotId slot = entry.slot;
    const std::uint8_t base_index = bodies.states[slot].base_index;
    visit_ticks(entry.cause, [&](std::uint8_t ago) {
      causes.inputs[order.place_of(ago)] = {
          .ago = ago, .base_index = base_index, .move = sticks.move(slot, ago)};
    });
  }
  drop(pending.shots);
  write(pending.shots, causes.shots);
  drop(pending.teleports);
  write(pending.teleports, causes.teleports);
}

// --- which bodies are wanted in full, and which of them fit ---

std::optional<BodyBudget> body_budget(const ViewRequest& request, const protocol::Causes& causes) {
  const std::size_t rest = other_bytes(request) + protocol::encoded_bytes(causes);
  if (rest > request.bytes_max) return std::nullopt;
  return BodyBudget{.bytes = request.bytes_max - rest,
                    .headroom = request.base != nullptr ? kHeadroomBytes : 0};
}

std::span<Candidate> list_candidates(const PlanInput& input, const BodyBudget& budget,
                                     const ClientBodies& bodies,
                                     std::vector<Interest::Found>& visible,
                                     std::vector<Candidate>& memory) {
  const PlannedTick& tick = input.tick;
  const SlotId own = input.own();
  const Vec2 centre = input.centre();
  const ViewMembers* base = input.request.base;
  const ViewMembers* last = base != nullptr ? input.request.last : nullptr;
  const std::size_t members = base != nullptr ? base->size() : 0;
  const std::size_t most = std::min(members + budget.bodies_max(), protocol::kViewMembersMax);
  tick.interest.query(centre, most, visible);
  const std::size_t listed_max =
      members + visible.size() + (last != nullptr ? last->size() : 0) + 1;
  if (memory.size() < listed_max) memory.resize(listed_max);
  std::size_t count = 0;
  for (const SlotId slot : std::span{bodies.known}.first(members)) {
    const PlannedBody& body = tick.bodies[slot];
    if (!body.is_present || bodies.is_replayed(slot)) continue;
    if (slot != own && !tick.interest.keeps_seeing(centre, body.place)) continue;
    memory[count++] = {
        .slot = slot,
        .priority = slot == own ? kOwnPriority : kKnownPriority + nearness(body.place, centre),
        .is_known = true};
  }
  // Writes each body and counts it only if it is wanted: in a crowd, a branch is often wrong.
  const auto add_if_new = [&](SlotId slot, Vec2 place) {
    const SlotState& state = bodies.states[slot];
    // A client without a base has lost its view: the nearest bodies matter more than waiting ones.
    const std::uint32_t before = base != nullptr ? state.priority : 0;
    const std::uint32_t gathered = std::min(before + nearness(place, centre), kKnownPriority - 1);
    memory[count] = {.slot = slot,
                     .priority = slot == own ? kOwnPriority : gathered,
                     .is_known = state.membership != Membership::Unknown,
                     .is_new = slot != own};
    const bool is_wanted =
        !state.is_in_base && (state.membership != Membership::Inside || !bodies.is_replayed(slot));
    count += is_wanted ? 1U : 0U;
  };
  Extent listed;  // the rectangle that query() has searched, as far as it has bodies
  for (const Interest::Found& found : visible) {
    listed.include(centre, found.place);
    add_if_new(found.slot, found.place);
  }
  if (last != nullptr) {
    for (const SlotId slot : *last) {
      const PlannedBody& body = tick.bodies[slot];
      if (!body.is_present) continue;
      const bool is_at_the_rim =
          !listed.contains(centre, body.place) && tick.interest.keeps_seeing(centre, body.place);
      if (is_at_the_rim) add_if_new(slot, body.place);
    }
  }
  const std::span<Candidate> candidates = std::span{memory}.first(count);
  if (candidates.size() > WaitingBodies::capacity()) {
    std::ranges::nth_element(candidates, candidates.begin() + WaitingBodies::capacity(),
                             kGoesBefore);
  }
  return candidates;
}

std::optional<ChosenBodies> choose_bodies(const PlannedTick& tick, const BodyBudget& budget,
                                          std::span<Candidate> candidates, SnapshotBodies& chosen,
                                          ViewMembers& view) {
  ChosenBodies result;
  std::size_t left = budget.bytes;
  const auto bytes_of = [&](const Candidate& candidate) -> std::size_t {
    return tick.bodies[candidate.slot].bytes;
  };
  InplaceVector<SlotId, protocol::kSnapshotBodiesMax> fitting;
  const std::size_t most =
      std::min({candidates.size(), fitting.capacity(), ViewMembers::capacity() - view.size(),
                left / kBodyBytesMin + 1});
  const std::span<Candidate> first = candidates.first(most);
  const std::span<Candidate> kept =
      candidates.first(std::min(candidates.size(), WaitingBodies::capacity()));
  std::ranges::nth_element(kept, kept.begin() + std::ssize(first), kGoesBefore);
  std::ranges::sort(first, kGoesBefore);
  const bool has_own = !first.empty() && first.front().priority == kOwnPriority;
  if (has_own && bytes_of(first.front()) > left) return std::nullopt;
  for (Candidate& candidate : first) {
    const std::size_t bytes = bytes_of(candidate);
    const std::size_t needed = bytes + (candidate.is_new ? budget.headroom : 0);
    candidate.is_chosen = needed <= left;
    if (!candidate.is_chosen) continue;
    left -= bytes;
    fitting.push_back(candidate.slot);
    (candidate.is_known ? result.known_body_bytes : result.new_body_bytes) += bytes;
  }
  result.deferred = candidates.size() - fitting.size();
  std::ranges::sort(fitting, {}, [&](SlotId slot) { return tick.bodies[slot].id; });
  for (const SlotId slot : fitting) {
    chosen.push_back(tick.entity_of(slot));
  }
  merge(tick, fitting, view);
  return result;
}

void list_waiting(std::span<const Candidate> candidates, WaitingBodies& waiting) {
  waiting.clear();
  for (const Candidate& candidate : candidates) {
    if (waiting.full()) return;
    if (!candidate.is_new) continue;
    waiting.push_back({.slot = candidate.slot, .priority = candidate.priority});
  }
}

void write_exits(const PlanInput& input, const ClientBodies& bodies, const SnapshotBodies& chosen,
                 protocol::Causes& causes) {
  const ViewMembers& base = *input.request.base;
  auto in_full = chosen.begin();
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (bodies.is_replayed(base[i])) continue;
    const BodyId id = input.tick.bodies[base[i]].id;
    while (in_full != chosen.end() && in_full->id < id) {
      ++in_full;
    }
    const bool is_in_full = in_full != chosen.end() && in_full->id == id;
    if (!is_in_full) causes.exits.push_back(static_cast<std::uint8_t>(i));
  }
}

}  // namespace tickbox::server
