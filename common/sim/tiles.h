#pragma once
// Converts a map's grid of tiles to a few static rectangles: a floor of a thousand tiles becomes
// one body.
//
// The method is greedy meshing. Cells are taken row by row from the upper left. The first solid
// cell that is not covered yet grows to the right while cells are solid and uncovered. This run
// then grows downwards while all cells of the next row are solid and uncovered. Every solid cell is
// in exactly one rectangle. The number of rectangles is not always minimal but seldom far from it,
// and the cost is linear. The step is blind to seams, so bodies move as among single tiles. Source:
// Lysenko, Meshing in a Minecraft game (2012).
//
// `engine/map.cpp` uses it for the tiles of a game's map. The arena has none.

#include "sim/body.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// A grid of cells, each solid or empty.
struct TileGrid {
  Vec2 origin;                          ///< the grid's minimum corner, in sub-units
  Vec2 tile;                            ///< the size of one cell, in sub-units
  std::int32_t width = 0;               ///< in cells
  std::int32_t height = 0;              ///< in cells
  std::span<const std::uint8_t> cells;  ///< row by row from the upper left; 0 is empty
};

/// Whether `cells` has width · height entries, and all cells are within the world and none too
/// large.
[[nodiscard]] bool is_within_limits(const TileGrid& grid);

/// Returns rectangles that cover the solid cells, sorted by row and then column of their upper left
/// cells.
///
/// Each rectangle is a copy of `like`, with its own position and size; ids count up from `like.id`.
/// One-way tiles are merged along their solid side only: two rows of platforms stay two platforms.
/// Requires: `grid` within its limits; `like` Static, with enough free ids for all rectangles.
/// Cost: linear in the number of cells.
[[nodiscard]] std::vector<Body> merged_tiles(const TileGrid& grid, const Body& like);

}  // namespace tickbox::sim
