// Scenes at the end of the world: a closed border, and an open one, through which bodies leave.

#include "tests/golden/draw.h"
#include "tests/golden/make_scenes.h"
#include "tests/golden/physics_scene.h"

#include <array>

namespace tickbox::golden {
namespace {

constexpr std::array<Vec2, 4> kSigns = {{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}}};

/// The minimum corner of a box at a distance from one of the world's corners.
Vec2 near_corner(Vec2 signs, Vec2 size, Vec2 distance) {
  Vec2 min;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    min[axis] =
        signs[axis] < 0 ? -kWorldLimit + distance[axis] : kWorldLimit - size[axis] - distance[axis];
  }
  return min;
}

std::int32_t draw_range(Rng& rng) {
  constexpr std::array<std::int32_t, 4> kRanges = {kUnit / 4, 2 * kUnit, 200 * kUnit, kSpeedLimit};
  return kRanges[rng.below(kRanges.size())];
}

void throw_at_corners(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick) {
  constexpr std::uint32_t kTicksBetweenThrows = 25;
  if (tick % kTicksBetweenThrows != 1) return;
  for (sim::Body& body : world.movers()) {
    const std::int32_t range = draw_range(rng);
    body.velocity = draw_vec(rng, range);
  }
}

sim::Body draw_leaver(Rng& rng, std::uint32_t id) {
  constexpr std::int32_t kReach = 20 * kUnit;
  sim::Body body{.id = {id}};
  body.size = Vec2{between(rng, 1, 2 * kUnit), between(rng, 1, 2 * kUnit)};
  const Vec2 signs = kSigns[rng.below(kSigns.size())];
  const Vec2 distance{between(rng, 0, kReach), between(rng, 0, kReach)};
  body.min = near_corner(signs, body.size, distance);
  const std::int32_t range = draw_range(rng);
  body.velocity = draw_vec(rng, range);
  return body;
}

void keep_coming(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick) {
  constexpr std::size_t kCrowded = 120;
  constexpr std::uint32_t kTicksBetweenBursts = 40;
  const std::uint32_t arrivals = tick % kTicksBetweenBursts == 1 ? 30 : 1;
  for (std::uint32_t n = 0; n < arrivals && world.movers().size() < kCrowded; ++n) {
    // Ids fall from tick to tick, so that a body that comes late is not always last in their order.
    world.add(draw_leaver(rng, 1'000'000 - 100 * tick + n));
  }
}

}  // namespace

std::unique_ptr<Scene> make_corners() {
  constexpr std::int32_t kPerCorner = 9;
  constexpr std::int32_t kPitch = 4 * kUnit;
  Rng rng{4'000'011};
  Plan plan{.settings = {.gravity = {31, 546}, .border = sim::Border::Solid}};
  plan.add_mover({-sim::kSizeLimit / 2, -sim::kSizeLimit / 2}, {sim::kSizeLimit, sim::kSizeLimit});
  for (const Vec2 signs : kSigns) {
    for (std::int32_t i = 0; i < kPerCorner; ++i) {
      const Vec2 size{between(rng, 1, 3 * kUnit), between(rng, 1, 3 * kUnit)};
      const Vec2 distance{i % 3 * kPitch, i / 3 * kPitch};
      sim::Body& body = plan.add_mover(near_corner(signs, size, distance), size);
      body.mass = static_cast<std::uint16_t>(between(rng, 1, 65'535));
      if (i % 2 == 0) {
        body.response = sim::Response::Bounce;
        body.restitution = static_cast<std::uint16_t>(between(rng, 100, sim::kFullRestitution));
      }
    }
  }
  return std::make_unique<PhysicsScene>(plan, rng, throw_at_corners);
}

std::unique_ptr<Scene> make_exits() {
  const Plan plan{.settings = {.gravity = {0, 100}, .border = sim::Border::Remove}};
  return std::make_unique<PhysicsScene>(plan, Rng{4'000'012}, keep_coming);
}

}  // namespace tickbox::golden
