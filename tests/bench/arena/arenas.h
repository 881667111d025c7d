#pragma once
// The arena with other sights and maps than its own.

#include "tickbox/game.h"
#include "tickbox/game_table.h"

namespace tickbox::bench {

/// How far a player sees: `kUnits` units to each side.
template <int kUnits>
[[nodiscard]] Vec2 sight_of(const void* /*avatar*/) {
  return {kUnits * kUnit, kUnits * kUnit};
}

using SightHook = Vec2 (*)(const void* avatar);
using MapHook = void (*)(MapBuilder& builder, const MapOptions& options);

/// Returns the arena with this sight, and with this map if it is given.
[[nodiscard]] GameTable arena_with(SightHook sight, MapHook map = nullptr);

/// A walled yard of 40 by 40 units without crates, where 64 players soon run into each other: 25
/// square units for each of them. The arena's own map has a hundred, and walls inside.
void make_yard(MapBuilder& builder, const MapOptions& options);

/// An open field with as few spawn points as the seats need, two units apart.
void make_field(MapBuilder& builder, const MapOptions& options);

}  // namespace tickbox::bench
