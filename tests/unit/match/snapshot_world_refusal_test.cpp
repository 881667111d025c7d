// The refusals of a snapshot world: snapshots that are well formed, but that no server sends.

#include "client/match/snapshot_world.h"
#include "engine/keyframe.h"
#include "games/arena/arena.h"
#include "tests/support/content_bits.h"
#include "tests/unit/match/staged_snapshots.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

using net::DropReason;
using views::Lists;

/// Holds a view of two runners, a crate and a dart. Two ticks have passed since.
class SnapshotWorldRefusalTest : public ::testing::Test {
 protected:
  static constexpr std::uint16_t kA = 0;
  static constexpr std::uint16_t kB = 1;
  static constexpr std::uint16_t kMembers = 4;
  static constexpr std::uint32_t kAge = 2;
  static constexpr unsigned kWidth = 2;
  static constexpr std::uint32_t kSeats = 8;

  SnapshotWorldRefusalTest() {
    match_.command_drop(units(0, 80));
    match_.tick();
    match_.tick({{.seat = kA, .pad = kShoot}});
    const Snapshot full = match_.full();
    EXPECT_TRUE(world_.apply(full.head, full.content));
    EXPECT_EQ(match_.seen().size(), kMembers);
    base_ = match_.now();
    match_.tick({{.seat = kB, .pad = kDown}});
    match_.tick({{.seat = kB, .pad = kRight}});
  }

  /// Applies a content with the hash of the true view. Returns whether it is malformed. If so, the
  /// true content must still be accepted.
  bool is_malformed(const Lists& lists, const std::function<void(engine::BitWriter&)>& write) {
    Snapshot snapshot = match_.since(base_);
    snapshot.content.clear();
    {
      engine::BitWriter out{snapshot.content};
      views::write_head(kWidth, lists, out);
      write(out);
    }
    const auto view = world_.apply(snapshot.head, snapshot.content);
    const bool malformed =
        !view && view.error().reason == DropReason::Malformed && !view.error().wrong;
    if (malformed) expect_holds();
    return malformed;
  }

  /// Checks that the world still holds the base.
  void expect_holds() {
    const Snapshot right = match_.since(base_);
    EXPECT_TRUE(world_.apply(right.head, right.content));
    base_ = match_.now();
    match_.tick();
    match_.tick();
  }

  static void write_index(std::size_t index, engine::BitWriter& out) {
    out.write(1, 1);
    out.write(index, kWidth);
  }

  static void write_input(std::size_t index, engine::BitWriter& out) {
    write_index(index, out);
    engine::pack_change(field::game().input, field::bytes_of(kRest), field::bytes_of(kRight), out);
    out.write(0, kAge);
  }

  static void write_moved(std::size_t index, Vec2 place, engine::BitWriter& out) {
    write_index(index, out);
    const auto moved = field::bytes_of(
        field::Moved{.x = place.x / field::kQuarter, .y = place.y / field::kQuarter});
    views::write_outcome(field::game(), {.phase = engine::OutcomePhase::Deciding, .type = 0}, moved,
                         out);
  }

  static void write_exit(std::size_t index, engine::BitWriter& out) {
    const std::vector<std::uint16_t> exits{static_cast<std::uint16_t>(index)};
    views::write_exits(exits, kMembers, out);
  }

  /// A row of a member of the base as it is now.
  void write_member(std::size_t index, engine::BitWriter& out) const {
    const views::Rows rows = match_.seen();
    views::write_origin({}, out);
    out.write(3, 2);
    out.write(index, kWidth);
    views::write_member(field::game(), rows.row(index), {}, out);
    out.write(0, 1);
  }

  /// A crate that is not in the match.
  static void put_crate(std::uint32_t number, Vec2 place, Vec2 velocity, Tick now,
                        engine::BitWriter& out) {
    const std::vector<std::byte> state(field::game().kinds[1].type.bytes);
    const BodyId id = engine::spawned_id(
        engine::IdClass::ByServer,
        {.lineage = engine::kSeatsMax + 1'000 + number, .tick = {1}, .count = 0});
    out.write(1, 2);
    engine::write_id(id, now, out);
    views::write_member(field::game(),
                        {.head = {.id = id, .min = place, .velocity = velocity, .kind = 1},
                         .state = state,
                         .input = {}},
                        {}, out);
  }

  bool is_crate_malformed(std::uint32_t count, Vec2 place, Vec2 velocity = {}) {
    return is_malformed({.rows = true}, [&](engine::BitWriter& out) {
      views::write_origin({}, out);
      for (std::uint32_t i = 0; i < count; ++i) {
        put_crate(i, place, velocity, match_.now(), out);
      }
      out.write(0, 1);
    });
  }

  StagedMatch match_{{units(0, 0), units(0, 40)}, kSeats};
  engine::Stepper stepper_;
  client::SnapshotWorld world_{match_.like(), Player{kA}, stepper_};
  Tick base_;
};

TEST_F(SnapshotWorldRefusalTest, NotTheRightOne) {
  expect_holds();
}

TEST_F(SnapshotWorldRefusalTest, CausesOfABodyThatLeaves) {
  EXPECT_TRUE(is_malformed({.inputs = true, .exits = true}, [](engine::BitWriter& out) {
    write_input(kA, out);
    write_exit(kA, out);
  }));
  EXPECT_TRUE(is_malformed({.outcomes = true, .exits = true}, [](engine::BitWriter& out) {
    write_moved(kA, units(1, 1), out);
    out.write(0, kAge);
    write_exit(kA, out);
  }));
}

TEST_F(SnapshotWorldRefusalTest, CausesOfABodyThatComesInFull) {
  EXPECT_TRUE(is_malformed({.inputs = true, .rows = true}, [this](engine::BitWriter& out) {
    write_input(kA, out);
    write_member(kA, out);
  }));
  EXPECT_TRUE(is_malformed({.outcomes = true, .rows = true}, [this](engine::BitWriter& out) {
    write_moved(kA, units(1, 1), out);
    out.write(0, kAge);
    write_member(kA, out);
  }));
}

TEST_F(SnapshotWorldRefusalTest, ABodyThatLeavesAndComesInFull) {
  EXPECT_TRUE(is_malformed({.exits = true, .rows = true}, [this](engine::BitWriter& out) {
    write_exit(kA, out);
    write_member(kA, out);
  }));
}

TEST_F(SnapshotWorldRefusalTest, AStrikeByASeatThatTheMapHasNot) {
  const auto strike_by = [this](std::uint16_t seat) {
    return is_malformed({.outcomes = true}, [seat](engine::BitWriter& out) {
      write_index(kB, out);
      views::write_strike({seat}, out);
      out.write(0, kAge);
    });
  };
  EXPECT_TRUE(strike_by(kSeats));
  EXPECT_TRUE(strike_by(4'095));
  EXPECT_FALSE(strike_by(kSeats - 1)) << "another view, and well formed";
}

// Rules may put everything into one place.
TEST_F(SnapshotWorldRefusalTest, MoreBodiesThanAViewHas) {
  constexpr auto kMost = static_cast<std::uint32_t>(views::kMembersMax - kMembers);
  EXPECT_TRUE(is_crate_malformed(kMost + 1, units(300, 300)));
  EXPECT_FALSE(is_crate_malformed(kMost, units(300, 300)));
}

TEST_F(SnapshotWorldRefusalTest, ABodyThatThePhysicsCannotHave) {
  EXPECT_TRUE(is_crate_malformed(1, units(300, 300), {kSpeedLimit + 1, 0}));
  EXPECT_TRUE(is_crate_malformed(1, {INT32_MAX, 0}));
  EXPECT_FALSE(is_crate_malformed(1, units(300, 300)));
}

TEST_F(SnapshotWorldRefusalTest, ABaseBeforeTheFirstTickOrTooOld) {
  Snapshot snapshot = match_.since(base_);
  for (const std::uint32_t age :
       {match_.now().value + 1, protocol::kBaseAgeMax + 1, 0xffff'ffffU}) {
    snapshot.head.base_age = age;
    const auto view = world_.apply(snapshot.head, {});
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().reason, DropReason::Malformed) << age;
  }
  expect_holds();
}

// Before the fix, an age above what servers send made the world take that many steps.
TEST_F(SnapshotWorldRefusalTest, MoreTicksThanASnapshotCanTake) {
  const std::uint64_t before = world_.steps();
  for (const std::uint32_t age : {61U, 64U, 255U, 256U, 300U}) {
    EXPECT_FALSE(world_.apply({.tick = base_ + age, .base_age = age, .view_hash = 0}, {}));
  }
  EXPECT_EQ(world_.steps(), before);
}

TEST_F(SnapshotWorldRefusalTest, ABaseThatIsNotHeld) {
  Snapshot snapshot = match_.since(base_);
  --snapshot.head.base_age;
  const auto view = world_.apply(snapshot.head, {});
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().reason, DropReason::Unexpected);
  EXPECT_FALSE(view.error().wrong);
  expect_holds();
}

TEST_F(SnapshotWorldRefusalTest, AViewThatIsNotNewer) {
  const Snapshot snapshot = match_.since(base_);
  ASSERT_TRUE(world_.apply(snapshot.head, snapshot.content));
  for (const Snapshot& again : {snapshot, match_.full()}) {
    const auto view = world_.apply(again.head, again.content);
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().reason, DropReason::Unexpected);
    EXPECT_FALSE(view.error().wrong);
  }
  match_.tick();
  expect_holds();
}

TEST_F(SnapshotWorldRefusalTest, AnotherViewThanTheServersAfterWhichNoneIsHeld) {
  Snapshot snapshot = match_.since(base_);
  const std::uint32_t right = snapshot.head.view_hash;
  snapshot.head.view_hash ^= 1;
  const auto view = world_.apply(snapshot.head, snapshot.content);
  ASSERT_FALSE(view);
  ASSERT_TRUE(view.error().wrong);
  EXPECT_EQ(view.error().wrong->head.tick, match_.now());
  EXPECT_EQ(view.error().wrong->head.view_hash, right ^ 1);
  EXPECT_EQ(view.error().wrong->client_hash, right);
  EXPECT_EQ(view.error().wrong->view->rows.size(), kMembers);
  ASSERT_NE(view.error().wrong->base, nullptr);
  EXPECT_EQ(view.error().wrong->base->rows.size(), kMembers);
  EXPECT_EQ(world_.newest(), nullptr);
  const Snapshot on_base = match_.since(base_);
  EXPECT_FALSE(world_.apply(on_base.head, on_base.content));
  const Snapshot full = match_.full();
  EXPECT_TRUE(world_.apply(full.head, full.content)) << "it starts again";
}

TEST_F(SnapshotWorldRefusalTest, AFullViewOfAnotherHash) {
  Snapshot snapshot = match_.full();
  snapshot.head.view_hash ^= 0x8000'0000;
  const auto view = world_.apply(snapshot.head, snapshot.content);
  ASSERT_FALSE(view);
  ASSERT_TRUE(view.error().wrong);
  EXPECT_EQ(view.error().wrong->base, nullptr);
  const Snapshot full = match_.full();
  EXPECT_TRUE(world_.apply(full.head, full.content));
}

// Before the fix, the arena read beyond the list of its spawn points. Found by fuzzing
// (view_content).
TEST(ArenaOutcome, APlaceThatTheMapHasNotPlacesNobody) {
  const GameTable& game = games::arena();
  const engine::SharedMap map = engine::make_map(game, {.seats = 2}, kPlannedRate);
  Match match{game, map, kPlannedRate, 1};
  const std::vector<engine::Join> joins{{.player = {0}, .user_data = {}}};
  match.tick({.leaves = {}, .joins = joins, .inputs = {}});
  views::Rows rows{game};
  rows.add(match.state().rows.row(0));
  engine::Stepper stepper;
  client::SnapshotWorld world{{game, map, kPlannedRate, 1}, Player{0}, stepper};
  const Tick now = match.world().tick;
  const auto hash =
      static_cast<std::uint32_t>((match.state().hashes[0] + match.state().room_hash) & 0xffff'ffff);
  ASSERT_TRUE(world.apply({.tick = now, .base_age = 0, .view_hash = hash},
                          tests::full_content(rows, now, {})));
  const auto places = static_cast<std::int64_t>(engine::objects_of(*map, "spawn").size());
  for (const std::int64_t place : {places - 1, places, std::int64_t{65'535}}) {
    client::SnapshotWorld client{{game, map, kPlannedRate, 1}, Player{0}, stepper};
    ASSERT_TRUE(client.apply({.tick = now, .base_age = 0, .view_hash = hash},
                             tests::full_content(rows, now, {})));
    std::vector<std::byte> respawn(game.outcomes[0].bytes);
    engine::set_value(game.outcomes[0].fields()[0], 0, place, respawn);
    std::vector<std::byte> content;
    {
      engine::BitWriter out{content};
      views::write_head(0, {.outcomes = true}, out);
      out.write(1, 1);
      views::write_outcome(game, {.phase = engine::OutcomePhase::Deciding, .type = 0}, respawn,
                           out);
      out.write(0, 1);
    }
    const auto view = client.apply({.tick = now + 1, .base_age = 1, .view_hash = 0}, content);
    ASSERT_TRUE(!view && view.error().wrong);
    EXPECT_EQ(view.error().wrong->view->rows.head(0).min == rows.head(0).min, place >= places)
        << place;
  }
}

}  // namespace
}  // namespace tickbox::server
