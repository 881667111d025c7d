#include "tests/property/random_world.h"

#include "sim/box.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::test {
namespace {

using sim::Body;

std::int32_t between(Rng& rng, std::int64_t low, std::int64_t high) {
  return static_cast<std::int32_t>(
      low + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(high - low + 1))));
}

/// What a world is like; every number is the same for all of its bodies.
struct Climate {
  std::int32_t extent = 0;  ///< half the width of the place
  std::int32_t size_max = 0;
  std::int32_t speed_max = 0;
  Vec2 centre;
  bool on_whole_units = false;  ///< so that exact corners and simultaneous hits abound
  int bouncy_percent = 0;
  bool layered = false;
  bool heavy = false;
};

Climate draw_climate(Rng& rng) {
  constexpr std::array<std::int32_t, 5> kSpeeds = {0, 2'000, kUnit / 4, 8 * kUnit, kSpeedLimit};
  Climate climate;
  climate.extent = between(rng, 5, 12) * kUnit;
  climate.size_max = rng.chance(1, 4) ? 4 * kUnit : 2 * kUnit;
  climate.speed_max = kSpeeds[rng.below(kSpeeds.size())];
  climate.on_whole_units = rng.chance(1, 3);
  climate.bouncy_percent = rng.chance(1, 2) ? 0 : between(rng, 1, 100);
  climate.layered = rng.chance(1, 4);
  climate.heavy = rng.chance(1, 3);
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

std::int32_t draw_place(Rng& rng, const Climate& climate, std::int32_t centre) {
  const std::int32_t room = climate.extent - climate.size_max;
  if (!climate.on_whole_units) return centre + between(rng, -room, room);
  return centre + between(rng, -room / kUnit, room / kUnit) * kUnit;
}

std::int32_t draw_speed(Rng& rng, const Climate& climate) {
  if (rng.chance(1, 4)) return 0;
  const std::int64_t fastest = rng.chance(1, 10) ? kSpeedLimit : climate.speed_max;
  return between(rng, -fastest, fastest);
}

Body draw_body(Rng& rng, const Climate& climate, sim::Kind kind) {
  Body body;
  body.kind = kind;
  body.size = {draw_length(rng, climate), draw_length(rng, climate)};
  body.min = {draw_place(rng, climate, climate.centre.x),
              draw_place(rng, climate, climate.centre.y)};
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
  if (kind == sim::Kind::Static) return body;
  body.velocity = {draw_speed(rng, climate), draw_speed(rng, climate)};
  body.mass = static_cast<std::uint16_t>(climate.heavy ? 1 + rng.below(65'535) : 1 + rng.below(3));
  body.gravity_scale =
      rng.chance(1, 6) ? static_cast<std::uint16_t>(rng.below(600)) : sim::kFullGravity;
  return body;
}

bool is_free(const std::vector<Body>& placed, const Body& body) {
  return std::ranges::none_of(placed, [&](const Body& other) {
    const bool both_static = body.kind == sim::Kind::Static && other.kind == sim::Kind::Static;
    return !both_static && sim::may_meet(body, other) &&
           overlap(sim::box_of(body.min, body.size), sim::box_of(other.min, other.size));
  });
}

void place(std::vector<Body>& placed, Body body, Rng& rng) {
  body.id = {static_cast<std::uint32_t>(placed.size() * 7 % 101 + placed.size() * 101)};
  if (!placed.empty() && rng.chance(1, 12)) body.ignores = placed[rng.below(placed.size())].id;
  if (is_free(placed, body)) placed.push_back(body);
}

/// A floor of abutting tiles: the place for ghost hits on seams.
void place_floor(std::vector<Body>& placed, const Climate& climate, Rng& rng) {
  const std::int32_t y = climate.centre.y + climate.extent - 2 * kUnit;
  for (std::int32_t x = -climate.extent; x + kUnit <= climate.extent; x += kUnit) {
    place(placed,
          {.kind = sim::Kind::Static, .min = {climate.centre.x + x, y}, .size = {kUnit, kUnit}},
          rng);
  }
}

}  // namespace

sim::World random_world(const RandomWorldOptions& options) {
  Rng rng{options.seed};
  const Climate climate = draw_climate(rng);
  sim::WorldSettings settings;
  if (rng.chance(2, 3)) settings.gravity.y = between(rng, 0, 1'000);
  if (rng.chance(1, 5)) settings.gravity.x = between(rng, -600, 600);
  settings.border = rng.chance(1, 3) ? sim::Border::Remove : sim::Border::Solid;

  std::vector<Body> placed;
  if (rng.chance(1, 2)) place_floor(placed, climate, rng);
  for (std::uint64_t n = rng.below(static_cast<std::uint64_t>(options.statics_max) + 1); n > 0;
       --n) {
    place(placed, draw_body(rng, climate, sim::Kind::Static), rng);
  }
  for (std::uint64_t n = 2 + rng.below(static_cast<std::uint64_t>(options.movers_max) - 1); n > 0;
       --n) {
    place(placed, draw_body(rng, climate, sim::Kind::Dynamic), rng);
  }

  std::vector<Body> statics;
  std::ranges::copy_if(placed, std::back_inserter(statics),
                       [](const Body& body) { return body.kind == sim::Kind::Static; });
  sim::World world{settings, std::make_shared<const sim::Statics>(std::move(statics))};
  for (const Body& body : placed) {
    if (body.kind == sim::Kind::Dynamic) world.add(body);
  }
  return world;
}

void disturb(sim::World& world, Rng& rng) {
  for (Body& body : world.movers()) {
    if (!rng.chance(1, 6)) continue;
    const std::int32_t speed = rng.chance(1, 8) ? kSpeedLimit : kUnit / 3;
    body.velocity = {between(rng, -speed, speed), between(rng, -speed, speed)};
  }
}

}  // namespace tickbox::test
