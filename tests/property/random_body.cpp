#include "tests/property/random_body.h"

#include <array>
#include <utility>

namespace tickbox::test {
namespace {

using sim::Body;

bool percent(Rng& rng, int percentage) {
  return static_cast<int>(rng.below(100)) < percentage;
}

std::int32_t draw_speed(Rng& rng, const Climate& climate) {
  if (rng.chance(1, 4)) return 0;
  const std::int64_t fastest = rng.chance(1, 10) ? kSpeedLimit : climate.speed_max;
  return between(rng, -fastest, fastest);
}

std::int32_t draw_place_on(Rng& rng, const Climate& climate, std::int32_t centre) {
  const std::int32_t room = climate.extent - climate.size_max;
  if (!climate.on_whole_units) return centre + between(rng, -room, room);
  return centre + between(rng, -room / kUnit, room / kUnit) * kUnit;
}

Vec2 draw_gravity(Rng& rng) {
  Vec2 gravity;
  if (rng.chance(2, 3)) gravity.y = between(rng, rng.chance(1, 4) ? -1'000 : 0, 1'000);
  if (rng.chance(1, 4)) gravity.x = between(rng, -600, 600);
  return gravity;
}

}  // namespace

std::int32_t between(Rng& rng, std::int64_t low, std::int64_t high) {
  return static_cast<std::int32_t>(
      low + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(high - low + 1))));
}

Climate draw_climate(Rng& rng, const Features& features) {
  constexpr std::array<std::int32_t, 5> kSpeeds = {0, 2'000, kUnit / 4, 8 * kUnit, kSpeedLimit};
  Climate climate;
  climate.extent = between(rng, 5, 10) * kUnit;
  climate.size_max = rng.chance(1, 4) ? 4 * kUnit : 2 * kUnit;
  climate.speed_max = kSpeeds[rng.below(kSpeeds.size())];
  climate.gravity = draw_gravity(rng);
  climate.on_whole_units = rng.chance(1, 3);
  climate.layered = rng.chance(1, 4);
  climate.heavy = rng.chance(1, 3);
  climate.bouncy_percent = rng.chance(1, 2) ? 0 : between(rng, 1, 100);
  if (features.friction && rng.chance(1, 2)) climate.rough_percent = between(rng, 1, 100);
  if (features.ghosts && rng.chance(1, 2)) climate.ghostly_percent = between(rng, 1, 30);
  if (features.one_way && rng.chance(1, 2)) climate.one_way_percent = between(rng, 1, 60);
  if (features.overlaps && rng.chance(1, 4)) climate.overlapping_percent = between(rng, 1, 100);
  if (rng.chance(1, 5)) {
    const std::int32_t edge = kWorldLimit - climate.extent;
    climate.centre = {rng.chance(1, 2) ? edge : -edge, rng.chance(1, 2) ? edge : -edge};
  }
  return climate;
}

std::int32_t draw_length(Rng& rng, const Climate& climate) {
  if (climate.on_whole_units) return between(rng, 1, climate.size_max / kUnit) * kUnit;
  return rng.chance(1, 12) ? between(rng, 1, 3) : between(rng, kUnit / 8, climate.size_max);
}

Vec2 draw_place(Rng& rng, const Climate& climate) {
  return {draw_place_on(rng, climate, climate.centre.x),
          draw_place_on(rng, climate, climate.centre.y)};
}

Body draw_body(Rng& rng, const Climate& climate, sim::Kind kind) {
  Body body;
  body.kind = kind;
  body.size = {draw_length(rng, climate), draw_length(rng, climate)};
  body.min = draw_place(rng, climate);
  if (climate.layered) {
    body.layers = static_cast<std::uint16_t>(1 + rng.below(7));
    body.collides_with = static_cast<std::uint16_t>(1 + rng.below(15));
  }
  const auto draw = static_cast<int>(rng.below(100));
  if (draw < climate.bouncy_percent) {
    body.response = sim::Response::Bounce;
    body.restitution = static_cast<std::uint16_t>(rng.below(sim::kFullRestitution + 1));
  } else if (draw % 8 == 0) {
    body.response = sim::Response::Stop;
  }
  if (percent(rng, climate.rough_percent)) {
    body.friction = static_cast<std::uint8_t>(rng.chance(1, 4) ? 255 : rng.below(256));
  }
  if (percent(rng, climate.ghostly_percent)) {
    body.sensor = rng.chance(1, 2);
    if (!body.sensor || rng.chance(1, 8)) body.response = sim::Response::Pass;
  }
  if (kind != sim::Kind::Dynamic && percent(rng, climate.one_way_percent)) {
    body.one_way = static_cast<sim::OneWay>(1 + rng.below(4));
  }
  if (kind == sim::Kind::Static || kind == sim::Kind::Fixed) return body;
  body.velocity = {draw_speed(rng, climate), draw_speed(rng, climate)};
  if (kind == sim::Kind::Kinematic) {
    if (rng.chance(1, 3)) body.squeeze = sim::Squeeze::Crush;
    return body;
  }
  body.mass = static_cast<std::uint16_t>(climate.heavy ? 1 + rng.below(65'535) : 1 + rng.below(3));
  body.gravity_scale =
      rng.chance(1, 6) ? static_cast<std::uint16_t>(rng.below(600)) : sim::kFullGravity;
  return body;
}

sim::Path draw_path(Rng& rng, const Climate& climate, Vec2 start) {
  constexpr std::array<std::int32_t, 6> kPathSpeeds = {0,         1'000,      kUnit / 8,
                                                       2 * kUnit, 40 * kUnit, kSpeedLimit};
  std::vector<Vec2> points{start};
  for (std::uint64_t more = rng.below(4); more > 0; --more) {
    Vec2 point = draw_place(rng, climate);
    if (rng.chance(1, 3)) point.x = points.back().x;
    if (rng.chance(1, 3)) point.y = points.back().y;
    points.push_back(point);
  }
  return {std::move(points), between(rng, 0, kPathSpeeds[rng.below(kPathSpeeds.size())])};
}

}  // namespace tickbox::test
