#include "server/room/room.h"

#include <utility>

namespace tickbox::server {

Room::Room(game::SharedMap map, std::shared_ptr<const game::Rules> rules, std::uint64_t seed,
           std::uint32_t tick_rate)
    : rules_(std::move(rules)),
      world_(std::move(map), rules_->settings(), seed),
      log_(world_),
      replication_log_(base_age_max(tick_rate)) {
  rules_->open(world_);
  store_state();
  replication_log_.begin(world_, entities());
  const std::size_t entities_max = replication_log_.slots().capacity();
  states_.for_each_slot([entities_max](StateAt& state) {
    state.entities.reserve(entities_max);
    state.hashes.reserve(entities_max);
  });
}

void Room::tick(const game::TickCommands& commands) {
  const sim::StepReport& report =
      game::step(world_, *rules_, commands, game::Authority::Server, stepper_);
  store_state();
  replication_log_.note(world_, entities(), report, stepper_.events);
}

/// Stores the state after the present tick in place of the oldest one.
void Room::store_state() {
  hash_ = game::state_hash(world_);
  StateAt& now = states_.insert(world_.tick);
  now.entities.clear();
  now.hashes.clear();
  world_.append_entities(now.entities);
  for (const game::EntityState& entity : now.entities) {
    now.hashes.push_back(game::entity_hash(entity));
  }
}

}  // namespace tickbox::server
