// Sequences of packets: whole from their low bits, and taken once.

#include "core/rng.h"
#include "net/packet.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

namespace tickbox::net {
namespace {

// The whole sequence from its low 18 bits, against the words of the standard taken one by one.

constexpr std::uint64_t kCycle = 1U << 18;

// Returns the number with these low 18 bits that is nearest to the newest sequence received: of two
// equally near the later, and never one below 0. Tries all that could be.
std::uint64_t nearest(std::uint32_t low, std::uint64_t newest) {
  const std::uint64_t cycle = newest / kCycle;
  std::optional<std::uint64_t> best;
  const auto distance = [newest](std::uint64_t number) {
    return number > newest ? number - newest : newest - number;
  };
  for (std::uint64_t n = cycle < 2 ? 0 : cycle - 2; n <= cycle + 2; ++n) {
    const std::uint64_t number = n * kCycle + low;
    if (!best || distance(number) <= distance(*best)) best = number;  // the later of equals
  }
  return *best;
}

TEST(ExpandSequence, FindsTheNearestOfAllWithTheseBits) {
  for (const std::uint64_t newest :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{65'535}, std::uint64_t{65'536},
        kCycle / 2 - 1, kCycle / 2, kCycle / 2 + 1, kCycle - 1, kCycle, kCycle + 1,
        3 * kCycle / 2 - 1, 3 * kCycle / 2, 3 * kCycle / 2 + 1, std::uint64_t{1} << 32,
        (std::uint64_t{1} << 48) - 1, (std::uint64_t{1} << 62) + 12'345}) {
    for (std::uint32_t low = 0; low < kCycle; ++low)
      ASSERT_EQ(expand_sequence(low, newest), nearest(low, newest)) << low << " at " << newest;
  }
}

TEST(ExpandSequence, FindsTheNearestAnywhere) {
  Rng rng{1};
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t newest = rng.next() >> (2 + rng.below(60));
    const auto low = static_cast<std::uint32_t>(rng.below(kCycle));
    ASSERT_EQ(expand_sequence(low, newest), nearest(low, newest)) << low << " at " << newest;
  }
}

TEST(ReplayWindow, KnowsNoSequenceZero) {
  EXPECT_FALSE(ReplayWindow{}.accepts(0));
}

TEST(ReplayWindow, ReachesBack1023AndNoFurther) {
  for (const std::uint64_t first : {1U, 2U, 63U, 64U, 1'000U, 65'530U}) {
    for (const std::uint64_t later : {1U, 1'023U, 1'024U, 1'025U}) {
      ReplayWindow window;
      window.advance(first + later);
      EXPECT_EQ(window.accepts(first), later < kReplayWindow)
          << first << " came " << later << " late";
      ReplayWindow seen;
      seen.advance(first);
      seen.advance(first + later);
      EXPECT_FALSE(seen.accepts(first)) << first << " again " << later << " later";
    }
  }
}

// Against a set that forgets nothing.
TEST(ReplayWindow, AgreesWithASetUnderEveryOrder) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    Rng rng{seed};
    ReplayWindow window;
    std::set<std::uint64_t> taken;
    std::uint64_t newest = 0;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t lowest = newest > 1'100 ? newest - 1'100 : 0;
      const std::uint64_t sequence = lowest + rng.below(1'110 + (rng.chance(1, 100) ? 1'200U : 0U));
      const bool is_new =
          sequence != 0 && sequence + kReplayWindow > newest && !taken.contains(sequence);
      ASSERT_EQ(window.accepts(sequence), is_new) << "seed " << seed << " step " << i;
      if (!is_new) continue;
      window.advance(sequence);
      taken.insert(sequence);
      newest = std::max(newest, sequence);
      ASSERT_EQ(window.newest(), newest);
      ASSERT_EQ(window.count(), taken.size());
    }
  }
}

}  // namespace
}  // namespace tickbox::net
