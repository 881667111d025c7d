#pragma once
// A game of walkers on a field of 4,000 fixed pellets.

#include "tickbox/game.h"
#include "tickbox/game_table.h"

#include <cstdint>

namespace tickbox::bench {

/// The seats of a match.
inline constexpr std::uint32_t kWalkers = 16;

enum class Pellets : std::uint8_t {
  None,        ///< an empty field
  OutOfSight,  ///< nobody sees them
  AtRest,      ///< nothing touches them
  ToEat,       ///< walkers eat them, and the server spawns as many again
};

/// Half the extent of a view that has up to 1,024 members: the most that a view can have.
inline constexpr Vec2 kWideSight{20 * kUnit, 12 * kUnit};

/// Returns the game. All walkers begin in the middle of the field.
[[nodiscard]] GameTable pellet_game(Pellets pellets, Vec2 (*sight)(const void* avatar));

}  // namespace tickbox::bench
