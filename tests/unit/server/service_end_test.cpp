#include "server/host/supervisor.h"

#include <gtest/gtest.h>

namespace tickbox::server::service_end_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Change = ServiceEnd::Change;
using Seen = ServiceEnd::Seen;

constexpr Instant kNow{seconds{50}};
constexpr Seen kPlayed{.clients = 2, .seats_held = 2};

/// `seen` after this many stop signals.
Seen after(int signals, Seen seen) {
  seen.stop_signals = signals;
  return seen;
}

TEST(ServiceEnd, WithoutADrainTimeTheFirstSignalEndsIt) {
  ServiceEnd end{{}};
  EXPECT_EQ(end.update(kPlayed, kNow), Change::None);
  EXPECT_EQ(end.update(after(1, kPlayed), kNow), Change::HasEnded);
}

TEST(ServiceEnd, WithoutADrainTimeAnOrderEndsIt) {
  ServiceEnd end{{}};
  Seen seen = kPlayed;
  seen.drain_asked = true;
  EXPECT_EQ(end.update(seen, kNow), Change::HasEnded);
}

TEST(ServiceEnd, DrainsForItsTime) {
  ServiceEnd end{{.drain_time = seconds{30}}};
  EXPECT_EQ(end.update(kPlayed, kNow), Change::None);
  EXPECT_FALSE(end.drains_to());
  EXPECT_EQ(end.update(after(1, kPlayed), kNow), Change::Drains);
  EXPECT_EQ(end.drains_to(), kNow + seconds{30});
  EXPECT_EQ(end.update(after(1, kPlayed), kNow + milliseconds{29'999}), Change::None);
  EXPECT_EQ(end.update(after(1, kPlayed), kNow + seconds{30}), Change::HasEnded);
}

// Before it ends, the players must have the time to go.
TEST(ServiceEnd, HandsItsPlayersOverForAWhileWithoutADrainTime) {
  Seen seen = kPlayed;
  seen.drain_asked = true;
  seen.hands_over = true;
  ServiceEnd without{{}};
  EXPECT_EQ(without.update(seen, kNow), Change::Drains);
  EXPECT_EQ(without.drains_to(), kNow + kHandOverTime);
  ServiceEnd with{{.drain_time = seconds{30}}};
  EXPECT_EQ(with.update(seen, kNow), Change::Drains);
  EXPECT_EQ(with.drains_to(), kNow + seconds{30});
}

// Before the fix, an order in the last seconds of a drain came too late for the players.
TEST(ServiceEnd, TheFirstHandOverOfADrainMakesItLongerIfItMust) {
  const auto hands_over = [](Seen seen) {
    seen.drain_asked = true;
    seen.hands_over = true;
    return seen;
  };
  ServiceEnd end{{.drain_time = seconds{60}}};
  EXPECT_EQ(end.update(after(1, kPlayed), kNow), Change::Drains);
  const Instant order = kNow + seconds{58};
  EXPECT_EQ(end.update(hands_over(after(1, kPlayed)), order), Change::Drains);
  EXPECT_EQ(end.drains_to(), order + kHandOverTime);
  EXPECT_EQ(end.update(hands_over(after(1, kPlayed)), order + seconds{5}), Change::None)
      << "repeated orders do not hold the server";
  EXPECT_EQ(end.update(after(1, kPlayed), order + kHandOverTime), Change::HasEnded);
  ServiceEnd early{{.drain_time = seconds{60}}};
  EXPECT_EQ(early.update(after(1, kPlayed), kNow), Change::Drains);
  EXPECT_EQ(early.update(hands_over(after(1, kPlayed)), kNow + seconds{50}), Change::None);
  EXPECT_EQ(early.drains_to(), kNow + seconds{60});
}

TEST(ServiceEnd, ADrainEndsWhenTheLastPlayerIsGone) {
  ServiceEnd end{{.drain_time = seconds{30}}};
  EXPECT_EQ(end.update(after(1, kPlayed), kNow), Change::Drains);
  // A player whose link is lost may return.
  EXPECT_EQ(end.update(after(1, {.clients = 0, .seats_held = 1}), kNow), Change::None);
  EXPECT_EQ(end.update(after(1, {}), kNow), Change::HasEnded);
}

TEST(ServiceEnd, AnEmptyServerDoesNotDrain) {
  ServiceEnd end{{.drain_time = seconds{30}}};
  EXPECT_EQ(end.update(after(1, {}), kNow), Change::HasEnded);
}

TEST(ServiceEnd, ASecondSignalEndsADrain) {
  ServiceEnd end{{.drain_time = seconds{30}}};
  EXPECT_EQ(end.update(after(1, kPlayed), kNow), Change::Drains);
  EXPECT_EQ(end.update(after(2, kPlayed), kNow), Change::HasEnded);
}

// Kubernetes runs a hook that asks for the drain, and then sends SIGTERM.
TEST(ServiceEnd, TheFirstSignalAfterAnOrderChangesNothing) {
  ServiceEnd end{{.drain_time = seconds{30}}};
  Seen seen = kPlayed;
  seen.drain_asked = true;
  EXPECT_EQ(end.update(seen, kNow), Change::Drains);
  EXPECT_EQ(end.update(after(1, seen), kNow + seconds{5}), Change::None);
  EXPECT_EQ(end.drains_to(), kNow + seconds{30});
  EXPECT_EQ(end.update(after(2, seen), kNow + seconds{6}), Change::HasEnded);
}

TEST(ServiceEnd, EndsWhenNoClientHasPlayedForATime) {
  ServiceEnd end{{.exit_when_empty = seconds{60}}};
  EXPECT_EQ(end.update(kPlayed, kNow), Change::None);
  EXPECT_EQ(end.update({}, kNow + seconds{10}), Change::None);
  EXPECT_EQ(end.update({}, kNow + seconds{69}), Change::None);
  EXPECT_EQ(end.update(kPlayed, kNow + seconds{70}), Change::None) << "somebody came in time";
  EXPECT_EQ(end.update({}, kNow + seconds{80}), Change::None);
  EXPECT_EQ(end.update({}, kNow + seconds{139}), Change::None);
  EXPECT_EQ(end.update({}, kNow + seconds{140}), Change::IsEmpty);
}

// One of a fleet that waits for its players.
TEST(ServiceEnd, WaitsForItsFirstClientWithoutALimit) {
  ServiceEnd end{{.exit_when_empty = seconds{60}}};
  EXPECT_EQ(end.update({}, kNow), Change::None);
  EXPECT_EQ(end.update({}, kNow + std::chrono::hours{100}), Change::None);
}

// The players of its match may never come.
TEST(ServiceEnd, AnAllocatedServerWaitsForItsPlayersForTheSameTime) {
  ServiceEnd end{{.exit_when_empty = seconds{60}}};
  EXPECT_EQ(end.update({}, kNow), Change::None);
  EXPECT_EQ(end.update({.allocations = 1}, kNow + seconds{500}), Change::None);
  EXPECT_EQ(end.update({.allocations = 1}, kNow + seconds{501}), Change::None);
  EXPECT_EQ(end.update({.allocations = 2}, kNow + seconds{560}), Change::None);
  EXPECT_EQ(end.update({.allocations = 2}, kNow + seconds{561}), Change::None);
  EXPECT_EQ(end.update({.allocations = 2}, kNow + seconds{620}), Change::None);
  EXPECT_EQ(end.update({.allocations = 2}, kNow + seconds{621}), Change::IsEmpty);
}

TEST(ServiceEnd, NeverEndsEmptyUnlessAsked) {
  ServiceEnd end{{}};
  EXPECT_EQ(end.update(kPlayed, kNow), Change::None);
  EXPECT_EQ(end.update({}, kNow + std::chrono::hours{100}), Change::None);
}

}  // namespace
}  // namespace tickbox::server::service_end_test
