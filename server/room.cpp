#include "server/room.h"

#include "core/assert.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {
Room::Room(game::SharedMap map, std::shared_ptr<const game::Rules> rules, std::uint64_t seed)
    : rules_(std::move(rules)),
      world_(std::move(map), rules_->settings(), seed),
      touched_(world_.seats().size()) {
  rules_->open(world_);
  publish();
}

void Room::tick(const game::TickCommands& commands) {
  const sim::StepReport& report =
      game::step(world_, *rules_, commands, game::Authority::Server, stepper_);
  for (const PlayerId player : commands.joins) {
    touched_[player.value] = world_.tick;
  }
  note_touched(report);
  publish();
}

void Room::note_touched(const sim::StepReport& report) {
  const auto touch = [&](BodyId body, BodyId by) {
    if (game::has_kind(body, game::EntityKind::Player) && game::is_entity(by)) {
      touched_[game::player_of(body).value] = world_.tick;
    }
  };
  for (const sim::Contact& contact : report.contacts) {
    touch(contact.a, contact.b);
    touch(contact.b, contact.a);
  }
  for (const game::Hit& hit : stepper_.events.hits) {
    touched_[hit.victim.value] = world_.tick;
  }
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

std::uint8_t Room::ticks_since_touched(PlayerId player) const {
  TICKBOX_ASSERT(player.value < touched_.size());
  return static_cast<std::uint8_t>(
      std::min<std::int64_t>(255, world_.tick - touched_[player.value]));
}

}  // namespace tickbox::server
