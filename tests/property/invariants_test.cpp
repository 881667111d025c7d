// I1, I2, I5, I7 and the promises about ghosts and kinematic bodies, in random worlds of all kinds,
// by a checker that looks at positions alone.

#include "tests/property/any_stepper.h"
#include "tests/property/checker.h"
#include "tests/property/random_world.h"
#include "tests/property/world_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace tickbox::test {
namespace {

TEST(Invariants, HoldInWorldsOfAllKinds) {
  constexpr int kTicks = 40;
  constexpr int kTicksBetweenDisturbances = 7;
  AnyStepper stepper;
  std::size_t body_ticks = 0;
  for (const std::uint64_t seed : seeds(2'000)) {
    const Features features;
    sim::World world =
        random_world({.seed = seed, .movers_max = 80, .statics_max = 30, .features = features});
    Rng rng{seed};
    for (int tick = 1; tick <= kTicks; ++tick) {
      if (tick % kTicksBetweenDisturbances == 0) disturb(world, rng, features);
      const sim::World before = world;
      const sim::StepReport& report = stepper.step(world);
      const std::string wrong = what_is_wrong(before, world, report);
      ASSERT_TRUE(wrong.empty()) << "seed " << seed << " tick " << tick << '\n' << wrong;
      body_ticks += before.movers().size();
    }
  }
  RecordProperty("body_ticks", static_cast<int>(body_ticks));
}

}  // namespace
}  // namespace tickbox::test
