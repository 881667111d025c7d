#include "sim/tiles.h"

#include "core/assert.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace tickbox::sim {
namespace {

/// A rectangle of cells; the ends are excluded.
struct CellRect {
  std::int32_t left = 0;
  std::int32_t top = 0;
  std::int32_t right = 0;
  std::int32_t bottom = 0;
};

/// The solid cells of a grid that no rectangle covers yet.
class Uncovered {
 public:
  explicit Uncovered(const TileGrid& grid)
      : width_(grid.width), cells_(grid.cells.begin(), grid.cells.end()) {}

  [[nodiscard]] bool has(std::int32_t x, std::int32_t y) const { return *row(x, y) != 0; }

  [[nodiscard]] bool has_all(std::int32_t left, std::int32_t right, std::int32_t y) const {
    const auto first = row(left, y);
    return std::all_of(first, first + (right - left), [](std::uint8_t cell) { return cell != 0; });
  }

  void cover(const CellRect& rect) {
    for (std::int32_t y = rect.top; y < rect.bottom; ++y) {
      const auto first = cells_.begin() + (row(rect.left, y) - cells_.cbegin());
      std::fill(first, first + (rect.right - rect.left), std::uint8_t{0});
    }
  }

 private:
  [[nodiscard]] std::vector<std::uint8_t>::const_iterator row(std::int32_t x,
                                                              std::int32_t y) const {
    return cells_.begin() + (std::ptrdiff_t{y} * width_ + x);
  }

  std::int32_t width_;
  std::vector<std::uint8_t> cells_;
};

/// Returns the widest, then highest, rectangle of uncovered cells with its upper left cell at (x,
/// y).
CellRect grown_from(std::int32_t x, std::int32_t y, const TileGrid& grid,
                    const Uncovered& uncovered, OneWay one_way) {
  const bool is_wide = one_way != OneWay::Left && one_way != OneWay::Right;
  const bool is_high = one_way != OneWay::Up && one_way != OneWay::Down;
  const std::int64_t columns = is_wide ? kSizeLimit / grid.tile.x : 1;
  const std::int64_t rows = is_high ? kSizeLimit / grid.tile.y : 1;
  const auto end_x = static_cast<std::int32_t>(std::min<std::int64_t>(grid.width, x + columns));
  const auto end_y = static_cast<std::int32_t>(std::min<std::int64_t>(grid.height, y + rows));

  CellRect rect{x, y, x + 1, y + 1};
  while (rect.right < end_x && uncovered.has(rect.right, y)) {
    ++rect.right;
  }
  while (rect.bottom < end_y && uncovered.has_all(rect.left, rect.right, rect.bottom)) {
    ++rect.bottom;
  }
  return rect;
}

}  // namespace

bool is_within_limits(const TileGrid& grid) {
  if (grid.width < 0 || grid.height < 0) return false;
  const Vec2 count = {grid.width, grid.height};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (grid.tile[axis] < 1 || grid.tile[axis] > kSizeLimit) return false;
    if (std::abs(std::int64_t{grid.origin[axis]}) > kWorldLimit) return false;
    const std::int64_t end = grid.origin[axis] + std::int64_t{count[axis]} * grid.tile[axis];
    if (end > kWorldLimit) return false;
  }
  return grid.cells.size() == static_cast<std::uint64_t>(std::int64_t{grid.width} * grid.height);
}

std::vector<Body> merged_tiles(const TileGrid& grid, const Body& like) {
  TICKBOX_ASSERT(is_within_limits(grid) && like.kind == Kind::Static);
  std::vector<Body> bodies;
  Uncovered uncovered{grid};
  for (std::int32_t y = 0; y < grid.height; ++y) {
    for (std::int32_t x = 0; x < grid.width; ++x) {
      if (!uncovered.has(x, y)) continue;
      const CellRect rect = grown_from(x, y, grid, uncovered, like.one_way);
      uncovered.cover(rect);
      Body body = like;
      body.id = {like.id.value + bodies.size()};
      body.min = {grid.origin.x + rect.left * grid.tile.x, grid.origin.y + rect.top * grid.tile.y};
      body.size = {(rect.right - rect.left) * grid.tile.x, (rect.bottom - rect.top) * grid.tile.y};
      TICKBOX_ASSERT(like.id <= body.id && is_within_limits(body));
      bodies.push_back(body);
    }
  }
  return bodies;
}

}  // namespace tickbox::sim
