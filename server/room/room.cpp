#include "server/room/room.h"

#include <utility>

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
  world.append_entities(now.entities);
  for (const game::EntityState& entity : now.entities) {
    now.hashes.push_back(game::entity_hash(entity));
  }
}

Room::Room(game::SharedMap map, std::shared_ptr<const game::Rules> rules, std::uint64_t seed,
           std::uint32_t tick_rate)
    : rules_(std::move(rules)),
      world_(std::move(map), rules_->settings(), seed),
      log_(world_),
      history_(base_age_max(tick_rate)) {
  rules_->open(world_);
  publish();
  history_.begin(world_, entities());
  past_.reserve(history_.lives().capacity());
}

void Room::tick(const game::TickCommands& commands) {
  const sim::StepReport& report =
      game::step(world_, *rules_, commands, game::Authority::Server, stepper_);
  publish();
  history_.note(world_, entities(), report, stepper_.events);
}

void Room::publish() {
  hash_ = game::state_hash(world_);
  past_.note(world_);
}

}  // namespace tickbox::server
