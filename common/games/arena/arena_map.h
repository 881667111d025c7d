#pragma once
// The built-in map: a walled field of 16-unit blocks with thick and thin walls, as large as its
// seats ask.

#include "game/map.h"

#include <cstdint>

namespace tickbox::game {

/// A player of the arena, and the free space that each spawn place has.
inline constexpr Vec2 kPlayerSize{kUnit, kUnit};

/// Requires: 1 ≤ seats ≤ kSeatsMax. There are at least 4 places to appear at for each seat, so that
/// even with every player, bullet and crate standing on one of them another is free.
[[nodiscard]] SharedMap make_arena_map(std::uint32_t seats);

}  // namespace tickbox::game
