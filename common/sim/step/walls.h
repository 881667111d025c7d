#pragma once
// What never moves and lies in a mover's way: the statics near its path, and the world's border.

#include "sim/step/impact.h"
#include "sim/step/neighbour_cache.h"
#include "sim/step/pairs.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// An impact on a static or on the border.
struct WallHit {
  Impact impact;
  BodyId id;
  std::uint32_t wall = kNoWall;  ///< index of the static
  bool is_dull = false;          ///< see Wall; the border is not
  bool found = false;

  static constexpr std::uint32_t kNoWall = 0xffff'ffff;  ///< the border
};

/// The statics near the first path of each mover.
struct WallsNear {
  NeighbourCache cache;
  std::vector<Wall> walls;               ///< by mover
  std::vector<std::uint32_t> first;      ///< of each mover in `walls`, and the end
  std::vector<std::uint8_t> is_partial;  ///< by mover: `walls` has not all, its path is walked

  [[nodiscard]] std::span<const Wall> of(std::uint32_t mover) const {
    return std::span{walls}.subspan(first[mover], first[mover + 1] - first[mover]);
  }

  void reserve(std::size_t movers) {
    constexpr std::size_t kWallsPerMover = 8;
    cache.reserve(movers);
    reserve_all(movers, first, is_partial);
    walls.reserve(kWallsPerMover * movers);
  }

  void start(const Statics& statics, std::size_t movers) {
    cache.start(statics, movers);
    first.resize(movers + 1);
    is_partial.resize(movers);
  }
};

}  // namespace tickbox::sim
