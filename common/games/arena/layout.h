#pragma once
// The layout of the arena's map: a walled field of 16-unit blocks with thick and thin walls, crates
// and spawn points. Its size depends on the number of seats.

#include "tickbox/units.h"

#include <cstdint>
#include <vector>

namespace tickbox::games {

/// The size of a player in the arena, and of the free space at each spawn point.
inline constexpr Vec2 kPlayerSize{kUnit, kUnit};
inline constexpr Vec2 kCrateSize{kUnit, kUnit};

struct ArenaWall {
  Vec2 min;
  Vec2 size;
};

struct ArenaLayout {
  std::vector<ArenaWall> walls;
  std::vector<Vec2> crates;        ///< minimum corners
  std::vector<Vec2> spawn_points;  ///< minimum corners; the middle of the map first
};

/// Makes the layout. Requires: 1 ≤ seats. It has at least 5 spawn points for each seat, and one
/// more for each crate. So one is free even if every player, bullet and crate is on a spawn point.
[[nodiscard]] ArenaLayout make_arena_layout(std::uint32_t seats);

}  // namespace tickbox::games
