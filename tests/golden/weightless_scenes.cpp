// Scenes without gravity: elastic boxes, bullets among thin walls, boxes at the speed limit.

#include "tests/golden/draw.h"
#include "tests/golden/make_scenes.h"
#include "tests/golden/physics_scene.h"

namespace tickbox::golden {
namespace {

void make_elastic(sim::Body& body) {
  body.response = sim::Response::Bounce;
  body.restitution = sim::kFullRestitution;
}

void leave_alone(sim::PhysicsWorld& /*world*/, Rng& /*rng*/, std::uint32_t /*tick*/) {}

// Bullets.

constexpr std::int32_t kCell = 20 * kUnit;
constexpr std::int32_t kCells = 4;  ///< on either axis
constexpr std::uint16_t kTargetLayer = 1;
constexpr std::uint16_t kBulletLayer = 2;

/// Walls along one axis, each thinner than the one before, down to a single sub-unit.
void add_thin_walls(Plan& plan, std::size_t axis) {
  for (std::int32_t i = 1; i < kCells; ++i) {
    Vec2 min;
    Vec2 size{kCells * kCell, kCells * kCell};
    min[axis] = i * kCell;
    size[axis] = i == kCells - 1 ? 1 : kUnit / 10 >> (4 * i);
    sim::Body& wall = plan.add_static(min, size);
    wall.layers = kTargetLayer | kBulletLayer;
  }
}

void shoot_again(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick) {
  constexpr std::uint32_t kTicksBetweenShots = 12;
  if (tick % kTicksBetweenShots != 1) return;
  for (sim::Body& body : world.movers()) {
    if (body.layers != kBulletLayer) continue;
    const std::int32_t speed = rng.chance(1, 4) ? kSpeedLimit : 50 * kUnit;
    body.velocity = draw_vec(rng, speed);
  }
}

// Rush.

constexpr std::int32_t kRushRoom = 2'000 * kUnit;

void rush_on(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick) {
  constexpr std::uint32_t kTicksBetweenKicks = 8;
  if (tick % kTicksBetweenKicks != 1) return;
  for (sim::Body& body : world.movers()) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      body.velocity[axis] = rng.chance(1, 2) ? kSpeedLimit : -kSpeedLimit;
    }
  }
}

}  // namespace

std::unique_ptr<Scene> make_arena() {
  constexpr std::int32_t kSide = 14;  // 196 boxes, one in ten places
  constexpr std::int32_t kPitch = 3 * kUnit + kUnit / 6;
  constexpr std::int32_t kSpeed = 10 * kUnit / 60;
  Rng rng{1'000'004};
  Plan plan;
  plan.add_walls({kSide * kPitch, kSide * kPitch});
  for (std::int32_t i = 0; i < kSide * kSide; ++i) {
    const Vec2 jitter = draw_vec(rng, kUnit);
    const Vec2 corner{i % kSide * kPitch + kPitch / 3 + jitter.x,
                      i / kSide * kPitch + kPitch / 3 + jitter.y};
    sim::Body& body = plan.add_mover(corner, {kUnit, kUnit});
    body.velocity = draw_vec(rng, kSpeed);
    make_elastic(body);
  }
  return std::make_unique<PhysicsScene>(plan, rng, leave_alone);
}

std::unique_ptr<Scene> make_bullets() {
  Rng rng{1'000'005};
  Plan plan;
  plan.add_walls({kCells * kCell, kCells * kCell});
  for (sim::Body& wall : plan.statics) {
    wall.layers = kTargetLayer | kBulletLayer;
  }
  add_thin_walls(plan, 0);
  add_thin_walls(plan, 1);
  for (std::int32_t i = 0; i < kCells * kCells; ++i) {
    const Vec2 corner{i % kCells * kCell + 3 * kUnit, i / kCells * kCell + 3 * kUnit};
    for (std::int32_t k = 0; k < 4; ++k) {
      sim::Body& target = plan.add_mover({corner.x + 4 * k * kUnit, corner.y + 4 * k * kUnit},
                                         {between(rng, 1, kUnit), between(rng, 1, kUnit)});
      target.velocity = draw_vec(rng, kUnit / 6);
      target.layers = kTargetLayer;
      make_elastic(target);
    }
    sim::Body& bullet =
        plan.add_mover({corner.x + 10 * kUnit, corner.y + 2 * kUnit}, {kUnit / 5, kUnit / 5});
    bullet.layers = kBulletLayer;
    bullet.response = i % 2 == 0 ? sim::Response::Stop : sim::Response::Bounce;
    bullet.restitution = i % 2 == 0 ? std::uint16_t{0} : sim::kFullRestitution;
    // Every third bullet goes through the targets, which the other bullets hit.
    bullet.collides_with = i % 3 == 0 ? kBulletLayer : kBulletLayer | kTargetLayer;
    bullet.ignores = {bullet.id.value - 1};
  }
  return std::make_unique<PhysicsScene>(plan, rng, shoot_again);
}

std::unique_ptr<Scene> make_rush() {
  constexpr std::int32_t kSide = 5;
  Rng rng{1'000'006};
  Plan plan;
  plan.add_walls({kRushRoom, kRushRoom});
  for (std::int32_t i = 0; i < kSide * kSide; ++i) {
    constexpr std::int32_t kPitch = kRushRoom / kSide;
    const Vec2 corner{i % kSide * kPitch + kPitch / 4, i / kSide * kPitch + kPitch / 4};
    sim::Body& body =
        plan.add_mover(corner, {between(rng, 1, kPitch / 3), between(rng, kUnit, kPitch / 3)});
    body.mass = static_cast<std::uint16_t>(between(rng, 1, 9));
    if (rng.chance(3, 4)) {
      body.response = sim::Response::Bounce;
      body.restitution = static_cast<std::uint16_t>(between(rng, 0, sim::kFullRestitution));
    }
  }
  return std::make_unique<PhysicsScene>(plan, rng, rush_on);
}

}  // namespace tickbox::golden
