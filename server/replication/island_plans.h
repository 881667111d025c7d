#pragma once
// Stage 2 of a plan: which islands are replayed, and which are sent in full.
//
// An island is replayed if all of its members are inside. It is sent in full otherwise, because a
// body that the client does not know can have moved any of them.

#include "server/replication/client_bodies.h"
#include "server/replication/slot_table.h"
#include "server/room/islands.h"

#include <cstddef>

namespace tickbox::server {

struct IslandPlan {
  bool in_full = true;          ///< its bodies are sent as states, not replayed from causes
  std::size_t cause_bytes = 0;  ///< the size of its causes
  std::size_t body_bytes = 0;   ///< the size of its bodies in full, where the causes are large
};

using IslandPlans = SlotTable<IslandPlan>;  ///< by the root of the island

/// Plans each island that has a known body. `islands`: those since the base.
void plan_islands(const ClientBodies& bodies, const Islands& islands, IslandPlans& plans);

/// Returns whether the client replays the body.
[[nodiscard]] inline bool is_replayed(const ClientBodies& bodies, const IslandPlans& plans,
                                      SlotId slot) {
  const SlotState& state = bodies.states[slot];
  return state.membership == Membership::Inside && !plans[state.root].in_full;
}

/// Sends the islands in full for whose plans `condition` is true, except the island of the client's
/// own body: the client must know what touched it.
template <class Condition>
void send_in_full_if(SlotId own, const ClientBodies& bodies, IslandPlans& plans,
                     Condition condition) {
  const SlotState& own_state = bodies.states[own];
  const SlotId own_root = own_state.membership == Membership::Inside ? own_state.root : kNoSlot;
  for (const SlotId slot : bodies.known) {
    const SlotId root = bodies.states[slot].root;
    if (root != own_root && condition(plans[root])) plans[root].in_full = true;
  }
}

}  // namespace tickbox::server
