#pragma once
// The map of a room: statics, spawn points, and the places of crates when the room opens.

#include "core/fixed.h"
#include "sim/statics.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tickbox::game {

/// Thread: immutable once made, so rooms and clients of one process share it.
struct Map {
  sim::SharedStatics statics;
  /// Minimum corners of 1×1 boxes, which differ by at least 2 units on an axis; the busiest first.
  std::vector<Vec2> spawn_points;
  std::vector<Vec2> crates;  ///< minimum corners
  std::uint32_t seats = 0;   ///< players that the map is made for
};

using SharedMap = std::shared_ptr<const Map>;

/// Returns XXH3-64 over the whole map: both ends compare it before the first tick.
[[nodiscard]] std::uint64_t map_hash(const Map& map);

}  // namespace tickbox::game
