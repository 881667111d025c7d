#include "server/replication/island_plans.h"

namespace tickbox::server {
namespace {

bool is_all_inside(const ClientBodies& bodies, const Islands& islands, SlotId root) {
  SlotId member = root;
  do {
    if (bodies.states[member].membership != Membership::Inside) return false;
    member = islands.next(member);
  } while (member != root);
  return true;
}

}  // namespace

void plan_islands(const ClientBodies& bodies, const Islands& islands, IslandPlans& plans) {
  for (const SlotId slot : bodies.known) {
    const SlotId root = bodies.states[slot].root;
    if (!plans.contains(root)) plans[root].in_full = !is_all_inside(bodies, islands, root);
  }
}

}  // namespace tickbox::server
