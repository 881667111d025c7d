#pragma once
// From the fields of a world back to a world that steps on.

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

/// Everything of a world that its map and rules do not tell. Valid as long as what it was made of.
struct WorldFields {
  Tick tick;
  std::uint64_t random = 0;  ///< state of the random sequence
  std::span<const Seat> seats;
  std::span<const EntityState> entities;  ///< by id, no id twice
};

/// Why fields make no world of this map and these rules.
enum class RestoreError : std::uint8_t {
  WrongSeats,       ///< other seats than the map has
  UnknownSeat,      ///< a body of a seat that the map has not
  SeatWithoutBody,  ///< a taken seat and its player's body do not go together
};

[[nodiscard]] std::string_view describe(RestoreError error);

/// The world of these fields.
[[nodiscard]] std::expected<World, RestoreError> restore(const WorldFields& fields,
                                                         const SharedMap& map, const Rules& rules);

}  // namespace tickbox::game
