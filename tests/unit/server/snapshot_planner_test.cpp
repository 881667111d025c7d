// The snapshots of one client, case by case, over a real room. A snapshot world agrees with all of
// them.

#include "protocol/cause_codec.h"
#include "tests/unit/server/planned_room.h"

namespace tickbox::server {
namespace {

/// A test fails if the event that it waits for takes longer.
constexpr int kTicksMost = 1'000;

constexpr Sight kSight{.half_width = 10, .half_height = 10};
constexpr std::uint8_t kRight = 1;
constexpr std::uint8_t kDown = 3;
constexpr std::uint8_t kLeft = 5;
constexpr game::Input kShootRight{.buttons = game::kButtonShoot, .aim = 0};
constexpr game::Input kShootUp{.buttons = game::kButtonShoot, .aim = 768};

constexpr Vec2 units(std::int32_t x, std::int32_t y) {
  return {.x = x * kUnit, .y = y * kUnit};
}

std::vector<BodyId> ids_of(const protocol::Snapshot& snapshot) {
  std::vector<BodyId> ids;
  for (const game::EntityState& body : snapshot.bodies) {
    ids.push_back(body.id);
  }
  return ids;
}

TEST(SnapshotPlanner, TellsAllThatIsInSightWholeWhereThereIsNoBase) {
  PlannedRoom room{{units(0, 0), units(10, -10), units(11, 0), units(0, 11)}, kSight};
  const protocol::Snapshot& snapshot = room.send();
  EXPECT_FALSE(room.plan().on_base);
  EXPECT_TRUE(room.plan().has_news);
  EXPECT_TRUE(snapshot.causes.empty());
  EXPECT_EQ(ids_of(snapshot), (std::vector{room.body(0), room.body(1)}));
  EXPECT_EQ(room.plan().known_body_bytes, 0U);
  EXPECT_GT(room.plan().new_body_bytes, 0U);
}

// Crates and players that run on move too: a client computes this itself.
TEST(SnapshotPlanner, TellsNothingWhereNothingHappens) {
  PlannedRoom room{{units(0, 0), units(4, 0)}, kSight};
  room.tick({{.player = {1}, .input = {.move = kDown}}});
  room.send();
  room.acknowledge();
  for (int i = 0; i < 20; ++i) {
    room.tick();
    const protocol::Snapshot& snapshot = room.send();
    EXPECT_TRUE(room.plan().on_base);
    EXPECT_FALSE(room.plan().has_news);
    EXPECT_TRUE(snapshot.causes.empty());
    EXPECT_TRUE(snapshot.bodies.empty());
  }
}

TEST(SnapshotPlanner, TellsAStickThatChangesAsOneCause) {
  PlannedRoom room{{units(0, 0), units(4, 0), units(40, 0)}, kSight};
  room.send();
  room.acknowledge();
  room.tick({{.player = {1}, .input = {.move = kDown}}, {.player = {2}, .input = {.move = kLeft}}});
  for (std::uint8_t ago = 0; ago < 20; ++ago) {
    const protocol::Snapshot& snapshot = room.send();
    ASSERT_EQ(snapshot.causes.inputs.size(), 1U) << "of whom it sees";
    EXPECT_EQ(snapshot.causes.inputs[0],
              (protocol::InputCause{.ago = ago, .base_index = 1, .move = kDown}));
    EXPECT_EQ(protocol::encoded_bytes(snapshot.causes),
              protocol::kCauseCountsBytes + protocol::input_cause_bytes(ago));
    EXPECT_TRUE(snapshot.bodies.empty());
    EXPECT_TRUE(room.plan().has_news);
    room.tick();
  }
  room.acknowledge();
  EXPECT_TRUE(room.send().causes.empty()) << "who holds it knows";
}

TEST(SnapshotPlanner, LetsWhoGetsOutOfSightLeave) {
  PlannedRoom room{{units(0, 0), units(10, 0)}, kSight};
  room.send();
  room.acknowledge();
  const auto is_near = [&room] {
    return room.place(1).x <= (kSight.half_width + kViewHysteresisUnits) * kUnit;
  };
  for (room.tick({{.player = {1}, .input = {.move = kRight}}}); is_near(); room.tick()) {
    EXPECT_TRUE(room.send().causes.exits.empty());
    EXPECT_TRUE(room.sees(1));
  }
  const protocol::Snapshot& snapshot = room.send();
  ASSERT_EQ(snapshot.causes.exits.size(), 1U);
  EXPECT_EQ(snapshot.causes.exits[0], 1);
  EXPECT_TRUE(snapshot.causes.inputs.empty()) << "nobody needs to know where it runs";
  EXPECT_TRUE(snapshot.bodies.empty());
  EXPECT_FALSE(room.sees(1));
  room.acknowledge();
  room.tick();
  EXPECT_TRUE(room.send().causes.exits.empty()) << "once";
}

TEST(SnapshotPlanner, LetsWhoLeavesTheRoomLeaveAndTellsItsSuccessorWhole) {
  PlannedRoom room{{units(0, 0), units(4, 0)}, kSight};
  room.send();
  room.acknowledge();
  const BodyId gone = room.body(1);
  room.leave({{1}});
  EXPECT_EQ(room.send().causes.exits.size(), 1U);
  EXPECT_FALSE(room.members().contains(gone));
  room.join({{1}});
  const protocol::Snapshot& snapshot = room.send();
  EXPECT_EQ(snapshot.causes.exits.size(), 1U);
  EXPECT_EQ(ids_of(snapshot), std::vector{room.body(1)});
  EXPECT_NE(gone, room.body(1));
}

// Out of view, a body runs into another that is in view. The latter is sent in full. A player that
// changes direction is still sent by its causes.
TEST(SnapshotPlanner, TellsAnIslandWithAMemberOutsideWholeAndNothingElse) {
  PlannedRoom room{{units(0, 0), {.x = 10 * kUnit - kUnit / 2, .y = 0}, units(12, 0), units(0, 5)},
                   kSight};
  room.send();
  room.acknowledge();
  ASSERT_FALSE(room.sees(2));
  const Tick base = room.room().world().tick;
  room.tick({{.player = {2}, .input = {.move = kLeft}}, {.player = {3}, .input = {.move = kDown}}});
  const auto have_met = [&] {
    const BodySlots& slots = room.room().replication_log().slots();
    Islands& islands = room.room().replication_log().islands_since(base);
    return islands.root_of(slots.find(room.body(1))) == islands.root_of(slots.find(room.body(2)));
  };
  for (int ticks = 0; !have_met(); ++ticks) {
    ASSERT_LT(ticks, kTicksMost);
    EXPECT_TRUE(room.send().bodies.empty());
    room.tick();
  }
  const protocol::Snapshot& snapshot = room.send();
  EXPECT_EQ(ids_of(snapshot), std::vector{room.body(1)});
  EXPECT_TRUE(snapshot.causes.exits.empty());
  ASSERT_EQ(snapshot.causes.inputs.size(), 1U);
  EXPECT_EQ(snapshot.causes.inputs[0].base_index, 2) << "who runs down";
  EXPECT_FALSE(room.sees(2));
  EXPECT_GT(room.plan().known_body_bytes, 0U);
  EXPECT_EQ(room.plan().new_body_bytes, 0U);
}

// One body pushes another out of view. The pushed one leaves the view, the other is sent in full.
TEST(SnapshotPlanner, LetsGoWhoIsPushedOutOfSight) {
  PlannedRoom room{{units(0, 0), units(9, 0), units(10, 0)}, kSight};
  room.send();
  room.acknowledge();
  const std::int32_t edge = (kSight.half_width + kViewHysteresisUnits) * kUnit;
  for (int ticks = 0; room.place(1).x <= edge - kUnit / 10; ++ticks) {
    ASSERT_LT(ticks, kTicksMost);
    room.tick({{.player = {1}, .input = {.move = kRight}}});
    const bool had_seen = room.sees(2);
    const bool is_beyond = room.place(2).x > edge;
    const protocol::Snapshot& snapshot = room.send();
    EXPECT_EQ(room.sees(2), !is_beyond);
    EXPECT_TRUE(room.sees(1));
    EXPECT_EQ(snapshot.causes.exits.empty(), !(had_seen && is_beyond));
    EXPECT_EQ(snapshot.bodies.empty(), !is_beyond) << "as long as they push each other";
    room.acknowledge();
  }
  EXPECT_FALSE(room.sees(2));
}

TEST(SnapshotPlanner, TellsOfABulletThatHasComeAndGoneNothingButItsShot) {
  PlannedRoom room{{units(0, 0), units(4, -10)}, kSight};
  room.send();
  room.acknowledge();
  room.tick({{.player = {1}, .input = kShootUp}});
  const BodyId bullet = game::bullet_body({1}, room.room().world().tick);
  const auto expect_one_shot = [&](const protocol::Snapshot& snapshot) {
    EXPECT_EQ(snapshot.causes.shots.size(), 1U);
    EXPECT_EQ(protocol::encoded_bytes(snapshot.causes),
              protocol::kCauseCountsBytes + protocol::shot_cause_bytes(game::Weapon::Gun));
    EXPECT_TRUE(snapshot.bodies.empty());
  };
  expect_one_shot(room.send());
  EXPECT_TRUE(room.members().contains(bullet));
  for (int i = 0; i < 10; ++i) {
    room.tick();
  }
  expect_one_shot(room.send());
  EXPECT_FALSE(room.members().contains(bullet)) << "the wall has stopped it";
  room.acknowledge();
  room.tick();
  EXPECT_TRUE(room.send().causes.empty());
}

// A bullet anywhere costs no bytes until it ends.
TEST(SnapshotPlanner, KeepsABulletInViewThatGetsOutOfSight) {
  PlannedRoom room{{units(0, 0), units(4, 0)}, kSight};
  room.send();
  room.acknowledge();
  room.tick({{.player = {1}, .input = kShootRight}});
  const BodyId bullet = game::bullet_body({1}, room.room().world().tick);
  for (int ticks = 0; ticks < 30; ++ticks) {
    const protocol::Snapshot& snapshot = room.send();
    EXPECT_TRUE(snapshot.causes.exits.empty());
    EXPECT_TRUE(snapshot.bodies.empty());
    EXPECT_TRUE(room.members().contains(bullet));
    room.acknowledge();
    room.tick();
  }
  const game::World& world = room.room().world();
  EXPECT_GT(world.entity(world.index_of(bullet)).min.x, 2 * kSight.half_width * kUnit);
}

// The base has a bullet that has ended since. The replay shows this, so no exit is needed.
TEST(SnapshotPlanner, NeedsNoLeaveForABulletThatIsSpent) {
  PlannedRoom room{{units(0, 0), units(4, -6)}, kSight};
  room.tick({{.player = {1}, .input = kShootUp}});
  room.send();
  room.acknowledge();
  ASSERT_EQ(room.members().size(), 3U);
  for (int i = 0; i < 10; ++i) {
    room.tick();
  }
  const protocol::Snapshot& snapshot = room.send();
  EXPECT_TRUE(snapshot.causes.empty());
  EXPECT_TRUE(snapshot.bodies.empty());
  EXPECT_EQ(room.members().size(), 2U);
}

TEST(SnapshotPlanner, TellsABodyWhereItsCausesAreDearer) {
  PlannedRoom room{{units(0, 0), units(4, 0)}, kSight};
  room.send();
  room.acknowledge();
  const std::size_t body_bytes = protocol::encoded_bytes(
      room.room().world().entity(room.room().world().index_of(room.body(1))));
  std::size_t cause_bytes = 0;
  for (std::uint8_t i = 0; i < 14; ++i) {
    room.tick({{.player = {1}, .input = {.move = static_cast<std::uint8_t>(1 + i % 2)}}});
    cause_bytes += protocol::input_cause_bytes(0);
    const protocol::Snapshot& snapshot = room.send();
    const bool is_dearer = cause_bytes > body_bytes;
    EXPECT_EQ(snapshot.causes.inputs.size(), is_dearer ? 0U : i + 1U);
    EXPECT_EQ(snapshot.bodies.size(), is_dearer ? 1U : 0U);
    EXPECT_TRUE(snapshot.causes.exits.empty());
  }
  ASSERT_GT(cause_bytes, body_bytes);
}

// The client does not know the contacts of a body that is sent in full. It must know those of its
// own body.
TEST(SnapshotPlanner, TellsTheCausesOfTheOwnBodyHoweverDear) {
  PlannedRoom room{{units(0, 0)}, kSight};
  room.send();
  room.acknowledge();
  for (std::uint8_t i = 0; i < protocol::kBaseAgeMax; ++i) {
    room.tick({{.player = {0}, .input = {.move = static_cast<std::uint8_t>(1 + i % 2)}}});
    const protocol::Snapshot& snapshot = room.send();
    EXPECT_EQ(snapshot.causes.inputs.size(), i + 1U);
    EXPECT_TRUE(snapshot.bodies.empty());
  }
}

TEST(SnapshotPlanner, TellsAFullViewWhereTheBaseIsTooOld) {
  PlannedRoom room{{units(0, 0), units(4, 0)}, kSight};
  room.send();
  room.acknowledge();
  for (std::uint32_t age = 1; age <= protocol::kBaseAgeMax; ++age) {
    room.tick();
    room.send();
    EXPECT_TRUE(room.plan().on_base);
  }
  room.tick();
  room.send();
  EXPECT_FALSE(room.plan().on_base);
}

}  // namespace
}  // namespace tickbox::server
