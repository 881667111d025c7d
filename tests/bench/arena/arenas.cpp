#include "tests/bench/arena/arenas.h"

#include "games/arena/arena.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

namespace tickbox::bench {
namespace {

constexpr Vec2 kPlayerSize{kUnit, kUnit};

/// Names the places at which players appear, the nearest to the middle first.
void add_spawn_points(MapBuilder& builder, std::vector<Vec2> places) {
  std::ranges::sort(places, {}, [](Vec2 place) {
    return std::tuple{std::int64_t{place.x} * place.x + std::int64_t{place.y} * place.y, place.y,
                      place.x};
  });
  for (const Vec2 place : places) {
    builder.object("spawn", place, kPlayerSize);
  }
}

}  // namespace

GameTable arena_with(SightHook sight, MapHook map) {
  GameTable arena = games::arena();
  arena.sight = sight;
  if (map != nullptr) arena.map = map;
  return arena;
}

void make_yard(MapBuilder& builder, const MapOptions& /*options*/) {
  constexpr std::int32_t kSide = 40 * kUnit;
  constexpr std::int32_t kHalf = kSide / 2;
  builder.solid({-kHalf - kUnit, -kHalf - kUnit}, {kSide + 2 * kUnit, kUnit});
  builder.solid({-kHalf - kUnit, kHalf}, {kSide + 2 * kUnit, kUnit});
  builder.solid({-kHalf - kUnit, -kHalf}, {kUnit, kSide});
  builder.solid({kHalf, -kHalf}, {kUnit, kSide});
  std::vector<Vec2> places;
  for (std::int32_t y = -kHalf; y + kUnit <= kHalf; y += 2 * kUnit) {
    for (std::int32_t x = -kHalf; x + kUnit <= kHalf; x += 2 * kUnit) {
      places.push_back({.x = x, .y = y});
    }
  }
  add_spawn_points(builder, std::move(places));
}

void make_field(MapBuilder& builder, const MapOptions& options) {
  const auto side = static_cast<std::int32_t>(std::ceil(std::sqrt(2.2 * options.seats)));
  std::vector<Vec2> places;
  places.reserve(static_cast<std::size_t>(side * side));
  for (std::int32_t i = 0; i < side * side; ++i) {
    places.push_back(
        {.x = (i % side - side / 2) * 2 * kUnit, .y = (i / side - side / 2) * 2 * kUnit});
  }
  add_spawn_points(builder, std::move(places));
}

}  // namespace tickbox::bench
