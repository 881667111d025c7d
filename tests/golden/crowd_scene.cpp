// A crowd that pushes: players that run to one corner after the other, with crates in their way.

#include "tests/golden/draw.h"
#include "tests/golden/make_scenes.h"
#include "tests/golden/physics_scene.h"

#include <algorithm>
#include <array>

namespace tickbox::golden {
namespace {

constexpr std::int32_t kRoom = 32 * kUnit;
constexpr std::int32_t kCrowdRunSpeed = 6 * kUnit / 60;
constexpr std::uint16_t kCrateMass = 20;

void run_to_a_corner(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick) {
  constexpr std::uint32_t kTicksPerCorner = 400;
  constexpr std::array<Vec2, 4> kCorners = {{{0, 0}, {kRoom, kRoom}, {0, kRoom}, {kRoom, 0}}};
  const Vec2 goal = kCorners[tick / kTicksPerCorner % kCorners.size()];
  for (sim::Body& body : world.movers()) {
    if (body.mass == kCrateMass) {
      body.velocity = {body.velocity.x * 9 / 10, body.velocity.y * 9 / 10};
      continue;
    }
    if (rng.chance(1, 30)) continue;  // slips: keeps the velocity that the others gave it
    body.velocity = {std::clamp(goal.x - body.min.x, -kCrowdRunSpeed, kCrowdRunSpeed),
                     std::clamp(goal.y - body.min.y, -kCrowdRunSpeed, kCrowdRunSpeed)};
  }
}

}  // namespace

std::unique_ptr<Scene> make_crowd() {
  constexpr std::int32_t kSide = 10;
  constexpr std::int32_t kPitch = 3 * kUnit;
  Rng rng{3'000'010};
  Plan plan;
  plan.add_walls({kRoom, kRoom});
  for (std::int32_t i = 1; i < 4; ++i) {
    plan.add_static({(9 * i - 2) * kUnit, 8 * kUnit}, {kUnit / 2, 16 * kUnit});
  }
  for (std::int32_t i = 0; i < kSide * kSide; ++i) {
    const Vec2 corner{i % kSide * kPitch + 2 * kUnit, i / kSide * kPitch + 2 * kUnit};
    const bool is_crate = rng.chance(1, 6);
    const std::int32_t width = is_crate ? kUnit : between(rng, kUnit / 2, kUnit);
    sim::Body& body = plan.add_mover(corner, {width, width});
    body.mass = is_crate ? kCrateMass : std::uint16_t{1};
  }
  return std::make_unique<PhysicsScene>(plan, rng, run_to_a_corner);
}

}  // namespace tickbox::golden
