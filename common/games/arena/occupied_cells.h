#pragma once
// Which cells of a world may have a body: a hit then draws a free place without a walk over all
// bodies.

#include "game/world.h"
#include "games/arena/arena_map.h"

#include <bitset>
#include <cstddef>
#include <cstdint>

namespace tickbox::game {

/// A bit for each cell of one square unit. Cells that are 512 units apart share a bit. A bit that
/// is set says only that the cell may have a body.
class OccupiedCells {
 public:
  /// Requires: no body is larger than a player.
  explicit OccupiedCells(const World& world) {
    for (const sim::Body& body : world.physics().movers()) {
      add(body.min);
    }
  }

  /// Adds a body by its minimum corner.
  void add(Vec2 min) { cells_.set(index_of(min.x / kUnit, min.y / kUnit)); }

  /// Returns whether a body may overlap a player at `place`; if false, none does.
  [[nodiscard]] bool may_overlap(Vec2 place) const {
    const Vec2 first{(place.x - kPlayerSize.x) / kUnit, (place.y - kPlayerSize.y) / kUnit};
    const Vec2 last{(place.x + kPlayerSize.x) / kUnit, (place.y + kPlayerSize.y) / kUnit};
    for (std::int32_t y = first.y; y <= last.y; ++y) {
      for (std::int32_t x = first.x; x <= last.x; ++x) {
        if (cells_.test(index_of(x, y))) return true;
      }
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kSide = 512;  ///< units

  [[nodiscard]] static std::size_t index_of(std::int32_t x, std::int32_t y) {
    return static_cast<std::uint32_t>(y) % kSide * kSide + static_cast<std::uint32_t>(x) % kSide;
  }

  std::bitset<std::size_t{kSide} * kSide> cells_;
};

}  // namespace tickbox::game
