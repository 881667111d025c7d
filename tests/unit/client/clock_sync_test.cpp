// The clock against a scripted server: every packet's way is decided here, and its margin comes
// back as a server would measure it.

#include "client/clock_sync.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace tickbox::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kRate = 60;
constexpr Duration kPeriod = tick_duration(kRate);
constexpr Instant kStart{std::chrono::hours{1}};

struct Way {
  /// One way, for what is sent at a time since the start.
  std::function<Duration(Duration)> delay;
  double server_drift_ppm = 0;
};

/// What the server saw of one input.
struct Seen {
  Duration sent;  ///< since the start
  double margin;  ///< ticks
};

/// Runs a client of `way` for `length`; what its inputs' margins were.
std::vector<Seen> play(const Way& way, Duration length) {
  struct Reply {
    Instant arrives;
    std::int32_t margin;
    Duration moved;
    bool missed;
  };

  const auto step_of = [&](Tick tick) {
    const double ticks =
        (static_cast<double>(tick.value) - 1'000) * (1 + way.server_drift_ppm * 1e-6);
    return kStart + Duration{std::llround(ticks * static_cast<double>(kPeriod.count()))};
  };
  const Duration round_trip = way.delay(Duration{}) * 2;
  ClockSync clock{kRate, Tick{1'000}, round_trip, kStart + round_trip / 2};
  std::vector<Reply> replies;
  std::vector<Seen> seen;
  while (clock.next_due() - kStart < length) {
    const Instant now = clock.next_due();
    const auto arrived = std::ranges::stable_partition(
        replies, [&](const Reply& reply) { return reply.arrives > now; });
    for (const Reply& reply : arrived) {
      clock.on_margin(reply.margin, reply.moved);
      if (reply.missed) clock.on_missed();
    }
    replies.erase(arrived.begin(), arrived.end());
    if (clock.next_due() > now) continue;  // it was moved back
    const Instant sent = clock.next_due();
    const Tick tick = clock.next();
    clock.ran();
    const Duration delay = way.delay(sent - kStart);
    const Instant arrives = sent + delay;
    const double margin = static_cast<double>((step_of(tick) - arrives).count()) /
                          static_cast<double>(kPeriod.count());
    seen.push_back({.sent = sent - kStart, .margin = margin});
    replies.push_back({.arrives = arrives + delay,
                       .margin = static_cast<std::int32_t>(std::floor(margin * 16)),
                       .moved = clock.moved(),
                       .missed = margin < 0});
  }
  return seen;
}

/// Shares and extremes of the margins from `from` on.
struct Summary {
  double late = 0;  ///< share
  double least = 0;
  double most = 0;
};

Summary summary_from(const std::vector<Seen>& seen, Duration from) {
  std::vector<double> margins;
  for (const Seen& each : seen) {
    if (each.sent >= from) margins.push_back(each.margin);
  }
  EXPECT_FALSE(margins.empty());
  const auto late = std::ranges::count_if(margins, [](double margin) { return margin < 0; });
  return {.late = static_cast<double>(late) / static_cast<double>(margins.size()),
          .least = std::ranges::min(margins),
          .most = std::ranges::max(margins)};
}

Way constant(Duration one_way) {
  return {.delay = [one_way](Duration) { return one_way; }};
}

TEST(ClockSync, LeavesOneTickToSpareOnLoopback) {
  const Summary settled =
      summary_from(play(constant(std::chrono::microseconds{50}), seconds{10}), seconds{4});
  EXPECT_EQ(settled.late, 0);
  EXPECT_GT(settled.least, 0.3);
  EXPECT_LT(settled.most, 1.8);
}

TEST(ClockSync, LeavesOneTickToSpareAtTwentyMilliseconds) {
  const Summary settled = summary_from(play(constant(milliseconds{10}), seconds{10}), seconds{4});
  EXPECT_EQ(settled.late, 0);
  EXPECT_GT(settled.least, 0.3);
  EXPECT_LT(settled.most, 1.8);
}

// Every input that came late while the clock caught up used to ask for a tick more: five of them,
// 80 ms, that were given back one in twenty seconds.
TEST(ClockSync, FollowsAStepToAQuarterOfASecond) {
  const Way way{.delay = [](Duration sent) {
    return sent < seconds{5} ? milliseconds{10} : milliseconds{125};
  }};
  const std::vector<Seen> seen = play(way, seconds{20});
  const Summary settled = summary_from(seen, seconds{9});
  EXPECT_EQ(settled.late, 0);
  EXPECT_GT(settled.least, 0.3);
  const Summary at_rest = summary_from(seen, seconds{15});
  EXPECT_LT(at_rest.most, 4.0) << "a late spell is not paid for with delay for long";
}

TEST(ClockSync, ComesBackWhenTheWayIsShortAgain) {
  const Way way{.delay = [](Duration sent) {
    return sent < seconds{5} ? milliseconds{125} : milliseconds{10};
  }};
  const Summary settled = summary_from(play(way, seconds{30}), seconds{20});
  EXPECT_EQ(settled.late, 0);
  EXPECT_LT(settled.most, 4.0);
}

// One packet in ten is 50 ms later than the others: the clock goes ahead far enough for these.
TEST(ClockSync, MakesRoomForSpikesThatKeepComing) {
  int packets = 0;
  const Way way{.delay = [&packets](Duration) {
    return ++packets % 10 == 0 ? milliseconds{60} : milliseconds{10};
  }};
  const Summary settled = summary_from(play(way, seconds{30}), seconds{10});
  EXPECT_LT(settled.late, 0.02);
  EXPECT_LT(settled.most, 6.0);
}

TEST(ClockSync, FollowsAServerWhoseClockDrifts) {
  for (const double ppm : {-500.0, 500.0}) {
    Way way = constant(milliseconds{10});
    way.server_drift_ppm = ppm;
    const Summary settled = summary_from(play(way, seconds{120}), seconds{2});
    EXPECT_EQ(settled.late, 0) << ppm;
    EXPECT_GT(settled.least, 0.3) << ppm;
    EXPECT_LT(settled.most, 1.8) << ppm;
  }
}

}  // namespace
}  // namespace tickbox::client
