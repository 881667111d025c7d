// I8: saving and restoring at any tick changes nothing, neither does the order in which bodies
// were added, nor what the stepper stepped before.

#include "sim/step.h"
#include "tests/property/any_stepper.h"
#include "tests/property/random_world.h"
#include "tests/property/world_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tickbox::test {
namespace {

/// The same world, put together in another order: from fields alone, as a keyframe is read.
sim::World restored(const sim::World& saved, Rng& rng) {
  const auto shuffled = [&](std::vector<sim::Body> bodies) {
    for (std::size_t n = bodies.size(); n > 1; --n) {
      std::swap(bodies[n - 1], bodies[rng.below(n)]);
    }
    return bodies;
  };
  const auto statics = saved.statics().bodies();
  const auto paths = saved.statics().paths();
  sim::World world{saved.settings(), std::make_shared<const sim::Statics>(
                                         shuffled({statics.begin(), statics.end()}),
                                         std::vector<sim::Path>{paths.begin(), paths.end()})};
  for (const sim::Body& body : shuffled({saved.movers().begin(), saved.movers().end()})) {
    world.add(body);
  }
  return world;
}

TEST(Restore, AtAnyTickChangesNothing) {
  constexpr int kTicks = 24;
  constexpr int kTicksBetweenDisturbances = 7;
  AnyStepper old;  // has stepped all worlds before
  for (const std::uint64_t seed : seeds(600)) {
    const Features features;
    sim::World world = random_world({.seed = seed, .movers_max = 50, .features = features});
    Rng rng{seed};
    for (int tick = 1; tick <= kTicks; ++tick) {
      if (tick % kTicksBetweenDisturbances == 0) disturb(world, rng, features);
      sim::World copy = restored(world, rng);
      ASSERT_EQ(state_hash(copy), state_hash(world)) << "seed " << seed << " tick " << tick;
      AnyStepper fresh;
      const sim::StepReport& expected = fresh.step(copy);
      const sim::StepReport& report = old.step(world);
      const std::string difference =
          first_difference(world, copy) + first_difference(report, expected);
      ASSERT_TRUE(difference.empty() && state_hash(copy) == state_hash(world))
          << "seed " << seed << " tick " << tick << " (\"fast\" went on, \"naive\" was restored)\n"
          << difference;
    }
  }
}

}  // namespace
}  // namespace tickbox::test
