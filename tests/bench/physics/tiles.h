#pragma once
// Unit tiles on a grid, and the fewer rectangles that cover the same ground.

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::bench {

/// A square of one unit; its corner with the least x and y.
struct Tile {
  std::int32_t x = 0;
  std::int32_t y = 0;

  friend bool operator==(const Tile&, const Tile&) = default;
};

/// Whole units.
struct TileRect {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t width = 1;
  std::int32_t height = 1;

  friend bool operator==(const TileRect&, const TileRect&) = default;
};

/// Rows of neighbours made one, then equal rows above each other; in the order of y, then x.
/// Requires: no tile twice.  Cost: two sorts.
[[nodiscard]] std::vector<TileRect> merge_tiles(std::span<const Tile> tiles);

}  // namespace tickbox::bench
