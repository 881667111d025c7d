// A warm step allocates no memory.

#include "core/rng.h"
#include "tests/support/allocations.h"
#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <vector>

namespace tickbox::test {
namespace {

// The first tick reserves memory for all later ones. In this scene a pile falls together around a
// lift, through a sensor and a one-way ledge, and is kicked again and again.
TEST(Step, AsksForAllItsRoomInItsFirstTick) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP() << "the check after each step allocates";
#endif
  sim::Body sensor = wall(1'003, at(-10, 10), at(20, 4));
  sensor.sensor = true;
  sim::Body ledge = wall(1'004, at(-15, 5), at(10, 1));
  ledge.one_way = sim::OneWay::Up;
  const auto statics = std::make_shared<const sim::Statics>(
      std::vector<sim::Body>{wall(1'000, at(-20, 20), at(40, 1)),
                             wall(1'001, at(-21, -60), at(1, 81)),
                             wall(1'002, at(20, -60), at(1, 81)), sensor, ledge},
      std::vector<sim::Path>{sim::Path{{at(-3, 18), at(-3, 8)}, units(0.05)}});
  sim::PhysicsWorld world{{.gravity = {0, 546}}, statics};
  for (std::uint32_t n = 0; n < 300; ++n) {
    sim::Body body = box(n, at(-18 + 1.8 * (n % 20), 3.0 * (n / 20) - 50), at(1, 1));
    body.friction = static_cast<std::uint8_t>(n % 3 * 60);
    world.add(n % 4 == 0 ? bouncing(body, 128) : body);
  }
  sim::Body lift = box(500, at(-3, 18), at(6, 0.5));
  lift.kind = sim::Kind::Kinematic;
  lift.path = 0;
  world.add(lift);

  Rng rng{7};
  sim::PhysicsStepper stepper;
  stepper.step(world);
  const std::uint64_t before = tests::allocations();
  std::size_t begun = 0;
  for (int tick = 0; tick < 900; ++tick) {
    sim::Body& kicked = *world.find_mover({static_cast<std::uint32_t>(rng.below(300))});
    kicked.velocity = {static_cast<std::int32_t>(rng.below(60'000)) - 30'000, -30'000};
    begun += stepper.step(world).begin.size();
  }
  EXPECT_EQ(tests::allocations(), before);
  EXPECT_GT(begun, 100U);
}

}  // namespace
}  // namespace tickbox::test
