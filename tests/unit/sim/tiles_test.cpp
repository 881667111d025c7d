// A grid of tiles becomes few rectangles, and small grids become the expected ones. The rectangles
// cover exactly the solid cells. That a seam stops nobody is a law of tests/property.

#include "sim/tiles.h"

#include "core/rng.h"
#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tickbox::test::tiles_test {
namespace {

using sim::Body;
using sim::TileGrid;

constexpr std::uint32_t kFirstId = 100;

/// Cells drawn as text: '#' is solid, '/' ends a row.
std::vector<std::uint8_t> drawn(std::string_view picture) {
  std::vector<std::uint8_t> cells;
  for (const char c : picture) {
    if (c != '/') cells.push_back(c == '#' ? 1 : 0);
  }
  return cells;
}

/// A grid at (0, 0) of tiles of one sub-unit.
std::vector<Body> merged(std::int32_t width, const std::vector<std::uint8_t>& cells,
                         sim::OneWay one_way = sim::OneWay::None) {
  const auto height = static_cast<std::int32_t>(cells.size()) / width;
  Body like = wall(kFirstId, {}, {1, 1});
  like.one_way = one_way;
  return merged_tiles({.tile = {1, 1}, .width = width, .height = height, .cells = cells}, like);
}

struct Rect {
  Vec2 min;
  Vec2 size;

  friend bool operator==(const Rect&, const Rect&) = default;
};

std::vector<Rect> rects(const std::vector<Body>& bodies) {
  std::vector<Rect> found;
  found.reserve(bodies.size());
  for (const Body& body : bodies) {
    found.push_back({body.min, body.size});
  }
  return found;
}

TEST(Tiles, MakeARoomOfFourRectangles) {
  EXPECT_EQ(
      rects(merged(5, drawn("#####/#...#/#...#/#####"))),
      (std::vector<Rect>{{{0, 0}, {5, 1}}, {{0, 1}, {1, 3}}, {{4, 1}, {1, 3}}, {{1, 3}, {3, 1}}}));
}

TEST(Tiles, GrowToTheRightFirstAndThenDown) {
  EXPECT_EQ(rects(merged(3, drawn("##./###/###"))),
            (std::vector<Rect>{{{0, 0}, {2, 3}}, {{2, 1}, {1, 2}}}));
}

TEST(Tiles, AreNothingWhereNothingIsSolid) {
  EXPECT_TRUE(merged(3, drawn("...")).empty());
  EXPECT_TRUE(merged_tiles({.tile = {1, 1}}, wall(1, {}, {1, 1})).empty());
}

TEST(Tiles, AreCopiesOfOneBodyWithIdsThatCountOn) {
  const std::vector<std::uint8_t> cells = drawn("#.#");
  Body like = wall(7, {}, {1, 1});
  like.friction = 9;
  like.layers = 6;
  const std::vector<Body> bodies = merged_tiles(
      {.origin = {-50, 20}, .tile = {10, 4}, .width = 3, .height = 1, .cells = cells}, like);
  ASSERT_EQ(bodies.size(), 2U);
  Body second = like;
  second.id = {8};
  second.min = {-30, 20};
  second.size = {10, 4};
  EXPECT_EQ(bodies[1], second);
}

TEST(Tiles, KeepEveryRowOfOneWayPlatforms) {
  const std::vector<std::uint8_t> block = drawn("###/###");
  for (const sim::OneWay side : {sim::OneWay::Up, sim::OneWay::Down}) {
    EXPECT_EQ(rects(merged(3, block, side)),
              (std::vector<Rect>{{{0, 0}, {3, 1}}, {{0, 1}, {3, 1}}}));
  }
  for (const sim::OneWay side : {sim::OneWay::Left, sim::OneWay::Right}) {
    EXPECT_EQ(rects(merged(3, block, side)),
              (std::vector<Rect>{{{0, 0}, {1, 2}}, {{1, 0}, {1, 2}}, {{2, 0}, {1, 2}}}));
  }
}

TEST(Tiles, NeverGrowBeyondTheLargestBody) {
  constexpr std::int32_t kTile = sim::kSizeLimit / 4;
  const std::vector<std::uint8_t> cells(8, 1);
  const std::vector<Body> bodies = merged_tiles(
      {.origin = {-kWorldLimit, 0}, .tile = {kTile, 1}, .width = 8, .height = 1, .cells = cells},
      wall(1, {}, {1, 1}));
  EXPECT_EQ(rects(bodies), (std::vector<Rect>{{{-kWorldLimit, 0}, {sim::kSizeLimit, 1}},
                                              {{0, 0}, {sim::kSizeLimit, 1}}}));
}

TEST(Tiles, AreRefusedWhereTheyLeaveTheWorldOrAreMiscounted) {
  const std::vector<std::uint8_t> cells(6, 1);
  const TileGrid good = {
      .origin = {kWorldLimit - 30, 0}, .tile = {10, 10}, .width = 3, .height = 2, .cells = cells};
  EXPECT_TRUE(is_within_limits(good));
  TileGrid grid = good;
  grid.origin.x += 1;
  EXPECT_FALSE(is_within_limits(grid));
  grid = good;
  grid.height = 3;
  EXPECT_FALSE(is_within_limits(grid));
  grid = good;
  grid.tile.y = 0;
  EXPECT_FALSE(is_within_limits(grid));
  grid = good;
  grid.width = -3;
  grid.height = -2;
  EXPECT_FALSE(is_within_limits(grid));
}

struct RandomGrid {
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::vector<std::uint8_t> cells;
};

RandomGrid draw_grid(Rng& rng) {
  RandomGrid grid;
  grid.width = static_cast<std::int32_t>(1 + rng.below(30));
  grid.height = static_cast<std::int32_t>(1 + rng.below(30));
  const std::uint64_t percent = 5 + rng.below(90);
  const std::int32_t clumps = rng.chance(1, 2) ? 3 : 1;
  for (std::int32_t y = 0; y < grid.height; ++y) {
    for (std::int32_t x = 0; x < grid.width; ++x) {
      const bool repeats = x % clumps != 0;
      grid.cells.push_back(repeats ? grid.cells.back() : std::uint8_t{rng.below(100) < percent});
    }
  }
  return grid;
}

/// How many of `bodies` lie on each cell.
std::vector<std::uint8_t> painted(const RandomGrid& grid, const std::vector<Body>& bodies) {
  std::vector<std::uint8_t> cells(grid.cells.size(), 0);
  for (const Body& body : bodies) {
    for (std::int32_t y = body.min.y; y < body.min.y + body.size.y; ++y) {
      for (std::int32_t x = body.min.x; x < body.min.x + body.size.x; ++x) {
        const std::int32_t cell = y * grid.width + x;
        ++cells[static_cast<std::size_t>(cell)];
      }
    }
  }
  return cells;
}

TEST(Tiles, CoverEverySolidCellOnceAndNoOther) {
  std::ptrdiff_t rectangles = 0;
  std::ptrdiff_t solid = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Rng rng{seed};
    const RandomGrid grid = draw_grid(rng);
    const std::vector<Body> bodies = merged(grid.width, grid.cells);
    ASSERT_EQ(painted(grid, bodies), grid.cells) << "seed " << seed;
    rectangles += std::ssize(bodies);
    solid += std::ranges::count(grid.cells, 1);
  }
  EXPECT_LT(rectangles * 2, solid);
}

}  // namespace
}  // namespace tickbox::test::tiles_test
