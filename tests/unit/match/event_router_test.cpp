// The players that receive each event of a tick.

#include "server/match/event_delivery.h"
#include "tests/support/allocations.h"
#include "tests/unit/match/planned_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

/// Seat 0 shoots at seat 1. Seat 2 is in sight of both, seat 3 is far away.
class EventRouterTest : public ::testing::Test {
 protected:
  static constexpr std::uint8_t kSeatKind = 0;
  static constexpr std::uint8_t kHitKind = 1;

  /// A player and the kind of an event that reaches it.
  using Reached = std::vector<std::pair<std::uint16_t, std::uint8_t>>;

  void gather() { router_.gather(match_.match()); }

  /// Returns whom the events of the last tick reach, in order for each player.
  Reached routed() {
    Reached reached;
    router_.route(match_.match(), [&](Player player, std::size_t event) {
      reached.emplace_back(player.seat, kind_of(event));
      return true;
    });
    std::ranges::stable_sort(reached, {}, &std::pair<std::uint16_t, std::uint8_t>::first);
    return reached;
  }

  [[nodiscard]] std::uint8_t kind_of(std::size_t event) const {
    engine::BitReader in{router_.bytes(), router_.bits(event).first};
    return static_cast<std::uint8_t>(in.read(1));
  }

  /// Plays until the dart has hit.
  void hit() {
    match_.tick({{.seat = 0, .pad = kShoot}});
    for (int ticks = 0; match_.match().report().emitted.empty(); ++ticks) {
      ASSERT_LT(ticks, 60);
      match_.tick();
    }
    gather();
  }

  FieldMatch match_{{units(0, 0), units(4, 0), units(2, 5), units(300, 0)}};
  EventRouter router_;
};

TEST_F(EventRouterTest, AQuietTickHasNoEvents) {
  match_.tick();
  gather();
  EXPECT_EQ(router_.size(), 0U);
  EXPECT_TRUE(routed().empty());
}

// The event of the game comes first, then the new state of the shooter's seat. The shooter sees
// both; the victim owns the entity that was hit, and no longer sees the shooter.
TEST_F(EventRouterTest, AHitReachesThoseThatSeeItAndTheOwnerOfTheEntity) {
  ASSERT_NO_FATAL_FAILURE(hit());
  ASSERT_EQ(match_.place(1), field::kElsewhere);
  EXPECT_EQ(router_.size(), 2U);
  EXPECT_EQ(routed(),
            (Reached{{0, kHitKind}, {0, kSeatKind}, {1, kHitKind}, {2, kHitKind}, {2, kSeatKind}}));
}

// A player who sees nothing of the place is named by a field of the event.
TEST_F(EventRouterTest, AHitReachesThePlayerThatAFieldNames) {
  match_.put({units(0, 0), units(40, 0)});
  match_.tick({{.seat = 0, .pad = kShoot}});
  match_.command_put(0, units(300, 200));
  match_.tick();
  ASSERT_TRUE(match_.match().report().emitted.empty());
  ASSERT_NO_FATAL_FAILURE([this] {
    for (int ticks = 0; match_.match().report().emitted.empty(); ++ticks) {
      ASSERT_LT(ticks, 60);
      match_.tick();
    }
  }());
  gather();
  const Reached reached = routed();
  EXPECT_EQ(reached.front(), (std::pair<std::uint16_t, std::uint8_t>{0, kHitKind}))
      << "the shooter, wherever it is";
  EXPECT_EQ(std::ranges::count(reached, 3, &std::pair<std::uint16_t, std::uint8_t>::first), 0);
}

TEST_F(EventRouterTest, APlayersNewStateReachesItselfAndThoseThatSeeItsAvatar) {
  ASSERT_NO_FATAL_FAILURE(hit());
  std::vector<std::uint16_t> seen;
  for (const auto& [seat, kind] : routed()) {
    if (kind == kSeatKind) seen.push_back(seat);
  }
  EXPECT_EQ(seen, (std::vector<std::uint16_t>{0, 2}));
  engine::BitReader in{router_.bytes(), router_.bits(1).first + 1};
  EXPECT_EQ(in.read(12), 0U) << "the state of the shooter's seat";
}

// A body in view stays in view a little beyond the sight. An event is seen just as far.
TEST_F(EventRouterTest, AnEventIsSeenALittleBeyondTheSight) {
  const std::int32_t edge = field::kSight.x + kViewHysteresis;
  match_.put({units(0, 0), units(4, 0), {4 * kUnit + edge - kUnit, 0}, units(300, 0)});
  ASSERT_NO_FATAL_FAILURE(hit());
  EXPECT_EQ(std::ranges::count(routed(), std::pair<std::uint16_t, std::uint8_t>{2, kHitKind}), 1);
  match_.put({units(0, 0), units(4, 0), {4 * kUnit + edge + kUnit, 0}, units(300, 0)});
  ASSERT_NO_FATAL_FAILURE(hit());
  EXPECT_EQ(std::ranges::count(routed(), std::pair<std::uint16_t, std::uint8_t>{2, kHitKind}), 0);
}

TEST_F(EventRouterTest, APlayerThatHasLeftReceivesNothing) {
  match_.tick({{.seat = 0, .pad = kShoot}});
  match_.leave({0, 2});
  for (int ticks = 0; ticks < 60 && match_.match().report().emitted.empty(); ++ticks)
    match_.tick();
  ASSERT_FALSE(match_.match().report().emitted.empty());
  gather();
  EXPECT_EQ(routed(), (Reached{{1, kHitKind}})) << "nobody scores";
}

TEST_F(EventRouterTest, APlayerThatTakesNoMoreIsOfferedNoMore) {
  ASSERT_NO_FATAL_FAILURE(hit());
  std::vector<std::uint16_t> offered;
  router_.route(match_.match(), [&](Player player, std::size_t) {
    offered.push_back(player.seat);
    return player != Player{0};
  });
  EXPECT_EQ(std::ranges::count(offered, 0), 1);
  EXPECT_EQ(std::ranges::count(offered, 2), 2);
}

TEST_F(EventRouterTest, AsksForNoMemoryOnceWarm) {
  ASSERT_NO_FATAL_FAILURE(hit());
  routed();
  std::size_t events = 0;
  const std::uint64_t before = tests::allocations();
  router_.gather(match_.match());
  router_.route(match_.match(), [&](Player, std::size_t) {
    ++events;
    return true;
  });
  EXPECT_EQ(tests::allocations(), before);
  EXPECT_EQ(events, 5U);
}

}  // namespace
}  // namespace tickbox::server
