#include "server/room/past.h"

namespace tickbox::server {

void Past::reserve(std::size_t entities) {
  ticks_.for_each_slot([entities](PastTick& tick) {
    tick.entities.reserve(entities);
    tick.hashes.reserve(entities);
  });
}

void Past::note(const game::World& world) {
  newest_ = world.tick;
  PastTick& now = ticks_.insert(newest_);
  now.entities.clear();
  now.hashes.clear();
  for (std::size_t i = 0; i < world.size(); ++i) {
    now.entities.push_back(world.entity(i));
    now.hashes.push_back(game::entity_hash(now.entities.back()));
  }
}

}  // namespace tickbox::server
