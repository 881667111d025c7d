#pragma once
// Makes a world from its fields, ready for the next step.

#include "core/ids.h"
#include "game/entity_state.h"
#include "game/map.h"
#include "game/rules.h"
#include "game/world.h"

#include <cstddef>
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

/// The most pairs of bodies of a restored world whose paths in the next tick touch. A step looks at
/// each. It takes 2,897 bodies in one place to exceed this; players and crates are never in one
/// place, and walls and players stop such a number of bullets.
inline constexpr std::size_t kRestoredPairsMax = std::size_t{1} << 22;

/// The reason why fields make no world of this map and these rules.
enum class RestoreError : std::uint8_t {
  WrongSeats,        ///< the number of seats differs from the map's
  UnknownSeat,       ///< a body belongs to a seat that the map does not have
  SeatWithoutBody,   ///< a taken seat has no body, or a player's body has no taken seat
  ImpossibleEntity,  ///< no entity of this game has such a state
  Overlap,           ///< two bodies overlap that the step keeps apart
  TooManyPairs,      ///< the paths of more than kRestoredPairsMax pairs of bodies touch
};

[[nodiscard]] std::string_view describe(RestoreError error);

/// Returns the world with these fields. Fails: RestoreError, when no server of this game on `map`
/// can have written them. A server never writes overlaps: bodies appear at free places, and the
/// step keeps them apart. Rules::may_overlap() names the exceptions. Cost: about that of a step,
/// also for fields that an attacker chose.
[[nodiscard]] std::expected<World, RestoreError> restore(const WorldFields& fields,
                                                         const SharedMap& map, const Rules& rules);

}  // namespace tickbox::game
