#pragma once
// The built-in map, of the arena's layout.

#include "game/map.h"
#include "games/arena/arena_layout.h"

#include <cstdint>

namespace tickbox::game {

/// Makes the built-in map. Requires: 1 ≤ seats ≤ kSeatsMax.
[[nodiscard]] SharedMap make_arena_map(std::uint32_t seats);

}  // namespace tickbox::game
