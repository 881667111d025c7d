#include "game/restore.h"

#include <algorithm>
#include <utility>

namespace tickbox::game {
namespace {

/// Returns whether each taken seat has its player's body, and each such body its seat. The rules
/// find one by the other, so neither may exist alone.
bool seats_fit_bodies(const WorldFields& fields) {
  const auto taken = std::ranges::count_if(fields.seats, &SeatState::taken);
  std::ptrdiff_t players = 0;
  for (const EntityState& entity : fields.entities) {
    if (entity.traits.kind != EntityKind::Player) {
      continue;
    }
    const PlayerId player = player_of(entity.id);
    const SeatState& seat = fields.seats[player.value];
    if (!seat.taken || player_body(player, seat.generation) != entity.id) {
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

std::expected<World, RestoreError> restore(const WorldFields& fields, const SharedMap& map,
                                           const Rules& rules) {
  if (fields.seats.size() != map->seats) {
    return std::unexpected{RestoreError::WrongSeats};
  }
  const bool seats_known = std::ranges::all_of(fields.entities, [&](const EntityState& entity) {
    return entity.traits.kind == EntityKind::Crate || player_of(entity.id).value < map->seats;
  });
  if (!seats_known) {
    return std::unexpected{RestoreError::UnknownSeat};
  }
  if (!seats_fit_bodies(fields)) {
    return std::unexpected{RestoreError::SeatWithoutBody};
  }
  World world{map, rules.settings(), fields.random};
  world.tick = fields.tick;
  std::ranges::copy(fields.seats, world.seats().begin());
  for (const EntityState& entity : fields.entities) {
    world.add(rules.body_for(entity), entity.traits);
  }
  return world;
}

}  // namespace tickbox::game
