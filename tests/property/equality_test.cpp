// The fast step equals the naive one in every world: hash for hash, and every list of the report
// except the influences.
//
// TICKBOX_SEED=17 tries one seed only and prints its world at every tick. Add
// --gtest_filter=*kinematic to look at one failure.

#include "sim/step.h"
#include "tests/property/any_stepper.h"
#include "tests/property/naive/step.h"
#include "tests/property/random_world.h"
#include "tests/property/world_text.h"
#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace tickbox::test::equality_test {
namespace {

constexpr std::uint64_t kSeeds = 1500;
constexpr std::uint64_t kPileSeeds = 30;
constexpr int kTicks = 14;
constexpr int kTicksBetweenDisturbances = 5;

bool prints_worlds() {
  return setting("TICKBOX_SEED") != nullptr;
}

class FastStep : public testing::TestWithParam<WorldKind> {
 protected:
  void try_seed(std::uint64_t seed, int movers_max);

  sim::PhysicsStepper stepper_;
  std::size_t contacts_ = 0;
};

void FastStep::try_seed(std::uint64_t seed, int movers_max) {
  const Features& features = GetParam().features;
  sim::PhysicsWorld fast =
      random_world({.seed = seed, .movers_max = movers_max, .features = features});
  Rng rng{seed};
  for (int tick = 1; tick <= kTicks; ++tick) {
    if (tick % kTicksBetweenDisturbances == 0) disturb(fast, rng, features);
    sim::PhysicsWorld naive = fast;
    const sim::PhysicsWorld before = fast;
    const sim::StepReport expected = naive_step(naive);
    if (prints_worlds()) std::cout << "before tick " << tick << '\n' << text_of(before) << '\n';
    const sim::StepReport& report = stepper_.step(fast);
    const std::string difference =
        first_difference(fast, naive) + first_difference(report, expected);
    ASSERT_TRUE(difference.empty() && state_hash(fast) == state_hash(naive))
        << "seed " << seed << " tick " << tick << '\n'
        << difference << "again, with the world: TICKBOX_SEED=" << seed
        << " property_sim --gtest_filter=*/FastStep.*/" << GetParam().name;
    contacts_ += expected.contacts.size();
  }
}

TEST_P(FastStep, EqualsTheNaiveStep) {
  for (const std::uint64_t seed : seeds(kSeeds)) {
    try_seed(seed, seed % 4 == 0 ? 40 : 20);
    if (HasFatalFailure()) return;
  }
  const bool tried_all = seeds(kSeeds).size() == kSeeds;
  EXPECT_TRUE(!tried_all || contacts_ > 10'000) << "the worlds are too empty to prove anything";
}

// In a pile bodies have fewer turns to part.
TEST(FastStepOfAPile, EqualsTheNaiveStep) {
  sim::PhysicsStepper stepper;
  for (std::uint64_t seed = 0; seed < kPileSeeds; ++seed) {
    Rng rng{seed};
    const auto bodies = static_cast<std::uint32_t>(20 + rng.below(100));
    const std::uint64_t spread = 1 + rng.below(std::uint64_t{2} * kUnit);
    std::vector<sim::Body> pile = {wall(1'000, at(-2, 1), at(8, 1))};
    for (std::uint32_t i = 0; i < bodies; ++i) {
      pile.push_back(box(i,
                         {static_cast<std::int32_t>(rng.below(spread)),
                          static_cast<std::int32_t>(rng.below(spread))},
                         at(1, 1)));
    }
    sim::PhysicsWorld fast = Scene::make_world({.gravity = {0, 18}}, pile);
    std::size_t separated = 0;
    for (int tick = 1; tick <= 3; ++tick) {
      sim::PhysicsWorld naive = fast;
      const sim::StepReport expected = naive_step(naive);
      const sim::StepReport& report = stepper.step(fast);
      ASSERT_EQ(first_difference(fast, naive) + first_difference(report, expected), "")
          << "seed " << seed << " tick " << tick;
      separated += report.separated.size();
    }
    EXPECT_GT(separated, 0U) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, FastStep, world_kinds(),
                         [](const testing::TestParamInfo<WorldKind>& worlds) {
                           return std::string{worlds.param.name};
                         });

}  // namespace
}  // namespace tickbox::test::equality_test
