// The real clock: it goes forward, and a sleep ends at the asked moment and not before.

#include "os/process/steady_clock.h"

#include <gtest/gtest.h>

namespace tickbox::os {
namespace {

using namespace std::chrono_literals;

TEST(SteadyClock, NeverRunsBackwards) {
  const SteadyClock clock;
  Instant last = clock.now();
  for (int i = 0; i < 1'000; ++i) {
    const Instant now = clock.now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(SteadyClock, SleepsUntilTheMomentAndNotShorter) {
  const SteadyClock clock;
  const Instant start = clock.now();
  sleep_until(start + 20ms);
  EXPECT_GE(clock.now() - start, 20ms);
}

TEST(SteadyClock, AMomentThatHasPassedIsNoReasonToWait) {
  const SteadyClock clock;
  const Instant start = clock.now();
  sleep_until(start - 1h);
  sleep_until(Instant{});
  EXPECT_LT(clock.now() - start, 1s);
}

}  // namespace
}  // namespace tickbox::os
