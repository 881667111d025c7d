// Snapshots of a crowd for one client, when a snapshot holds only a part of it.

#include "core/rng.h"
#include "tests/unit/match/planned_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tickbox::server {
namespace {

constexpr std::size_t kSmall = 300;  // bytes of a datagram
/// Runners in sight of the first: a grid of 2-unit squares over ±10 units has 121 places.
constexpr std::uint16_t kCrowd = 120;

/// Places two units apart: the first in the middle, the others from the outside inwards.
std::vector<Vec2> crowd(std::size_t players) {
  constexpr std::int32_t kRing = 5;
  std::vector<Vec2> places;
  for (std::int32_t y = -kRing; y <= kRing; ++y) {
    for (std::int32_t x = -kRing; x <= kRing; ++x) {
      places.push_back(units(2 * x, 2 * y));
    }
  }
  std::ranges::stable_sort(places, {}, [](Vec2 place) { return axis_distance(place, {}); });
  places.resize(players);
  std::ranges::reverse(std::span{places}.subspan(1));
  return places;
}

std::int64_t distance_of(const PlannedMatch& match, std::uint16_t seat) {
  return axis_distance(match.place(seat), match.place(0));
}

std::vector<BodyId> ids_of(const views::Content& content) {
  std::vector<BodyId> ids;
  for (const views::RowHead& head : content.rows.heads()) {
    ids.push_back(head.id);
  }
  return ids;
}

/// No body that is left out is nearer than a body in the view.
void expect_the_nearest(const PlannedMatch& match) {
  std::int64_t furthest_in = 0;
  std::int64_t nearest_out = std::numeric_limits<std::int64_t>::max();
  for (std::uint16_t seat = 0; seat < kCrowd; ++seat) {
    if (match.sees(seat)) furthest_in = std::max(furthest_in, distance_of(match, seat));
    if (!match.sees(seat)) nearest_out = std::min(nearest_out, distance_of(match, seat));
  }
  EXPECT_LE(furthest_in, nearest_out);
}

TEST(PlannerBudget, IsFilledWithTheNearest) {
  PlannedMatch match{crowd(kCrowd)};
  match.tick();
  const views::Content& content = match.send(kSmall);
  EXPECT_FALSE(match.plan().on_base);
  EXPECT_GT(content.rows.size(), 10U);
  EXPECT_LT(content.rows.size(), kCrowd);
  EXPECT_GT(match.bytes() + protocol::kSnapshotFrameBytes, kSmall - 20) << "as far as bodies fit";
  expect_the_nearest(match);
}

// A client without a base has lost its view: those that have waited for a place in it must not come
// before the near ones that it knew.
TEST(PlannerBudget, IsFilledWithTheNearestAgainWhereTheBaseIsTooOld) {
  PlannedMatch match{crowd(kCrowd)};
  match.tick();
  match.send(kSmall);
  match.acknowledge();
  for (std::uint32_t age = 1; age <= protocol::kBaseAgeMax; ++age) {
    match.tick();
    match.send(kSmall);
    EXPECT_TRUE(match.plan().on_base);
  }
  match.tick();
  match.send(kSmall);
  EXPECT_FALSE(match.plan().on_base);
  expect_the_nearest(match);
}

TEST(PlannerBudget, LetsAllInAfterSomeSnapshotsAndNoneOut) {
  PlannedMatch match{crowd(kCrowd)};
  std::set<BodyId> before;
  for (int snapshots = 0; match.members().size() < kCrowd; ++snapshots) {
    ASSERT_LT(snapshots, 60);
    match.tick();
    match.send(2 * kSmall);
    EXPECT_TRUE(std::ranges::includes(match.members(), before));
    EXPECT_GT(match.members().size(), before.size());
    before = match.members();
    match.acknowledge();
  }
  match.tick();
  EXPECT_TRUE(match.send().rows.empty());
  EXPECT_EQ(match.plan().deferred, 0U);
}

// Seat 1 is far from the client. Before each snapshot the nearest runners leave and join again:
// more new bodies than fit, all of them nearer than that of seat 1.
TEST(PlannerBudget, LetsAFarBodyInThatHasWaited) {
  const std::vector<Vec2> places = crowd(kCrowd);
  PlannedMatch match{places};
  std::vector<std::uint16_t> near;
  for (std::uint16_t seat = kCrowd - 80; seat < kCrowd; ++seat) {
    near.push_back(seat);
  }
  match.send(2 * kSmall);
  match.acknowledge();
  int snapshots = 0;
  for (; !match.sees(1); ++snapshots) {
    ASSERT_LT(snapshots, 200);
    match.leave(near);
    match.join(near);
    for (const std::uint16_t seat : near) {
      match.command_put(seat, places[seat]);
    }
    match.tick();
    match.send(2 * kSmall);
    match.acknowledge();
  }
  EXPECT_GE(snapshots, 1) << "not among the first";
}

TEST(PlannerBudget, OnABaseLeavesBytesForWhatHappensNext) {
  constexpr std::size_t kBytes = 600;
  PlannedMatch match{crowd(kCrowd)};
  match.tick();
  match.send(kBytes);
  EXPECT_GT(protocol::kSnapshotFrameBytes + match.plan().new_body_bytes, kBytes - 40)
      << "but not at first";
  match.acknowledge();
  match.tick();
  match.send(kBytes);
  EXPECT_GT(match.plan().new_body_bytes, 0U);
  EXPECT_LE(protocol::kSnapshotFrameBytes + match.plan().new_body_bytes, kBytes - 256);
}

// A body that was sent stays chosen until it is acknowledged.
TEST(PlannerBudget, SendsTheSameBodiesAgainUntilTheyAreAcknowledged) {
  PlannedMatch match{crowd(kCrowd)};
  match.tick();
  match.send(2 * kSmall);
  match.acknowledge();
  match.tick();
  const std::vector<BodyId> first = ids_of(match.send(2 * kSmall));
  ASSERT_GT(first.size(), 3U);
  for (int i = 0; i < 10; ++i) {
    match.tick();
    const std::vector<BodyId> again = ids_of(match.send(2 * kSmall));
    EXPECT_TRUE(std::ranges::includes(first, again)) << "nobody moves";
    EXPECT_GE(again.size() + 1, first.size()) << "the age in an id may take a bit more";
  }
}

TEST(PlannerBudget, AViewHasTheMostMembersThatTheRequestAllows) {
  constexpr std::size_t kMost = 50;
  PlannedMatch match{crowd(kCrowd)};
  for (int snapshots = 0; snapshots < 20; ++snapshots) {
    match.tick();
    match.send(net::kDatagramBytesMax, kMost);
    EXPECT_LE(match.members().size(), kMost);
    EXPECT_LE(match.waiting().size(), kMost);
    match.acknowledge();
  }
  EXPECT_EQ(match.members().size(), kMost);
}

/// Every runner of the crowd changes its direction.
void turn_all(PlannedMatch& match, std::size_t turn) {
  std::vector<Played> played;
  for (std::uint16_t seat = 0; seat < kCrowd; ++seat) {
    played.push_back({.seat = seat, .pad = turn % 2 == 0 ? kLeft : kRight});
  }
  match.tick(played);
}

/// A client that has the whole crowd in view.
void see_all(PlannedMatch& match) {
  for (int ticks = 0; ticks < 100 && match.members().size() < kCrowd; ++ticks) {
    match.tick();
    match.send();
    match.acknowledge();
  }
  ASSERT_EQ(match.members().size(), kCrowd);
}

// The causes of all bodies are more than a snapshot holds, although no body's causes take more bits
// than the body in full.
TEST(PlannerBudget, SendsSomeInFullWhereTheCausesOfAllDoNotFit) {
  PlannedMatch match{crowd(kCrowd)};
  ASSERT_NO_FATAL_FAILURE(see_all(match));
  std::size_t most = 0;
  std::size_t in_full = 0;
  for (std::size_t turn = 0; turn < 12; ++turn) {
    turn_all(match, turn);
    const views::Content& content = match.send();
    if (!match.plan().on_base) break;
    EXPECT_TRUE(content.inputs.size() == kCrowd * (turn + 1) || !content.rows.empty() ||
                !content.exits.empty());
    most = std::max(most, content.inputs.size());
    in_full = std::max(in_full, content.rows.size());
  }
  EXPECT_GE(most, 3U * kCrowd);
  EXPECT_GT(in_full, 0U);
}

// All causes take more than a small datagram. The planner sends nothing now, rather than a view of
// the nearest few.
TEST(PlannerBudget, SendsNothingWhereTheCausesDoNotFitIntoASmallDatagram) {
  PlannedMatch match{crowd(kCrowd)};
  ASSERT_NO_FATAL_FAILURE(see_all(match));
  turn_all(match, 0);
  match.send(150);
  EXPECT_FALSE(match.plan().fits);
  turn_all(match, 1);
  match.send();
  EXPECT_TRUE(match.plan().fits);
  EXPECT_EQ(match.members().size(), kCrowd);
}

// Crowds of any size that run, push and leave, with any budget and any base.
TEST(PlannerBudget, IsNeverExceeded) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng{seed};
    const auto players = static_cast<std::uint16_t>(2 + rng.below(kCrowd));
    PlannedMatch match{crowd(players)};
    const std::uint64_t restless = rng.below(8);
    for (int tick = 0; tick < 60; ++tick) {
      std::vector<Played> played;
      for (std::uint16_t seat = 0; seat < players; ++seat) {
        if (!rng.chance(restless, 64)) continue;
        played.push_back({.seat = seat,
                          .pad = {.x = static_cast<std::int32_t>(rng.below(3)) - 1,
                                  .y = static_cast<std::int32_t>(rng.below(3)) - 1,
                                  .shoot = {}}});
      }
      match.command_paint(0, static_cast<std::int32_t>(2 * rng.below(500)));
      match.tick(played);
      match.send(400 + rng.below(net::kDatagramBytesMax - 400 + 1));
      if (rng.chance(3, 4)) match.acknowledge();
      if (HasFailure()) return;
    }
    std::vector<std::uint16_t> leaves;
    for (std::uint16_t seat = 1; seat < players; ++seat) {
      if (rng.chance(2, 3)) leaves.push_back(seat);
    }
    match.leave(leaves);
    match.send(400 + rng.below(200));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tickbox::server
