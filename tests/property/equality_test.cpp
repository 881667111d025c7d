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

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <string>

namespace tickbox::test {
namespace {

constexpr std::uint64_t kSeeds = 1500;
constexpr int kTicks = 14;
constexpr int kTicksBetweenDisturbances = 5;

bool prints_worlds() {
  return setting("TICKBOX_SEED") != nullptr;
}

class FastStep : public testing::TestWithParam<WorldKind> {
 protected:
  void try_seed(std::uint64_t seed, int movers_max);

  sim::Stepper stepper_;
  std::size_t contacts_ = 0;
};

void FastStep::try_seed(std::uint64_t seed, int movers_max) {
  const Features& features = GetParam().features;
  sim::World fast = random_world({.seed = seed, .movers_max = movers_max, .features = features});
  Rng rng{seed};
  for (int tick = 1; tick <= kTicks; ++tick) {
    if (tick % kTicksBetweenDisturbances == 0) disturb(fast, rng, features);
    sim::World naive = fast;
    const sim::World before = fast;
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

INSTANTIATE_TEST_SUITE_P(Worlds, FastStep, world_kinds(),
                         [](const testing::TestParamInfo<WorldKind>& worlds) {
                           return std::string{worlds.param.name};
                         });

}  // namespace
}  // namespace tickbox::test
