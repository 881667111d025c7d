#include "tests/bench/snapshots/yard.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace tickbox::bench {

game::SharedMap make_yard(std::int32_t side, std::uint32_t seats) {
  auto map = std::make_shared<game::Map>();
  map->seats = seats;
  const std::int32_t half = side * kUnit / 2;
  const std::int32_t whole = 2 * half;
  const std::pair<Vec2, Vec2> walls[] = {
      {{-half - kUnit, -half - kUnit}, {whole + 2 * kUnit, kUnit}},
      {{-half - kUnit, half}, {whole + 2 * kUnit, kUnit}},
      {{-half - kUnit, -half}, {kUnit, whole}},
      {{half, -half}, {kUnit, whole}},
  };
  std::vector<sim::Body> statics;
  for (const auto& [min, size] : walls) {
    statics.push_back({.id = {static_cast<std::uint32_t>(3U << 30 | statics.size())},
                       .kind = sim::Kind::Static,
                       .min = min,
                       .size = size});
  }
  map->statics = std::make_shared<const sim::Statics>(std::move(statics));
  for (std::int32_t y = -half; y + kUnit <= half; y += 2 * kUnit) {
    for (std::int32_t x = -half; x + kUnit <= half; x += 2 * kUnit) {
      map->spawn_points.push_back({.x = x, .y = y});
    }
  }
  std::ranges::sort(map->spawn_points, {}, [](Vec2 place) {
    return std::tuple{std::int64_t{place.x} * place.x + std::int64_t{place.y} * place.y, place.y,
                      place.x};
  });
  return map;
}

}  // namespace tickbox::bench
