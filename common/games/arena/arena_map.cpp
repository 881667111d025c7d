#include "games/arena/arena_map.h"

#include "core/assert.h"
#include "game/entity_state.h"
#include "sim/box.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <tuple>
#include <utility>

namespace tickbox::game {
namespace {

constexpr std::int32_t kBlock = 16 * kUnit;
constexpr std::int32_t kThin = kUnit / 10;
constexpr std::int32_t kBorder = 2 * kUnit;
constexpr std::int32_t kSpawnSpacing = 3 * kUnit;
constexpr Vec2 kCrateInBlock{10 * kUnit + kUnit / 2, 10 * kUnit + kUnit / 2};

/// Spawn points for each seat. With at most one body on each, a seat can occupy four: its player
/// and its bullets in flight.
constexpr std::size_t kSpawnPointsPerSeat = 5;

struct Wall {
  Vec2 min;
  Vec2 size;
};

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

void add_static(std::vector<sim::Body>& statics, const Wall& wall) {
  statics.push_back({.id = {static_cast<std::uint32_t>(3U << 30 | statics.size())},
                     .kind = sim::Kind::Static,
                     .min = wall.min,
                     .size = wall.size});
}

void add_border(std::vector<sim::Body>& statics, std::int32_t half) {
  const std::int32_t side = 2 * half;
  add_static(statics,
             {.min = {-half - kBorder, -half - kBorder}, .size = {side + 2 * kBorder, kBorder}});
  add_static(statics, {.min = {-half - kBorder, half}, .size = {side + 2 * kBorder, kBorder}});
  add_static(statics, {.min = {-half - kBorder, -half}, .size = {kBorder, side}});
  add_static(statics, {.min = {half, -half}, .size = {kBorder, side}});
}

/// Returns every free place of a 3-unit grid, from the middle outwards.
std::vector<Vec2> free_places(const std::vector<sim::Body>& statics,
                              const std::vector<Vec2>& crates, std::int32_t half) {
  std::vector<Vec2> places;
  for (std::int32_t y = -half + kUnit; y + kUnit <= half; y += kSpawnSpacing) {
    for (std::int32_t x = -half + kUnit; x + kUnit <= half; x += kSpawnSpacing) {
      const sim::Box place = sim::box_of({x, y}, kPlayerSize);
      const bool on_static = std::ranges::any_of(statics, [&](const sim::Body& body) {
        return sim::overlap(place, sim::box_of(body.min, body.size));
      });
      const bool on_crate = std::ranges::any_of(
          crates, [&](Vec2 crate) { return sim::overlap(place, sim::box_of(crate, kPlayerSize)); });
      if (!on_static && !on_crate) {
        places.push_back({x, y});
      }
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

void add_block(std::vector<sim::Body>& statics, const BlockWalls& walls, Vec2 corner) {
  for (const Wall& wall : walls) {
    if (wall.size.x > 0) {
      add_static(statics,
                 {.min = {corner.x + wall.min.x, corner.y + wall.min.y}, .size = wall.size});
    }
  }
}

Map make_square(std::int32_t blocks, std::uint32_t seats) {
  Map map;
  map.seats = seats;
  const std::int32_t half = blocks * kBlock / 2;
  std::vector<sim::Body> statics;
  add_border(statics, half);
  for (std::int32_t row = 0; row < blocks; ++row) {
    for (std::int32_t column = 0; column < blocks; ++column) {
      const Vec2 corner{column * kBlock - half, row * kBlock - half};
      const auto kind = static_cast<std::size_t>(column + 3 * row) % kBlockWalls.size();
      add_block(statics, kBlockWalls[kind], corner);
      map.crates.push_back({corner.x + kCrateInBlock.x, corner.y + kCrateInBlock.y});
    }
  }
  map.spawn_points = free_places(statics, map.crates, half);
  map.statics = std::make_shared<const sim::Statics>(std::move(statics));
  return map;
}

}  // namespace

SharedMap make_arena_map(std::uint32_t seats) {
  TICKBOX_ASSERT(seats >= 1 && seats <= kSeatsMax);
  // About 20 of a block's 25 places are free. The search starts just below that number and grows
  // until there are enough.
  std::int32_t blocks = 2;
  while (static_cast<std::size_t>(blocks * blocks) * 18 < kSpawnPointsPerSeat * seats) {
    ++blocks;
  }
  for (;; ++blocks) {
    Map map = make_square(blocks, seats);
    if (map.spawn_points.size() >= kSpawnPointsPerSeat * seats + map.crates.size()) {
      return std::make_shared<const Map>(std::move(map));
    }
  }
}

}  // namespace tickbox::game
