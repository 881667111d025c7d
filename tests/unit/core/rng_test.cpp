#include "core/rng.h"

#include <gtest/gtest.h>

#include <array>

namespace tickbox {
namespace {

// The published first outputs of splitmix64 for seed 1234567.
TEST(Rng, IsSplitmix64) {
  Rng rng{1234567};
  EXPECT_EQ(rng.next(), 6457827717110365317ULL);
  EXPECT_EQ(rng.next(), 3203168211198807973ULL);
  EXPECT_EQ(rng.next(), 9817491932198370423ULL);
}

TEST(Rng, GoesOnFromItsState) {
  Rng rng{3};
  rng.next();
  Rng copy{rng.state()};
  EXPECT_EQ(rng.next(), copy.next());
}

TEST(Rng, DrawsEveryValueBelowItsBoundAboutAsOften) {
  Rng rng{11};
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) {
    ++counts[rng.below(counts.size())];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 10'000, 400);
  }
}

}  // namespace
}  // namespace tickbox
