#include "games/bomber/field.h"

#include <algorithm>

namespace tickbox::games {
namespace {

/// The cells from the place of one seat to the next. The number is even, so no place is a pillar.
constexpr std::int32_t kSpacing = 8;
/// A room holds 16,384 entities: with this number of bricks there is space for bombs and flames.
constexpr std::int32_t kBricksMost = 8'000;
constexpr Vec2 kCell{kUnit, kUnit};

/// Whether a place is in this cell or in one beside it: its player must have room for a bomb.
bool is_near_place(Cell cell) {
  const std::int32_t x = cell.x % kSpacing;
  const std::int32_t y = cell.y % kSpacing;
  return std::min(x, kSpacing - x) + std::min(y, kSpacing - y) <= 1;
}

/// Bricks are in about two thirds of the cells without pillars, in no order that is easily seen.
bool has_brick(Cell cell) {
  const std::int32_t mixed = cell.x * 31 + cell.y * 17 + cell.x * cell.y * 7;
  return mixed % 11 % 3 != 0;
}

}  // namespace

void build_field(MapBuilder& map, std::uint32_t seats) {
  std::int32_t columns = 2;
  while (columns * columns < static_cast<std::int32_t>(seats)) {
    ++columns;
  }
  const std::int32_t cells = (columns - 1) * kSpacing + 1;
  map.object("field", {}, {cells * kUnit, cells * kUnit});
  map.border({}, {cells * kUnit, cells * kUnit}, Border::Solid);
  for (std::int32_t seat = 0; seat < static_cast<std::int32_t>(seats); ++seat) {
    const Cell cell{.x = seat % columns * kSpacing, .y = seat / columns * kSpacing};
    map.object("spawn", middle_of(cell, kCell), kCell);
  }
  std::int32_t bricks = 0;
  for (Cell cell; cell.y < cells; ++cell.y) {
    for (cell.x = 0; cell.x < cells; ++cell.x) {
      if (is_pillar(cell)) {
        map.solid(middle_of(cell, kCell), kCell);
      } else if (has_brick(cell) && !is_near_place(cell) && bricks < kBricksMost) {
        map.object("brick", middle_of(cell, kCell), kCell);
        ++bricks;
      }
    }
  }
}

}  // namespace tickbox::games
