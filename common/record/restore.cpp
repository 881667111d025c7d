#include "record/restore.h"

#include <algorithm>
#include <utility>

namespace tickbox::record {
namespace {

/// The rules find a player's body by its seat and a seat by a body, so neither may stand alone.
bool seats_fit_bodies(const Keyframe& keyframe) {
  const auto taken = std::ranges::count_if(keyframe.seats, &game::Seat::taken);
  std::ptrdiff_t players = 0;
  for (const game::EntityState& entity : keyframe.entities) {
    if (entity.traits.kind != game::EntityKind::Player) {
      continue;
    }
    const PlayerId player = game::player_of(entity.id);
    const game::Seat& seat = keyframe.seats[player.value];
    if (!seat.taken || game::player_body(player, seat.generation) != entity.id) {
      return false;
    }
    ++players;
  }
  return players == taken;
}

}  // namespace

std::string_view describe(RestoreError error) {
  switch (error) {
    case RestoreError::WrongSeats:
      return "a keyframe has other seats than the map";
    case RestoreError::UnknownSeat:
      return "a keyframe has a body of a seat that the map has not";
    case RestoreError::SeatWithoutBody:
      return "a keyframe has a taken seat without its body, or a body without its seat";
  }
  std::unreachable();
}

std::expected<game::World, RestoreError> restore(const Keyframe& keyframe,
                                                 const game::SharedMap& map,
                                                 const game::Rules& rules) {
  if (keyframe.seats.size() != map->seats) {
    return std::unexpected{RestoreError::WrongSeats};
  }
  const bool seats_known =
      std::ranges::all_of(keyframe.entities, [&](const game::EntityState& entity) {
        return entity.traits.kind == game::EntityKind::Crate ||
               game::player_of(entity.id).value < map->seats;
      });
  if (!seats_known) {
    return std::unexpected{RestoreError::UnknownSeat};
  }
  if (!seats_fit_bodies(keyframe)) {
    return std::unexpected{RestoreError::SeatWithoutBody};
  }
  game::World world{map, rules.settings(), keyframe.random};
  world.tick = keyframe.tick;
  std::ranges::copy(keyframe.seats, world.seats().begin());
  for (const game::EntityState& entity : keyframe.entities) {
    world.add(rules.body_for(entity), entity.traits);
  }
  return world;
}

}  // namespace tickbox::record
