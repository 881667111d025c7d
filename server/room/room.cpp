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
  publish();
  replication_log_.begin(world_, entities());
  state_history_.reserve(replication_log_.slots().capacity());
}

void Room::tick(const game::TickCommands& commands) {
  const sim::StepReport& report =
      game::step(world_, *rules_, commands, game::Authority::Server, stepper_);
  publish();
  replication_log_.note(world_, entities(), report, stepper_.events);
}

void Room::publish() {
  hash_ = game::state_hash(world_);
  state_history_.note(world_);
}

}  // namespace tickbox::server
