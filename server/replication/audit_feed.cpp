#include "server/replication/audit_feed.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::server {

void AuditFeed::begin(const game::World& world) {
  if (told_ == world.tick) return;
  told_ = world.tick;
  const std::size_t seats = world.seats().size();
  tick_.leaves.reserve(seats);
  tick_.joins.reserve(seats);
  tick_.inputs.reserve(seats);
  tick_bytes_.reserve(protocol::tick_entry_bytes_max(seats));
  held_.assign(seats, 0);
  for (std::size_t i = 0; i < world.size(); ++i) {
    const game::EntityState entity = world.entity(i);
    if (entity.traits.kind != game::EntityKind::Player) continue;
    held_[game::player_of(entity.id).value] = entity.traits.move;
  }
}

ConstBytes AuditFeed::tick(Tick told, const game::TickCommands& commands, std::uint64_t hash) {
  TICKBOX_ASSERT(follows(told));
  told_ = told;
  tick_.clear();
  tick_.state_hash = hash;
  tick_.leaves.assign(commands.leaves.begin(), commands.leaves.end());
  tick_.joins.assign(commands.joins.begin(), commands.joins.end());
  for (const PlayerId player : commands.joins) {
    held_[player.value] = 0;
  }
  for (const game::PlayerInput& input : commands.inputs) {
    std::uint8_t& held = held_[input.player.value];
    if (const auto news = protocol::news_of(input, held)) {
      held = news->move.value_or(held);
      const auto strike = std::ranges::find(commands.strikes, input.player, &game::Strike::shooter);
      tick_.inputs.push_back(*news);
      if (strike != commands.strikes.end()) tick_.inputs.back().strikes = strike->victim;
    }
  }
  tick_bytes_.clear();
  protocol::encode_tick(tick_, tick_bytes_);
  return tick_bytes_;
}

ConstBytes AuditFeed::keyframe(const Room& room) {
  const game::World& world = room.world();
  keyframe_.tick = world.tick;
  keyframe_.state_hash = room.hash();
  keyframe_.random = world.rng.state();
  keyframe_.seats.assign(world.seats().begin(), world.seats().end());
  keyframe_.entities.assign(room.entities().begin(), room.entities().end());
  keyframe_bytes_.clear();
  protocol::encode_keyframe(keyframe_, keyframe_bytes_);
  return keyframe_bytes_;
}

}  // namespace tickbox::server
