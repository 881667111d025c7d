#pragma once
// The field of the bomber: cells of one unit, a pillar in every other cell of every other row,
// bricks, and a place for each seat.

#include "tickbox/game.h"

#include <array>
#include <cstdint>

namespace tickbox::games {

/// A cell by its column and row; (0, 0) is the upper left one.
struct Cell {
  std::int32_t x = 0;
  std::int32_t y = 0;

  friend constexpr bool operator==(Cell, Cell) = default;
};

/// The cell of a place on the field.
constexpr Cell cell_at(Vec2 place) {
  return {.x = place.x / kUnit, .y = place.y / kUnit};
}

/// The minimum corner of a box of this size in the middle of a cell.
constexpr Vec2 middle_of(Cell cell, Vec2 size) {
  return {cell.x * kUnit + (kUnit - size.x) / 2, cell.y * kUnit + (kUnit - size.y) / 2};
}

constexpr bool is_pillar(Cell cell) {
  return cell.x % 2 != 0 && cell.y % 2 != 0;
}

/// Directions of a walk: none, right, down, left, up.
inline constexpr std::array<Cell, 5> kWays = {{{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}}};

constexpr Cell step_from(Cell cell, Cell way, std::int32_t steps = 1) {
  return {.x = cell.x + way.x * steps, .y = cell.y + way.y * steps};
}

/// Builds the field for a number of seats. Objects: field (all of it), spawn (the cell of each
/// seat), brick (each cell where one grows; at most 8,000).
void build_field(MapBuilder& map, std::uint32_t seats);

}  // namespace tickbox::games
