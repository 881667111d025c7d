#include "games/arena/layout.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>

namespace tickbox::games {
namespace {

constexpr std::int32_t kBlock = 16 * kUnit;
constexpr std::int32_t kThin = kUnit / 10;
constexpr std::int32_t kBorder = 2 * kUnit;
constexpr std::int32_t kSpawnSpacing = 3 * kUnit;
constexpr Vec2 kCrateInBlock{10 * kUnit + kUnit / 2, 10 * kUnit + kUnit / 2};

/// Spawn points for each seat. With at most one body on each, a seat can occupy four: its player
/// and its bullets in flight.
constexpr std::size_t kSpawnPointsPerSeat = 5;

using Wall = ArenaWall;

constexpr Wall box_of_units(std::int32_t x, std::int32_t y, std::int32_t width,
                            std::int32_t height) {
  return {.min = {x * kUnit, y * kUnit}, .size = {width * kUnit, height * kUnit}};
}

/// The walls of a block, four kinds in turn: a beam and a thin wall; the same turned; a pillar and
/// a thin corner; a row of single tiles (whose seams must not stop a body) and a thin wall.
using BlockWalls = std::array<Wall, 5>;
constexpr std::array<BlockWalls, 4> kBlockWalls = {{
    {{{.min = {3 * kUnit, 7 * kUnit + kUnit / 2}, .size = {8 * kUnit, kUnit}},
      {.min = {13 * kUnit, 4 * kUnit}, .size = {kThin, 8 * kUnit}}}},
    {{{.min = {7 * kUnit + kUnit / 2, 3 * kUnit}, .size = {kUnit, 8 * kUnit}},
      {.min = {4 * kUnit, 13 * kUnit}, .size = {8 * kUnit, kThin}}}},
    {{box_of_units(7, 7, 2, 2),
      {.min = {3 * kUnit, 3 * kUnit}, .size = {4 * kUnit, kThin}},
      {.min = {3 * kUnit, 3 * kUnit + kThin}, .size = {kThin, 4 * kUnit}}}},
    {{box_of_units(4, 5, 1, 1),
      box_of_units(5, 5, 1, 1),
      box_of_units(6, 5, 1, 1),
      box_of_units(7, 5, 1, 1),
      {.min = {12 * kUnit, 8 * kUnit}, .size = {kThin, 5 * kUnit}}}},
}};

bool overlap(const Wall& a, const Wall& b) {
  return a.min.x < b.min.x + b.size.x && b.min.x < a.min.x + a.size.x &&
         a.min.y < b.min.y + b.size.y && b.min.y < a.min.y + a.size.y;
}

void add_border(std::vector<Wall>& walls, std::int32_t half) {
  const std::int32_t side = 2 * half;
  walls.push_back(
      {.min = {-half - kBorder, -half - kBorder}, .size = {side + 2 * kBorder, kBorder}});
  walls.push_back({.min = {-half - kBorder, half}, .size = {side + 2 * kBorder, kBorder}});
  walls.push_back({.min = {-half - kBorder, -half}, .size = {kBorder, side}});
  walls.push_back({.min = {half, -half}, .size = {kBorder, side}});
}

/// Returns every free place of a 3-unit grid, from the middle outwards.
std::vector<Vec2> free_places(const ArenaLayout& layout, std::int32_t half) {
  std::vector<Vec2> places;
  for (std::int32_t y = -half + kUnit; y + kUnit <= half; y += kSpawnSpacing) {
    for (std::int32_t x = -half + kUnit; x + kUnit <= half; x += kSpawnSpacing) {
      const Wall place{.min = {x, y}, .size = kPlayerSize};
      const bool on_wall = std::ranges::any_of(
          layout.walls, [&place](const Wall& wall) { return overlap(place, wall); });
      const bool on_crate = std::ranges::any_of(layout.crates, [&place](Vec2 crate) {
        return overlap(place, {.min = crate, .size = kCrateSize});
      });
      if (!on_wall && !on_crate) places.push_back({x, y});
    }
  }
  const auto order = [](Vec2 place) {
    const std::int64_t x = place.x + kUnit / 2;
    const std::int64_t y = place.y + kUnit / 2;
    return std::tuple{x * x + y * y, y, x};
  };
  std::ranges::sort(places, {}, order);
  return places;
}

void add_block(std::vector<Wall>& walls, const BlockWalls& block, Vec2 corner) {
  for (const Wall& wall : block) {
    if (wall.size.x == 0) continue;
    walls.push_back({.min = {corner.x + wall.min.x, corner.y + wall.min.y}, .size = wall.size});
  }
}

ArenaLayout make_square(std::int32_t blocks) {
  ArenaLayout layout;
  const std::int32_t half = blocks * kBlock / 2;
  add_border(layout.walls, half);
  for (std::int32_t row = 0; row < blocks; ++row) {
    for (std::int32_t column = 0; column < blocks; ++column) {
      const Vec2 corner{column * kBlock - half, row * kBlock - half};
      const auto kind = static_cast<std::size_t>(column + 3 * row) % kBlockWalls.size();
      add_block(layout.walls, kBlockWalls[kind], corner);
      layout.crates.push_back({corner.x + kCrateInBlock.x, corner.y + kCrateInBlock.y});
    }
  }
  layout.spawn_points = free_places(layout, half);
  return layout;
}

}  // namespace

ArenaLayout make_arena_layout(std::uint32_t seats) {
  // About 26 of a block's 28 places are free. The search begins with a size that has enough if 18
  // are, and grows until there are enough.
  std::int32_t blocks = 2;
  while (static_cast<std::size_t>(blocks * blocks) * 18 < kSpawnPointsPerSeat * seats) {
    ++blocks;
  }
  for (;; ++blocks) {
    ArenaLayout layout = make_square(blocks);
    if (layout.spawn_points.size() >= kSpawnPointsPerSeat * seats + layout.crates.size()) {
      return layout;
    }
  }
}

}  // namespace tickbox::games
