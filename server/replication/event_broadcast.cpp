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

void EventBroadcast::begin_routes(const Room& room) {
  next_event_.assign(room.world().seats().size(), kNoMore);
  receivers_.clear();
  receivers_.reserve(next_event_.size());
  for (const game::EntityState& entity : room.entities()) {
    if (entity.traits.kind != game::EntityKind::Player) break;  // players are the first by id
    const PlayerId player = game::player_of(entity.id);
    next_event_[player.value] = 0;
    receivers_.push_back({.place = entity.min, .player = player});
  }
  std::ranges::sort(receivers_, {}, [](const Receiver& receiver) { return receiver.place.x; });
}

/// Returns the receivers that are near enough along x to see `place`.
std::span<const EventBroadcast::Receiver> EventBroadcast::receivers_near(Vec2 place) const {
  const std::int64_t width = interest_.keeps_seeing_width();
  const auto x_of = [](const Receiver& receiver) { return std::int64_t{receiver.place.x}; };
  const auto first = std::ranges::lower_bound(receivers_, place.x - width, {}, x_of);
  const auto end = std::ranges::upper_bound(receivers_, place.x + width, {}, x_of);
  return {first, end};
}

void EventBroadcast::remove_done_receivers() {
  std::erase_if(receivers_, [this](const Receiver& receiver) {
    return next_event_[receiver.player.value] == kNoMore;
  });
}

}  // namespace tickbox::server
