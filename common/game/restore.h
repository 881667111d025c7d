#pragma once
// Makes a world from its fields, ready for the next step.

#include "core/ids.h"
#include "game/entity_state.h"
#include "game/map.h"
#include "game/rules.h"
#include "game/world.h"

#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

namespace tickbox::game {

/// The state of a world beyond its map and rules. Valid as long as the data it was made from.
struct WorldFields {
  Tick tick;
  std::uint64_t random = 0;  ///< state of the random sequence
  std::span<const SeatState> seats;
  std::span<const EntityState> entities;  ///< by id, no id twice
};

/// The reason why fields make no world of this map and these rules.
enum class RestoreError : std::uint8_t {
  WrongSeats,       ///< the number of seats differs from the map's
  UnknownSeat,      ///< a body belongs to a seat that the map does not have
  SeatWithoutBody,  ///< a taken seat has no body, or a player's body has no taken seat
};

[[nodiscard]] std::string_view describe(RestoreError error);

/// Returns the world with these fields.  Fails: RestoreError, when they do not fit `map`.
[[nodiscard]] std::expected<World, RestoreError> restore(const WorldFields& fields,
                                                         const SharedMap& map, const Rules& rules);

}  // namespace tickbox::game
