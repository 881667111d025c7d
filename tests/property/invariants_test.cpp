// I1, I2, I5, I7 and the promises about ghosts and kinematic bodies, in random worlds of all kinds.
// The checker knows neither the time lattice nor the order of events.

#include "tests/property/any_stepper.h"
#include "tests/property/checker.h"
#include "tests/property/random_world.h"
#include "tests/property/world_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tickbox::test::invariants_test {
namespace {

/// The number of body-ticks of a thousand bodies in about three minutes at 60 Hz.
constexpr std::size_t kBodyTicks = 10'000'000;

TEST(Invariants, HoldInWorldsOfAllKindsForTenMillionBodyTicks) {
  constexpr std::uint64_t kWorlds = 10'000;
  constexpr int kTicks = 40;
  constexpr int kTicksBetweenDisturbances = 7;
  AnyStepper stepper;
  std::size_t body_ticks = 0;
  for (const std::uint64_t seed : seeds(kWorlds)) {
    const Features features;
    sim::PhysicsWorld world =
        random_world({.seed = seed, .movers_max = 80, .statics_max = 30, .features = features});
    Rng rng{seed};
    for (int tick = 1; tick <= kTicks; ++tick) {
      if (tick % kTicksBetweenDisturbances == 0) disturb(world, rng, features);
      const sim::PhysicsWorld before = world;
      const sim::StepReport& report = stepper.step(world);
      const std::string wrong = what_is_wrong(before, world, report);
      ASSERT_TRUE(wrong.empty()) << "seed " << seed << " tick " << tick << '\n' << wrong;
      body_ticks += before.movers().size();
    }
  }
  const bool tried_all = seeds(kWorlds).size() == kWorlds;
  EXPECT_TRUE(!tried_all || body_ticks >= kBodyTicks) << body_ticks << " body-ticks are too few";
}

// Up to 8 units per tick, 480 per second, in worlds a few units wide. With kinematic bodies, or
// with overlaps at the start, a bouncing body may have no free place. The event budget exists to
// freeze such bodies.
TEST(Invariants, FreezeNobodyAtTheSpeedsOfGames) {
  constexpr int kTicks = 20;
  constexpr std::int32_t kFast = 8 * kUnit;
  AnyStepper stepper;
  for (const std::uint64_t seed : seeds(1'000)) {
    sim::PhysicsWorld world =
        random_world({.seed = seed,
                      .movers_max = 60,
                      .statics_max = 30,
                      .features = {.kinematic = false, .ghosts = false, .overlaps = false}});
    for (int tick = 1; tick <= kTicks; ++tick) {
      for (sim::Body& body : world.movers()) {
        body.velocity = {std::clamp(body.velocity.x, -kFast, kFast),
                         std::clamp(body.velocity.y, -kFast, kFast)};
      }
      ASSERT_TRUE(stepper.step(world).frozen.empty()) << "seed " << seed << " tick " << tick;
    }
  }
}

}  // namespace
}  // namespace tickbox::test::invariants_test
