#include "game/restore.h"

#include "sim/crowding.h"

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
    case RestoreError::ImpossibleEntity:
      return "a keyframe has a body in a state that the game does not have";
    case RestoreError::Overlap:
      return "a keyframe has bodies that overlap";
    case RestoreError::TooManyPairs:
      return "a keyframe has too many bodies in one place";
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
  const bool all_valid = std::ranges::all_of(fields.entities, [&](const EntityState& entity) {
    return rules.is_valid(entity, *map, fields.tick);
  });
  if (!all_valid) {
    return std::unexpected{RestoreError::ImpossibleEntity};
  }
  World world{map, rules.settings(), fields.random};
  world.tick = fields.tick;
  std::ranges::copy(fields.seats, world.seats().begin());
  for (const EntityState& entity : fields.entities) {
    world.add(rules.body_for(entity), entity.traits);
  }
  const auto crowded = sim::find_crowded_body(
      world.physics(), {.overlaps_per_body = 0, .pairs = kRestoredPairsMax},
      [&rules](const sim::Body& a, const sim::Body& b) { return rules.may_overlap(a, b); });
  if (crowded) {
    return std::unexpected{crowded->limit == sim::Crowding::Overlaps ? RestoreError::Overlap
                                                                     : RestoreError::TooManyPairs};
  }
  return world;
}

}  // namespace tickbox::game
