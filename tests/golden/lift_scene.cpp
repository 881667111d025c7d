// Kinematic bodies and their riders: lifts, ferries, a round trip, and a wall without a path.

#include "tests/golden/draw.h"
#include "tests/golden/make_scenes.h"
#include "tests/golden/physics_scene.h"

#include <array>

namespace tickbox::golden {
namespace {

constexpr std::int32_t kWidth = 120 * kUnit;
constexpr std::int32_t kFloor = 40 * kUnit;
constexpr std::int32_t kLiftJumpSpeed = 14 * kUnit / 60;
constexpr std::int32_t kSweepSpeed = 9 * kUnit / 60;

/// In sub-units per tick: from 7 sub-units to 11 units. The last is faster than any rider falls.
constexpr std::array<std::int32_t, 8> kSpeeds = {7,         kUnit / 60, kUnit / 20,    kUnit / 7,
                                                 kUnit / 3, kUnit,      3 * kUnit + 1, 11 * kUnit};

/// Whether a body is the sweeper: the only kinematic body without a path.
bool is_sweeper(const sim::Body& body) {
  return body.kind == sim::Kind::Kinematic && body.path == sim::kNoPath;
}

/// Puts some riders above a platform, or into it: a body that has jumped off finds no way back.
void lift_some(sim::PhysicsWorld& world, Rng& rng) {
  constexpr int kLifted = 5;
  for (int n = 0; n < kLifted; ++n) {
    sim::Body& body = world.movers()[rng.below(world.movers().size())];
    const sim::Body& platform = world.movers()[rng.below(world.movers().size())];
    const Vec2 shift{between(rng, 0, 2 * kUnit), between(rng, -2 * kUnit, 0)};
    if (body.kind != sim::Kind::Dynamic || platform.path == sim::kNoPath) continue;
    body.min = {platform.min.x + shift.x, platform.min.y - kUnit + shift.y};
    body.velocity = {};
  }
}

void jump_and_sweep(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick) {
  constexpr std::uint32_t kTicksBetweenLifts = 20;
  if (tick % kTicksBetweenLifts == 0) lift_some(world, rng);
  constexpr std::uint32_t kTicksBetweenJumps = 45;
  constexpr std::uint32_t kTicksPerSweep = 750;
  for (sim::Body& body : world.movers()) {
    if (is_sweeper(body)) {
      body.velocity.x = tick / kTicksPerSweep % 2 == 0 ? kSweepSpeed : -kSweepSpeed;
    } else if (body.kind == sim::Kind::Dynamic &&
               (tick + 7 * body.id.value) % kTicksBetweenJumps == 0 && rng.chance(1, 3)) {
      const Vec2 push{between(rng, -kUnit / 10, kUnit / 10), between(rng, -kLiftJumpSpeed, 0)};
      body.velocity.x += push.x;
      body.velocity.y += push.y;
    }
  }
}

/// Boxes one upon the other, the lowest standing on `platform`.
void add_riders(Plan& plan, sim::Body platform, std::int32_t count, Rng& rng) {
  for (std::int32_t i = 1; i <= count; ++i) {
    sim::Body& rider = plan.add_mover({platform.min.x + i * kUnit / 2, platform.min.y - i * kUnit},
                                      {kUnit, kUnit});
    rider.mass = static_cast<std::uint16_t>(between(rng, 1, 50));
    rider.friction = static_cast<std::uint8_t>(rng.chance(1, 2) ? 0 : between(rng, 1, 255));
    if (rng.chance(1, 5)) {
      rider.response = sim::Response::Bounce;
      rider.restitution = static_cast<std::uint16_t>(between(rng, 1, sim::kFullRestitution));
    }
  }
}

}  // namespace

std::unique_ptr<Scene> make_lifts() {
  constexpr std::int32_t kLow = 35 * kUnit;
  constexpr std::int32_t kHigh = 22 * kUnit;
  constexpr std::int32_t kFerries = 15 * kUnit;
  constexpr Vec2 kPlatform{4 * kUnit, kUnit / 2};
  Rng rng{6'000'015};
  Plan plan{.settings = {.gravity = {0, 546}}};
  plan.add_walls({kWidth, kFloor});
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(kSpeeds.size()); ++i) {
    const std::int32_t speed = kSpeeds[static_cast<std::size_t>(i)];
    const std::int32_t x = (5 + 14 * i) * kUnit;
    // A ceiling that a stack of three does not fit under.
    if (i % 3 == 1) plan.add_static({x, kHigh - 3 * kUnit}, {kUnit, kUnit});
    const sim::Body lift = plan.add_lift(kPlatform, sim::Path{{{x, kLow}, {x, kHigh}}, speed});
    add_riders(plan, lift, 3, rng);
    const sim::Body ferry =
        plan.add_lift(kPlatform, sim::Path{{{x, kFerries}, {x + 6 * kUnit, kFerries}}, speed});
    add_riders(plan, ferry, 2, rng);
  }
  const sim::Path round_trip{
      {{10 * kUnit, 8 * kUnit}, {60 * kUnit, 3 * kUnit}, {90 * kUnit, 9 * kUnit}}, kUnit / 6};
  const sim::Body swing = plan.add_lift({6 * kUnit, kUnit}, round_trip);
  add_riders(plan, swing, 3, rng);
  sim::Body& sweeper = plan.add_mover({kUnit, kFloor - 2 * kUnit}, {kUnit, 2 * kUnit});
  sweeper.kind = sim::Kind::Kinematic;
  return std::make_unique<PhysicsScene>(plan, rng, jump_and_sweep);
}

}  // namespace tickbox::golden
