#pragma once
// A game whose players have views of another extent.

#include "core/fixed.h"
#include "tickbox/game_table.h"

#include <cstdint>

namespace tickbox::tests {

/// Half the extent of every player's view, in units.
template <std::int32_t HalfWidth, std::int32_t HalfHeight>
[[nodiscard]] Vec2 sight_of(const void* /*avatar*/) {
  return {HalfWidth * kUnit, HalfHeight * kUnit};
}

/// Returns the same game with another sight.
[[nodiscard]] inline GameTable with_sight(const GameTable& game,
                                          Vec2 (*sight)(const void* avatar)) {
  GameTable other = game;
  other.sight = sight;
  return other;
}

}  // namespace tickbox::tests
