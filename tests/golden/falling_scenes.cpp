// Scenes with gravity: a platformer on tiles, a pit that boxes are thrown into, stacks.

#include "tests/golden/draw.h"
#include "tests/golden/make_scenes.h"
#include "tests/golden/physics_scene.h"

namespace tickbox::golden {
namespace {

/// 30 units per second squared at 60 Hz.
constexpr Vec2 kGravity{0, 546};

// Platformer.

constexpr std::int32_t kRunSpeed = 6 * kUnit / 60;
constexpr std::int32_t kJumpSpeed = 16 * kUnit / 60;

void run_and_jump(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick) {
  constexpr std::uint32_t kTicksBetweenKicks = 30;
  for (sim::Body& body : world.movers()) {
    if ((tick + body.id.value) % kTicksBetweenKicks != 0) continue;
    body.velocity.x = rng.chance(2, 5) ? 0 : between(rng, -kRunSpeed, kRunSpeed);
    if (rng.chance(1, 3)) body.velocity.y = -kJumpSpeed;
  }
}

// Pile.

void throw_again(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick) {
  constexpr std::uint32_t kTicksBetweenThrows = 350;
  if (tick % kTicksBetweenThrows != 0) return;
  for (sim::Body& body : world.movers()) {
    body.velocity = Vec2{between(rng, -kUnit / 2, kUnit / 2), between(rng, -kUnit, kUnit / 4)};
  }
}

// Stacks.

void kick_some(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick) {
  constexpr std::uint32_t kTicksBetweenKicks = 120;
  constexpr int kKicked = 6;
  if (tick % kTicksBetweenKicks != 0) return;
  for (int n = 0; n < kKicked; ++n) {
    world.movers()[rng.below(world.movers().size())].velocity = draw_vec(rng, kUnit / 3);
  }
}

void add_tower(Plan& plan, std::int32_t x, std::int32_t height) {
  for (std::int32_t i = 1; i <= height; ++i) {
    plan.add_mover({x, -i * kUnit}, {kUnit, kUnit});
  }
}

void add_pyramid(Plan& plan, std::int32_t x, std::int32_t rows) {
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t i = 0; i < rows - row; ++i) {
      plan.add_mover({x + i * kUnit + row * kUnit / 2, -(row + 1) * kUnit}, {kUnit, kUnit});
    }
  }
}

}  // namespace

std::unique_ptr<Scene> make_platformer() {
  constexpr std::int32_t kRows = 6;
  constexpr std::int32_t kRowHeight = 8;  // units, as below
  constexpr std::int32_t kWidth = 96;
  constexpr std::int32_t kHeight = kRows * kRowHeight;
  constexpr std::int32_t kPerRow = kWidth / 4;
  Rng rng{2'000'007};
  Plan plan{.settings = {.gravity = kGravity}};
  plan.add_walls({kWidth * kUnit, kHeight * kUnit});
  for (std::int32_t row = 0; row < kRows; ++row) {
    const std::int32_t floor = (kHeight - kRowHeight * row - 1) * kUnit;
    for (std::int32_t x = 0; x < kWidth; ++x) {
      const bool has_tile = rng.chance(17, 20) || row == 0;
      const bool has_step = rng.chance(1, 10);
      if (has_tile) plan.add_static({x * kUnit, floor}, {kUnit, kUnit});
      if (has_step) plan.add_static({x * kUnit, floor - kUnit}, {kUnit, kUnit});
    }
  }
  for (std::int32_t i = 0; i < kPerRow * kRows; ++i) {
    const Vec2 corner{(4 * (i % kPerRow) + 2) * kUnit + between(rng, -kUnit, kUnit / 4),
                      (kRowHeight * (i / kPerRow) + 3) * kUnit + between(rng, -kUnit, kUnit)};
    plan.add_mover(corner, {kUnit * 4 / 5, kUnit * 4 / 5});
  }
  return std::make_unique<PhysicsScene>(plan, rng, run_and_jump);
}

std::unique_ptr<Scene> make_pile() {
  constexpr std::int32_t kColumns = 12;
  constexpr std::int32_t kBoxes = 120;
  constexpr std::int32_t kPitch = 2 * kUnit;
  Rng rng{2'000'008};
  Plan plan{.settings = {.gravity = kGravity}};
  plan.add_walls({kColumns * kPitch, 40 * kUnit});
  for (std::int32_t i = 0; i < kBoxes; ++i) {
    const Vec2 size{between(rng, kUnit / 4, kPitch), between(rng, kUnit / 4, kPitch)};
    sim::Body& box = plan.add_mover({i % kColumns * kPitch, i / kColumns * kPitch}, size);
    box.velocity = draw_vec(rng, kUnit / 2);
    box.mass = static_cast<std::uint16_t>(rng.chance(1, 10) ? 65'535 : between(rng, 1, 20));
    box.gravity_scale =
        rng.chance(1, 10) ? static_cast<std::uint16_t>(between(rng, 0, 600)) : sim::kFullGravity;
    if (i % 3 == 0) {
      box.response = sim::Response::Bounce;
      box.restitution = static_cast<std::uint16_t>(between(rng, 0, sim::kFullRestitution));
    } else if (i % 10 == 1) {
      box.response = sim::Response::Stop;
    }
  }
  return std::make_unique<PhysicsScene>(plan, rng, throw_again);
}

std::unique_ptr<Scene> make_stacks() {
  constexpr std::int32_t kHeavyTowers = 6;
  Rng rng{2'000'009};
  Plan plan{.settings = {.gravity = kGravity}};
  plan.add_static({-100 * kUnit, 0}, {200 * kUnit, kUnit});
  add_tower(plan, -40 * kUnit, 100);
  add_pyramid(plan, -30 * kUnit, 12);
  for (std::int32_t i = 0; i < kHeavyTowers; ++i) {
    const std::size_t first = plan.movers.size();
    add_tower(plan, 2 * i * kUnit, 8);
    for (std::size_t k = first; k < plan.movers.size(); ++k) {
      plan.movers[k].mass =
          static_cast<std::uint16_t>(rng.chance(1, 3)   ? 65'535
                                     : rng.chance(1, 2) ? 1
                                                        : between(rng, 1, 65'535));
    }
  }
  return std::make_unique<PhysicsScene>(plan, rng, kick_some);
}

}  // namespace tickbox::golden
