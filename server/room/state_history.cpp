#include "server/room/state_history.h"

namespace tickbox::server {

void StateHistory::reserve(std::size_t entities) {
  ticks_.for_each_slot([entities](StateAt& state) {
    state.entities.reserve(entities);
    state.hashes.reserve(entities);
  });
}

void StateHistory::note(const game::World& world) {
  newest_ = world.tick;
  StateAt& now = ticks_.insert(newest_);
  now.entities.clear();
  now.hashes.clear();
  world.append_entities(now.entities);
  for (const game::EntityState& entity : now.entities) {
    now.hashes.push_back(game::entity_hash(entity));
  }
}

}  // namespace tickbox::server
