// Snapshots of a crowd for one client, when a snapshot holds only a part of it.

#include "core/rng.h"
#include "protocol/snapshot_codec.h"
#include "server/shard/limits.h"
#include "tests/unit/server/planned_room.h"

namespace tickbox::server {
namespace {

using tests::SeatedArena;
using tests::SeatedToldWhole;

/// A view extent that covers all of a crowd.
constexpr Sight kWide{.half_width = 60, .half_height = 60};

/// Places two units apart: the first in the middle, the others from the outside inwards.
std::vector<Vec2> crowd(std::size_t players) {
  constexpr std::int32_t kRing = 12;
  std::vector<Vec2> places;
  for (std::int32_t y = -kRing; y <= kRing; ++y) {
    for (std::int32_t x = -kRing; x <= kRing; ++x) {
      places.push_back({.x = 2 * x * kUnit, .y = 2 * y * kUnit + 10 * kUnit});
    }
  }
  const Vec2 middle{.x = 0, .y = 10 * kUnit};
  std::ranges::stable_sort(places, {}, [=](Vec2 place) { return axis_distance(place, middle); });
  places.resize(players);
  std::ranges::reverse(std::span{places}.subspan(1));
  return places;
}

std::int64_t distance_of(const PlannedRoom& room, std::uint16_t seat) {
  return axis_distance(room.place(seat), room.place(0));
}

TEST(SnapshotBudget, IsFilledWithTheNearest) {
  constexpr std::uint16_t kPlayers = 200;
  PlannedRoom room{crowd(kPlayers), kWide};
  const protocol::Snapshot& snapshot = room.send();
  EXPECT_FALSE(room.plan().on_base);
  EXPECT_GT(snapshot.bodies.size(), 40U);
  std::int64_t furthest_in = 0;
  std::int64_t nearest_out = std::int64_t{kPlayers} * kUnit;
  for (std::uint16_t seat = 0; seat < kPlayers; ++seat) {
    if (room.sees(seat)) furthest_in = std::max(furthest_in, distance_of(room, seat));
    if (!room.sees(seat)) nearest_out = std::min(nearest_out, distance_of(room, seat));
  }
  EXPECT_LE(furthest_in, nearest_out);
  EXPECT_EQ(room.waiting().size(), kPlayers - 1U) << "those that were sent wait for their receipt";
  EXPECT_EQ(room.plan().deferred, kPlayers - snapshot.bodies.size());
}

TEST(SnapshotBudget, LetsEverybodyInInTheEnd) {
  constexpr std::uint16_t kPlayers = 200;
  PlannedRoom room{crowd(kPlayers), kWide};
  std::set<BodyId> before;
  for (int snapshots = 0; room.members().size() < kPlayers; ++snapshots) {
    ASSERT_LT(snapshots, 40);
    room.tick();
    room.send(600);
    EXPECT_TRUE(std::ranges::includes(room.members(), before)) << "nobody has to go";
    EXPECT_GT(room.members().size(), before.size());
    before = room.members();
    room.acknowledge();
  }
  room.tick();
  EXPECT_TRUE(room.send().bodies.empty());
  EXPECT_EQ(room.plan().deferred, 0U);
}

// Seat 1 is far from the client. Before each snapshot the nearest players leave and join again, so
// their new bodies compete with that of seat 1.
TEST(SnapshotBudget, LetsWhoIsFarInAsWell) {
  constexpr std::uint16_t kPlayers = 200;
  PlannedRoom room{crowd(kPlayers), kWide};
  std::vector<PlayerId> near;
  for (std::uint16_t seat = kPlayers - 12; seat < kPlayers; ++seat) {
    near.push_back({seat});
  }
  room.send(600);
  room.acknowledge();
  int snapshots = 0;
  for (; !room.sees(1); ++snapshots) {
    ASSERT_LT(snapshots, 200);
    room.leave(near);
    room.join(near);
    room.send(600);
    room.acknowledge();
  }
  EXPECT_GT(snapshots, 3);
}

TEST(SnapshotBudget, LeavesRoomForWhatHappensNext) {
  constexpr std::size_t kBytes = 700;
  PlannedRoom room{crowd(200), kWide};
  room.send(kBytes);
  EXPECT_GT(protocol::kSnapshotFrameBytes + room.plan().new_body_bytes, kBytes - 24)
      << "but not at first";
  room.acknowledge();
  room.tick();
  room.send(kBytes);
  EXPECT_GT(room.plan().new_body_bytes, 0U);
  EXPECT_LE(protocol::kSnapshotFrameBytes + room.plan().new_body_bytes, kBytes - 256);
}

// A body that was sent stays chosen until it is acknowledged.
TEST(SnapshotBudget, SendsTheSameAgainUntilTheyAreAcknowledged) {
  PlannedRoom room{crowd(200), kWide};
  room.send(600);
  room.acknowledge();
  room.tick();
  const protocol::Snapshot first = room.send(600);
  ASSERT_GT(first.bodies.size(), 3U);
  for (int i = 0; i < 10; ++i) {
    room.tick();
    const protocol::Snapshot& again = room.send(600);
    EXPECT_TRUE(std::ranges::equal(first.bodies, again.bodies)) << "nobody moves";
  }
}

TEST(SnapshotBudget, HasAViewOfNoMoreThanAByteCanNumber) {
  constexpr std::uint16_t kPlayers = 400;
  PlannedRoom room{crowd(kPlayers), kWide};
  for (int snapshots = 0; snapshots < 40; ++snapshots) {
    room.tick();
    room.send();
    room.acknowledge();
  }
  EXPECT_EQ(room.members().size(), protocol::kViewMembersMax);
}

// A player among ten thousand crates, with 700 bytes per snapshot.
TEST(SnapshotBudget, OfTenThousandIsSpentOnTheNearest) {
  constexpr std::int32_t kSide = 100;
  constexpr std::size_t kBytes = 700;
  std::vector<Vec2> crates;
  for (std::int32_t i = 0; i < kSide * kSide; ++i) {
    crates.push_back({.x = (3 * (i % kSide - kSide / 2) + 1) * kUnit,
                      .y = (3 * (i / kSide - kSide / 2) + 1) * kUnit});
  }
  PlannedRoom room{{{.x = 0, .y = 0}},
                   {.half_width = 200, .half_height = 200},
                   std::make_shared<const SeatedArena>(kPlannedRate),
                   crates};
  std::set<BodyId> before;
  for (int snapshots = 0; before.size() < protocol::kViewMembersMax; ++snapshots) {
    ASSERT_LT(snapshots, 60);
    room.tick();
    room.send(kBytes);
    EXPECT_TRUE(std::ranges::includes(room.members(), before)) << "nobody has to go";
    before = room.members();
    room.acknowledge();
  }
  // 256 crates of a square grid are 16 by 16. A crate that has waited long enters from further
  // away.
  const game::World& world = room.room().world();
  for (const BodyId member : room.members()) {
    EXPECT_LE(axis_distance(world.entity(world.index_of(member)).min, room.place(0)), 40 * kUnit);
  }
}

/// A room with a hundred players that are all in view.
PlannedRoom room_of_a_hundred() {
  PlannedRoom room{crowd(100), kWide};
  for (int ticks = 0; ticks < 100 && room.members().size() < 100; ++ticks) {
    room.tick();
    room.send();
    room.acknowledge();
  }
  EXPECT_EQ(room.members().size(), 100U);
  return room;
}

/// Every player changes its stick.
void turn_all(PlannedRoom& room, int turn) {
  PlannedRoom::Inputs inputs;
  for (std::uint16_t seat = 0; seat < 100; ++seat) {
    inputs.push_back(
        {.player = {seat}, .input = {.move = static_cast<std::uint8_t>(1 + 4 * (turn % 2))}});
  }
  room.tick(inputs);
}

// Three hundred causes are more than can be numbered, although no body's causes cost more than the
// body.
TEST(SnapshotBudget, TellsSomeWholeWhereCausesAreTooMany) {
  PlannedRoom room = room_of_a_hundred();
  for (int turn = 0; turn < 2; ++turn) {
    turn_all(room, turn);
    EXPECT_TRUE(room.send().bodies.empty()) << "two hundred fit";
  }
  turn_all(room, 2);
  const protocol::Snapshot& snapshot = room.send();
  EXPECT_TRUE(room.plan().on_base);
  EXPECT_EQ(snapshot.causes.inputs.size(), protocol::kCausesMax) << "three of each replayed body";
  EXPECT_EQ(snapshot.bodies.size(), 100 - protocol::kCausesMax / 3);
  EXPECT_TRUE(snapshot.causes.exits.empty());
}

// A hundred causes and as many possible exits take more than three hundred bytes. The planner sends
// nothing now, rather than a view of the nearest few.
TEST(SnapshotBudget, IsSavedUpWhereItIsTooSmall) {
  PlannedRoom room = room_of_a_hundred();
  turn_all(room, 0);
  room.send(300);
  EXPECT_FALSE(room.plan().fits);
  turn_all(room, 1);
  room.send();
  EXPECT_TRUE(room.plan().fits);
  EXPECT_EQ(room.members().size(), 100U);
}

TEST(SnapshotBudget, OfRulesThatAreNotClosedIsSpentOnWholeStates) {
  PlannedRoom room{crowd(9), kWide, std::make_shared<const SeatedToldWhole>(kPlannedRate)};
  room.send();
  room.acknowledge();
  for (std::uint8_t i = 0; i < 100; ++i) {
    room.tick({{.player = {1}, .input = {.move = static_cast<std::uint8_t>(i % 9)}},
               {.player = {2}, .input = {.buttons = game::kButtonShoot, .aim = 100}}});
    const protocol::Snapshot& snapshot = room.send();
    EXPECT_TRUE(room.plan().on_base);
    EXPECT_TRUE(snapshot.causes.inputs.empty());
    EXPECT_TRUE(snapshot.causes.shots.empty());
    EXPECT_TRUE(snapshot.causes.teleports.empty());
    EXPECT_EQ(snapshot.bodies.size(), room.members().size());
    if (i % 3 == 0) room.acknowledge();
  }
}

/// Crowds of any size that run, shoot and leave, with any budget and any base.
void spend_at_random(std::uint64_t seed, std::shared_ptr<const game::Rules> rules) {
  Rng rng{seed};
  const auto players = static_cast<std::uint16_t>(2 + rng.below(300));
  PlannedRoom room{crowd(players), kWide, std::move(rules)};
  const std::uint64_t restless = rng.below(8);
  const bool is_poor = rng.chance(1, 2);
  for (int tick = 0; tick < 60; ++tick) {
    PlannedRoom::Inputs inputs;
    for (std::uint16_t seat = 0; seat < players; ++seat) {
      if (!rng.chance(restless, 64)) continue;
      inputs.push_back({.player = {seat},
                        .input = {.move = static_cast<std::uint8_t>(rng.below(9)),
                                  .buttons = static_cast<std::uint8_t>(rng.below(2)),
                                  .aim = static_cast<std::uint16_t>(rng.below(1'024))}});
    }
    room.tick(inputs);
    const std::size_t most =
        is_poor && rng.chance(3, 4) ? kSnapshotBytesMin + 100 : net::kDatagramBytesMax;
    room.send(kSnapshotBytesMin + rng.below(most - kSnapshotBytesMin + 1));
    if (rng.chance(3, 4)) room.acknowledge();
  }
  std::vector<PlayerId> gone;
  for (std::uint16_t seat = 1; seat < players; ++seat) {
    if (rng.chance(2, 3)) gone.push_back({seat});
  }
  room.leave(gone);
  room.send(kSnapshotBytesMin + rng.below(200));
  ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
}

TEST(SnapshotBudget, IsNeverExceeded) {
  constexpr std::uint64_t kSeeds = 40;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ASSERT_NO_FATAL_FAILURE(
        spend_at_random(seed, std::make_shared<const SeatedArena>(kPlannedRate)));
    ASSERT_NO_FATAL_FAILURE(
        spend_at_random(seed, std::make_shared<const SeatedToldWhole>(kPlannedRate)));
  }
}

}  // namespace
}  // namespace tickbox::server
