#pragma once
// A map's grid of tiles as few static rectangles: a floor of a thousand tiles is then one body, and
// who slides along it meets one.
//
// Greedy meshing: cells are taken row by row from the upper left; the first solid one not covered
// yet is widened to the right as far as cells are solid and uncovered, then that run downwards as
// far as all of it is. Every solid cell lies in exactly one rectangle. It is not always the least
// number of them, but linear, and seldom far from it. As the step does not feel seams, bodies move
// as among single tiles. Source: Lysenko, Meshing in a Minecraft game (2012).
//
// Public API: for games whose maps are made of tiles. No program here has such a map.

#include "sim/body.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// Which cells of a grid are solid.
struct TileGrid {
  Vec2 origin;                          ///< the grid's minimum corner, in sub-units
  Vec2 tile;                            ///< the size of one cell, in sub-units
  std::int32_t width = 0;               ///< in cells
  std::int32_t height = 0;              ///< in cells
  std::span<const std::uint8_t> cells;  ///< row by row from the upper left; 0 is empty
};

/// Whether it has as many cells as it says, all of them within the world and none too large.
[[nodiscard]] bool is_within_limits(const TileGrid& grid);

/// Rectangles that cover the solid cells, by rows and then columns of their upper left ones.
///
/// Each is a copy of `like` but for its place and its id: they are counted on from `like.id`.
/// One-way tiles are merged along their solid side only: rows of platforms stay as many platforms.
/// Requires: `grid` within its limits; `like` Static, and ids left for all.
/// Cost: linear in the number of cells.
[[nodiscard]] std::vector<Body> merged_tiles(const TileGrid& grid, const Body& like);

}  // namespace tickbox::sim
