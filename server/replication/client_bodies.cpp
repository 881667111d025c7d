#include "server/replication/client_bodies.h"

#include <algorithm>

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
  const BodySlot& body = tick.slots->slot(slot);
  if (!body.is_present()) return body.left ? Membership::Outside : Membership::Inside;
  const Tick now = tick.now();
  const Tick seen_before{now.value - std::min(now.value, kTeleportSeenTicks + 1)};
  const CauseLog<BodyTeleport>& teleports = tick.room->replication_log().teleports();
  const bool stays = game::has_kind(body.id, game::EntityKind::Bullet) ||
                     tick.interest.keeps_seeing(input.centre(), tick.entity_of(slot).min) ||
                     teleports.has_since(slot, std::max(input.request.base_tick, seen_before));
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

}  // namespace

void mark_deferred(const DeferredBodies& deferred, ClientBodies& bodies) {
  for (const DeferredBody& body : deferred) {
    SlotState& state = bodies.states[body.slot];
    state.priority = body.priority;
    state.snapshots = body.snapshots;
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
    if (bodies.states[owner].membership != Membership::Inside) continue;
    spawns.visit_since(owner, input.request.base_tick, [&](Tick, const BulletSpawn& spawn) {
      const bool has_space = bodies.known.size() < protocol::kViewMembersMax;
      mark(spawn.bullet, has_space ? membership_of(input, spawn.bullet) : Membership::Outside);
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

}  // namespace tickbox::server
