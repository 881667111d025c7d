#include "server/past.h"

namespace tickbox::server {

void Past::reserve(std::size_t entities) {
  for (PastTick& tick : ticks_) {
    tick.entities.reserve(entities);
    tick.hashes.reserve(entities);
  }
}

void Past::note(const game::World& world) {
  newest_ = world.tick.value % ticks_.size();
  PastTick& now = ticks_[newest_];
  now.tick = world.tick;
  now.entities.clear();
  now.hashes.clear();
  for (std::size_t i = 0; i < world.size(); ++i) {
    now.entities.push_back(world.entity(i));
    now.hashes.push_back(game::entity_hash(now.entities.back()));
  }
}

const PastTick* Past::find(Tick tick) const {
  const PastTick& noted = ticks_[tick.value % ticks_.size()];
  return noted.tick == tick ? &noted : nullptr;
}

}  // namespace tickbox::server
