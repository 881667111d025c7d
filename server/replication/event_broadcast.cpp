#include "server/replication/event_broadcast.h"

#include "core/assert.h"
#include "game/entity_state.h"

#include <algorithm>

namespace tickbox::server {
namespace {

std::uint16_t low_bits(std::uint32_t number) {
  return static_cast<std::uint16_t>(number & 0xffff);
}

}  // namespace

void EventBroadcast::gather(const Room& room, std::span<const PlayerId> joins) {
  events_.clear();
  // A player is hit at most once per tick: a hit, a score and a spawn. One who joins has two spawns
  // at most, and its body did not exist when a hit could concern it.
  events_.reserve(3 * room.world().seats().size());
  const game::World& world = room.world();
  const StateAt* before = room.state_after({world.tick.value - 1});
  TICKBOX_ASSERT(before != nullptr);
  for (const PlayerId player : joins) {
    announce_spawn(room, player);
  }
  teleported_.assign(world.seats().size(), false);
  for (const game::Teleport& teleport : room.events().teleports) {
    teleported_[teleport.player.value] = true;
  }
  for (const game::Hit& hit : room.events().hits) {
    const game::EntityState* victim =
        game::find_entity(before->entities, world.body_of(hit.victim));
    const game::EntityState* shooter =
        game::find_entity(before->entities, world.body_of(hit.shooter));
    if (victim == nullptr) continue;
    const std::array places{victim->min, shooter != nullptr ? shooter->min : victim->min};
    events_.push_back({.event = {.subject = hit.shooter,
                                 .what = hit.victim.value,
                                 .kind = protocol::EventKind::Hit},
                       .places = places});
    if (const game::SeatState& seat = world.seat(hit.shooter); seat.taken) {
      events_.push_back({.event = {.subject = hit.shooter,
                                   .what = low_bits(seat.score),
                                   .kind = protocol::EventKind::Score},
                         .places = places});
    }
    announce_teleport(room, hit.victim);
  }
  for (const game::Teleport& teleport : room.events().teleports) {
    announce_teleport(room, teleport.player);
  }
}

void EventBroadcast::announce_teleport(const Room& room, PlayerId player) {
  if (!teleported_[player.value]) return;
  teleported_[player.value] = false;
  announce_spawn(room, player);
}

void EventBroadcast::announce_spawn(const Room& room, PlayerId player) {
  const game::World& world = room.world();
  const game::EntityState* body = game::find_entity(room.entities(), world.body_of(player));
  if (body == nullptr) return;
  events_.push_back({.event = {.subject = player,
                               .what = low_bits(world.seat(player).generation),
                               .kind = protocol::EventKind::Spawn},
                     .places = {body->min, body->min}});
}

bool EventBroadcast::reaches(const RoutedEvent& routed, PlayerId seat, Vec2 place) const {
  const protocol::Event& event = routed.event;
  const bool is_own =
      event.subject == seat || (event.kind == protocol::EventKind::Hit && event.what == seat.value);
  return is_own || std::ranges::any_of(routed.places, [&](Vec2 where) {
           return interest_.keeps_seeing(place, where);
         });
}

}  // namespace tickbox::server
