#pragma once
// The built-in map: a walled field of 16-unit blocks with thick and thin walls. Its size depends on
// the number of seats.

#include "game/map.h"

#include <cstdint>

namespace tickbox::game {

/// The size of a player in the arena, and of the free space at each spawn point.
inline constexpr Vec2 kPlayerSize{kUnit, kUnit};

/// Makes the built-in map.  Requires: 1 ≤ seats ≤ kSeatsMax. It has at least 5 spawn points for
/// each seat, and one more for each crate. So one is free even if every player, bullet and crate is
/// on a spawn point.
[[nodiscard]] SharedMap make_arena_map(std::uint32_t seats);

}  // namespace tickbox::game
