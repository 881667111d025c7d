#pragma once
// Ends a plan early if it surely has no news, so that its snapshot is not sent.
//
// The client computes everything by itself if nothing has acted on its base since, from inside or
// from outside:
//
//   - the room's state has not changed; no member has a new input, outcome, strike or spawn
//   - all members are still in the view, or have despawned by the rules of the game
//   - no other body has influenced a member: the islands of the members have members alone
//   - no other body is to be added: none is in sight, is the player's own, or is in the view sent
//     last and still near enough to stay
//
// These are what the stages of a plan ask too, of the same bodies (plan_stages.h): each stage then
// finds nothing to write. The reverse does not hold. A plan can be without news although the check
// fails, as where a body in sight does not fit. The cheapest questions come first: most plans with
// news end the check at a member whose input has changed.

#include "server/match/plan/plan_stages.h"
#include "server/match/plan/slot_set.h"

namespace tickbox::server {

/// Returns whether the plan surely has no news. If it has none, its view is the base without the
/// bodies that have despawned, and no body waits. `members`: scratch memory.
/// Requires: the request has a base.
/// Cost: linear in the members of the base, the view sent last, and the bodies around the view.
[[nodiscard]] bool is_surely_quiet(const ClientContext& client, SlotSet& members);

}  // namespace tickbox::server
