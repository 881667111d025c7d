#include "server/room.h"

#include <utility>

namespace tickbox::server {

Room::Room(game::SharedMap map, std::shared_ptr<const game::Rules> rules, std::uint64_t seed,
           std::uint32_t tick_rate)
    : rules_(std::move(rules)),
      world_(std::move(map), rules_->settings(), seed),
      history_(base_age_max(tick_rate)) {
  rules_->open(world_);
  publish();
  history_.begin(world_, entities_);
  entities_.reserve(history_.lives().capacity());
  hashes_.reserve(entities_.capacity());
}

void Room::tick(const game::TickCommands& commands) {
  const sim::StepReport& report =
      game::step(world_, *rules_, commands, game::Authority::Server, stepper_);
  publish();
  history_.note(world_, entities_, report, stepper_.events);
}

void Room::publish() {
  hash_ = game::state_hash(world_);
  entities_.clear();
  hashes_.clear();
  for (std::size_t i = 0; i < world_.size(); ++i) {
    entities_.push_back(world_.entity(i));
    hashes_.push_back(game::entity_hash(entities_.back()));
  }
}

}  // namespace tickbox::server
