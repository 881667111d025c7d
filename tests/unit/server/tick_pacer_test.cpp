// The deadlines of ticks, and the reports on ticks that did not run in time.

#include "server/shard/paced_logs.h"
#include "server/shard/tick_time.h"

#include <gtest/gtest.h>

namespace tickbox::server::tick_pacer_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kStart{seconds{100}};

/// Runs the ticks that are due at `now`; returns their number.
std::int64_t run(TickPacer& pacer, Instant now) {
  const std::int64_t due = pacer.due(now);
  for (std::int64_t i = 0; i < due; ++i) {
    pacer.ran();
  }
  return due;
}

TEST(TickPacer, IsDueOncePerPeriod) {
  TickPacer pacer{kStart, 60};
  EXPECT_EQ(run(pacer, kStart), 0);
  EXPECT_EQ(run(pacer, pacer.next() - Duration{1}), 0);
  EXPECT_EQ(run(pacer, pacer.next()), 1);
  EXPECT_EQ(run(pacer, pacer.next() - Duration{1}), 0);
}

// 60 does not divide a second into whole nanoseconds. An hour later the deadlines are still exact.
TEST(TickPacer, NeverDrifts) {
  TickPacer pacer{kStart, 60};
  for (int i = 0; i < 60 * 3'600; ++i) {
    run(pacer, pacer.next());
  }
  EXPECT_EQ(pacer.next(), kStart + seconds{3'600} + Duration{1'000'000'000 / 60});
  EXPECT_EQ(pacer.slipped(), 0U);
}

TEST(TickPacer, CatchesUpAShortStall) {
  TickPacer pacer{kStart, 60};
  EXPECT_EQ(run(pacer, kStart + milliseconds{101}), 6);
  EXPECT_EQ(pacer.slipped(), 0U);
}

// Before the fix, a server with a limit of two ticks ran five on a busy machine.
TEST(TickPacer, CatchesUpNoMoreThanAreLeft) {
  TickPacer pacer{kStart, 60};
  EXPECT_EQ(pacer.due(kStart + milliseconds{101}, 2), 2);
  EXPECT_EQ(pacer.due(kStart + milliseconds{101}, 0), 0);
  EXPECT_EQ(pacer.due(kStart + milliseconds{101}, 7), 6);
}

TEST(TickPacer, SlipsWhatALongStallLeaves) {
  TickPacer pacer{kStart, 60};
  const Instant after = kStart + seconds{10};
  EXPECT_EQ(run(pacer, after), TickPacer::kCatchUpMax);
  EXPECT_EQ(pacer.slipped(), 600U - TickPacer::kCatchUpMax);
  EXPECT_EQ(run(pacer, after), 0);
  EXPECT_GT(pacer.next(), after);
  EXPECT_LE(pacer.next() - after, tick_duration(60));
}

/// A pacer at 60 Hz that is queried at `now`, as the server's loop does.
class StallLogTest : public testing::Test {
 protected:
  std::optional<std::string> logged_at(Instant now) {
    const Instant deadline = pacer_.next();
    for (std::int64_t i = pacer_.due(now); i > 0; --i)
      pacer_.ran();
    discarded_ += 8;
    stalls_.observe(pacer_.slipped(), now - deadline, discarded_, now);
    const auto event = stalls_.consume(discarded_, now);
    return event ? std::optional{as_text(*event)} : std::nullopt;
  }

 private:
  TickPacer pacer_{kStart - tick_duration(60), 60};
  StallLog stalls_;
  std::uint64_t discarded_ = 100;
};

TEST_F(StallLogTest, SaysNothingOfWhatIsCaughtUp) {
  EXPECT_EQ(logged_at(kStart), std::nullopt);
  EXPECT_EQ(logged_at(kStart + milliseconds{100}), std::nullopt);
}

TEST_F(StallLogTest, SaysASecondLaterHowManyTicksHowLongAndWhatItCost) {
  for (int ms = 2'000; ms < 3'000; ms += 100)
    EXPECT_EQ(logged_at(kStart + milliseconds{ms}), std::nullopt);
  EXPECT_EQ(logged_at(kStart + milliseconds{3'000}),
            "ticks_slipped count=113 stalled_ms=2000 inputs_discarded=80");
  EXPECT_EQ(logged_at(kStart + milliseconds{3'000}), std::nullopt);
}

TEST_F(StallLogTest, AddsUpWhatFollowsUntilTenSecondsLater) {
  EXPECT_EQ(logged_at(kStart + seconds{1}), std::nullopt);
  ASSERT_NE(logged_at(kStart + seconds{2}), std::nullopt);
  EXPECT_EQ(logged_at(kStart + seconds{4}), std::nullopt);
  const auto later = logged_at(kStart + seconds{12});
  ASSERT_TRUE(later.has_value());
  EXPECT_TRUE(later->starts_with("ticks_slipped count=")) << *later;
  EXPECT_TRUE(later->contains(" stalled_ms=9")) << *later;
}

// Before the fix, the lateness was measured after the deadlines had moved: a stall was in no
// histogram.
TEST(TickPacer, KnowsHowLateATickWasBeforeItsDeadlineMoved) {
  TickPacer pacer{Instant{}, 60};
  const Instant late = pacer.next() + std::chrono::milliseconds{1'500};
  EXPECT_EQ(pacer.due(late), TickPacer::kCatchUpMax);
  EXPECT_GT(pacer.slipped(), 0U);
  EXPECT_EQ(pacer.behind(), std::chrono::milliseconds{1'500});
  EXPECT_LT(late - pacer.next(), std::chrono::milliseconds{150}) << "the deadlines moved";
  EXPECT_EQ(TickPacer(Instant{}, 60).behind(), Duration::zero());
}

TEST(OverrunLog, DescribesTheLongestAtMostEveryTenSeconds) {
  OverrunLog log;
  EXPECT_FALSE(log.consume(kStart));
  log.add({.tick = 712,
           .total = milliseconds{21},
           .receive = milliseconds{1},
           .step = milliseconds{15},
           .send = milliseconds{5},
           .entities = 300,
           .clients = 200});
  log.add({.tick = 713, .total = milliseconds{17}});
  EXPECT_EQ(as_text(log.consume(kStart).value()),
            "tick_overrun count=2 tick=712 total_ms=21.0 receive_ms=1.0 step_ms=15.0 send_ms=5.0 "
            "entities=300 clients=200");
  log.add({.tick = 800, .total = milliseconds{18}});
  EXPECT_FALSE(log.consume(kStart + seconds{9}));
  const auto later = log.consume(kStart + seconds{10});
  ASSERT_TRUE(later);
  EXPECT_TRUE(as_text(*later).starts_with("tick_overrun count=1 tick=800 total_ms=18.0"));
}

}  // namespace
}  // namespace tickbox::server::tick_pacer_test
