// The whole sequence from its low 18 bits, against the words of the standard taken one by one.

#include "core/rng.h"
#include "net/packet.h"

#include <gtest/gtest.h>

#include <optional>

namespace tickbox::net {
namespace {

constexpr std::uint64_t kCycle = 1U << 18;

// "The number with these low 18 bits that is nearest to the newest sequence received (the later of
// two equally near; never below 0)", among all that could be.
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

TEST(ExpandSequence, FindsAgainWhateverWasSentWithinHalfACycle) {
  Rng rng{2};
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t sequence = 1 + (rng.next() >> (2 + rng.below(60)));
    const std::uint64_t ahead = rng.below(kCycle / 2);
    const auto low = static_cast<std::uint32_t>(sequence % kCycle);
    ASSERT_EQ(expand_sequence(low, sequence + ahead), sequence);
    ASSERT_EQ(expand_sequence(low, sequence - std::min(sequence, ahead)), sequence);
  }
}

}  // namespace
}  // namespace tickbox::net
