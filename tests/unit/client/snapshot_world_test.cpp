// A snapshot world against the room of its snapshots: every view is the truth to the bit, with the
// minimum number of steps.

#include "client/views/snapshot_world.h"

#include "tests/support/staged_match.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tickbox::client {
namespace {

using tests::kRight;
using tests::kShootRight;
using tests::StagedMatch;

constexpr PlayerId kA{0};
constexpr PlayerId kB{1};
constexpr PlayerId kC{2};

/// So far apart that a bullet flies for several ticks.
constexpr std::int32_t kApartUnits = 20;

/// A, B and C in a row from left to right, at rest, and the snapshot world of A's client.
class SnapshotWorldTest : public ::testing::Test {
 protected:
  SnapshotWorldTest() : snapshot_world_(start()) {}

  SnapshotWorld start() {
    std::int32_t x = 0;
    for (const PlayerId player : {kA, kB, kC}) {
      room_.join(player);
      room_.put(player, x, 0);
      x += kApartUnits;
    }
    return {room_.map(), room_.rules(), room_.body(kA)};
  }

  View apply(const protocol::Snapshot& snapshot, const std::vector<BodyId>& hidden = {}) {
    const auto view = snapshot_world_.apply(snapshot, room_.now());
    EXPECT_TRUE(view) << "tick " << room_.now().value;
    if (!view) return {};
    EXPECT_EQ(view->tick, room_.now());
    EXPECT_TRUE(std::ranges::equal(view->entities, room_.seen(hidden)))
        << "tick " << room_.now().value;
    return *view;
  }

  /// The number of steps that `snapshot` took.
  std::uint64_t steps_of(const protocol::Snapshot& snapshot,
                         const std::vector<BodyId>& hidden = {}) {
    const std::uint64_t before = snapshot_world_.steps();
    apply(snapshot, hidden);
    return snapshot_world_.steps() - before;
  }

  [[nodiscard]] std::size_t bullets() const { return room_.count(game::EntityKind::Bullet); }

  /// A shoots at B. Calls `each_tick` after every tick until B is hit, which is then in the newest
  /// tick.
  template <class EachTick>
  void shoot(EachTick each_tick) {
    room_.tick({{.player = kA, .input = kShootRight}});
    ASSERT_EQ(bullets(), 1U);
    each_tick();
    while (bullets() == 1) {
      room_.tick();
      each_tick();
    }
    ASSERT_GT(room_.entity(room_.body(kB)).min.x, 900 * kUnit) << "it appears elsewhere";
  }

  StagedMatch room_ = StagedMatch::in_the_open();
  SnapshotWorld snapshot_world_;
};

TEST_F(SnapshotWorldTest, HoldsAFullView) {
  const View view = apply(room_.full());
  EXPECT_EQ(view.entities.size(), 4U);
  EXPECT_EQ(view.touched, room_.now()) << "for all that is known";
  EXPECT_EQ(snapshot_world_.steps(), 0U);
}

TEST_F(SnapshotWorldTest, HoldsAFullViewAfterAnother) {
  apply(room_.full());
  room_.tick({{.player = kA, .input = kRight}});
  apply(room_.full({room_.body(kC)}), {room_.body(kC)});
  room_.tick();
  EXPECT_EQ(steps_of(room_.since({room_.now().value - 1})), 1U) << "and builds on it";
}

// All players run and shoot. Each snapshot builds on the tick before, and none is wrong.
TEST_F(SnapshotWorldTest, MakesEachTickFromTheOneBeforeByItsCauses) {
  apply(room_.full());
  std::uint32_t teleports = 0;
  for (std::uint32_t i = 0; i < 600; ++i) {
    std::vector<game::PlayerInput> inputs;
    for (const PlayerId player : {kA, kB, kC}) {
      const std::uint32_t turn = i / 17 + player.value;
      inputs.push_back({.player = player,
                        .input = {.move = static_cast<std::uint8_t>(turn * 5 % 9),
                                  .buttons = game::kButtonShoot,
                                  .aim = static_cast<std::uint16_t>(player == kA ? 0 : 512)}});
    }
    room_.tick(inputs);
    const protocol::Snapshot snapshot = room_.since({room_.now().value - 1});
    teleports += static_cast<std::uint32_t>(snapshot.causes.teleports.size());
    ASSERT_TRUE(snapshot.bodies.empty());
    ASSERT_EQ(steps_of(snapshot), 1U);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(teleports, 0U) << "nobody was hit";
}

TEST_F(SnapshotWorldTest, StepsOnlyWhatIsNewerThanItsNewestView) {
  apply(room_.full());
  const Tick base = room_.now();
  for (std::uint32_t i = 0; i < protocol::kBaseAgeMax; ++i) {
    room_.tick({{.player = kA, .input = {.move = static_cast<std::uint8_t>(1 + i / 9)}}});
    ASSERT_EQ(steps_of(room_.since(base)), 1U);
  }
}

TEST_F(SnapshotWorldTest, StepsAllThatWasLost) {
  apply(room_.full());
  const Tick base = room_.now();
  for (std::uint32_t i = 0; i < protocol::kBaseAgeMax; ++i) {
    room_.tick({{.player = kB, .input = {.move = static_cast<std::uint8_t>(1 + i / 9)}}});
  }
  EXPECT_EQ(steps_of(room_.since(base)), protocol::kBaseAgeMax);
}

TEST_F(SnapshotWorldTest, GoesFromTheBaseWhereTheNewestLacksAMember) {
  const std::vector<BodyId> no_c{room_.body(kC)};
  apply(room_.full());
  const Tick base = room_.now();
  room_.tick({{.player = kC, .input = kRight}});
  EXPECT_EQ(steps_of(room_.since(base, {.hidden = no_c, .whole = {}}), no_c), 1U);
  room_.tick({{.player = kB, .input = kRight}});
  EXPECT_EQ(steps_of(room_.since(base)), 2U) << "C is on the base alone";
  room_.tick();
  EXPECT_EQ(steps_of(room_.since(base)), 1U) << "and on the newest again";
}

TEST_F(SnapshotWorldTest, LetsGoOfWhoLeaves) {
  apply(room_.full());
  const Tick base = room_.now();
  room_.leave(kB);
  const protocol::Snapshot snapshot = room_.since(base);
  ASSERT_EQ(snapshot.causes.exits.size(), 1U);
  EXPECT_EQ(apply(snapshot).entities.size(), 3U);
  room_.tick();
  apply(room_.since({room_.now().value - 1}));
}

TEST_F(SnapshotWorldTest, TakesInWhoComes) {
  apply(room_.full());
  const Tick base = room_.now();
  room_.join({3});
  const protocol::Snapshot snapshot = room_.since(base);
  ASSERT_EQ(snapshot.bodies.size(), 1U);
  EXPECT_EQ(apply(snapshot).entities.size(), 5U);
  room_.tick({{.player = {3}, .input = kRight}});
  EXPECT_EQ(steps_of(room_.since({room_.now().value - 1})), 1U);
}

// Another player takes the same seat: in one snapshot the old body leaves and the new one enters.
TEST_F(SnapshotWorldTest, TellsWhoComesFromWhoHadTheSeatBefore) {
  apply(room_.full());
  const Tick base = room_.now();
  const BodyId before = room_.body(kB);
  room_.leave(kB);
  room_.join(kB);
  ASSERT_NE(room_.body(kB), before);
  apply(room_.since(base));
  room_.tick({{.player = kB, .input = kRight}});
  EXPECT_EQ(steps_of(room_.since({room_.now().value - 1})), 1U);
}

TEST_F(SnapshotWorldTest, PutsWholeBodiesInThePlaceOfItsOwn) {
  apply(room_.full());
  const Tick base = room_.now();
  room_.tick({{.player = kB, .input = kRight}, {.player = kC, .input = kShootRight}});
  const protocol::Snapshot snapshot = room_.since(base, {.hidden = {}, .whole = {room_.body(kC)}});
  ASSERT_EQ(snapshot.bodies.size(), 2U) << "C, and what C has shot";
  const View view = apply(snapshot);
  EXPECT_EQ(view.touched, base);
  room_.tick();
  EXPECT_EQ(steps_of(room_.since({room_.now().value - 1})), 1U);
}

TEST_F(SnapshotWorldTest, KnowsBulletsBornSinceTheBaseByTheirShots) {
  apply(room_.full());
  const Tick base = room_.now();
  shoot([&] {
    const protocol::Snapshot snapshot = room_.since(base);
    EXPECT_TRUE(snapshot.bodies.empty());
    EXPECT_EQ(snapshot.causes.shots.size(), 1U);
    EXPECT_EQ(steps_of(snapshot), 1U);
  });
  room_.tick();
  EXPECT_EQ(steps_of(room_.since(base)), 1U) << "that the bullet is gone is known as well";
}

TEST_F(SnapshotWorldTest, ReplaysAShotAndItsHitThatItHasNotSeen) {
  apply(room_.full());
  const Tick base = room_.now();
  shoot([] {});
  const protocol::Snapshot snapshot = room_.since(base);
  ASSERT_EQ(snapshot.causes.teleports.size(), 1U);
  EXPECT_EQ(steps_of(snapshot), static_cast<std::uint64_t>(room_.now() - base));
  room_.tick();
  EXPECT_EQ(steps_of(room_.since(base)), 1U);
}

// The bullet was in flight at the base, and has hit since.
TEST_F(SnapshotWorldTest, KnowsThatAMemberOfTheBaseHasDied) {
  room_.tick({{.player = kA, .input = kShootRight}});
  apply(room_.full());
  const Tick base = room_.now();
  while (bullets() == 1) {
    room_.tick();
    EXPECT_EQ(steps_of(room_.since(base)), 1U);
  }
  room_.tick();
  EXPECT_EQ(steps_of(room_.since(base)), 1U);
}

// A shot at point-blank range: no view ever has the bullet.
TEST_F(SnapshotWorldTest, KnowsThatABulletHasDiedInTheTickOfItsBirth) {
  room_.put(kB, 2, 0);
  apply(room_.full());
  const Tick base = room_.now();
  room_.tick({{.player = kA, .input = kShootRight}});
  ASSERT_EQ(bullets(), 0U);
  const protocol::Snapshot snapshot = room_.since(base);
  ASSERT_EQ(snapshot.causes.teleports.size(), 1U);
  EXPECT_EQ(steps_of(snapshot), 1U);
  room_.tick();
  EXPECT_EQ(steps_of(room_.since(base)), 1U);
}

// The presentation shows one tick after the other. A server that went back made it fail an
// assertion.
TEST_F(SnapshotWorldTest, MakesNoViewOfAnOldTickAfterAWrongOne) {
  const protocol::Snapshot old = room_.full();
  const Tick tick = room_.now();
  apply(old);
  room_.tick();
  protocol::Snapshot wrong = room_.full();
  ++wrong.head.view_hash;
  ASSERT_FALSE(snapshot_world_.apply(wrong, room_.now()));
  const auto again = snapshot_world_.apply(old, tick);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().reason, net::DropReason::Unexpected);
  apply(room_.full());
}

// A body that despawned in a wrong replay may still exist.
TEST_F(SnapshotWorldTest, ForgetsTheDeadAsWell) {
  room_.tick({{.player = kA, .input = kShootRight}});
  apply(room_.full());
  protocol::Snapshot wrong;
  wrong.head.base_age = 20;
  const auto refused = snapshot_world_.apply(wrong, room_.now() + wrong.head.base_age);
  ASSERT_FALSE(refused);
  ASSERT_TRUE(refused.error().wrong) << "the bullet has hit B in it";
  room_.tick();
  apply(room_.full());
  const Tick base = room_.now();
  ASSERT_EQ(bullets(), 1U);
  const std::vector<BodyId> bullet{room_.entities().back().id};
  room_.tick();
  apply(room_.since(base, {.hidden = bullet, .whole = {}}), bullet);
  room_.tick();
  EXPECT_EQ(steps_of(room_.since(base)), 2U);
}

TEST_F(SnapshotWorldTest, SaysWhenAnotherTouchedTheOwnBody) {
  room_.put(kB, 4, 0);
  const Tick start = room_.now();
  View view = apply(room_.full());
  const game::EntityState before = room_.entity(room_.body(kB));
  while (room_.entity(room_.body(kB)).min == before.min) {
    EXPECT_EQ(view.touched, start) << "at " << room_.now().value;
    ASSERT_LT(room_.now() - start, 60);
    room_.tick({{.player = kA, .input = kRight}});
    view = apply(room_.since({room_.now().value - 1}));
  }
  EXPECT_EQ(view.touched, room_.now());
}

TEST_F(SnapshotWorldTest, SaysWhenTheOwnBodyWasPlaced) {
  room_.tick({{.player = kB, .input = {.buttons = game::kButtonShoot, .aim = 512}}});
  const Tick start = room_.now();
  View view = apply(room_.full());
  while (bullets() == 1) {
    EXPECT_EQ(view.touched, start) << "at " << room_.now().value;
    room_.tick();
    view = apply(room_.since({room_.now().value - 1}));
  }
  EXPECT_EQ(view.touched, room_.now());
  room_.tick();
  EXPECT_EQ(apply(room_.since({room_.now().value - 1})).touched.value, room_.now().value - 1);
}

// Rules may teleport a body that nothing has touched. The arena does not, so another replica
// computes the expected hash.
TEST_F(SnapshotWorldTest, CountsTheOwnBodyAsTouchedWhenItIsOnlyPlaced) {
  const protocol::Snapshot full = room_.full();
  const Tick base = room_.now();
  protocol::Snapshot placed;
  placed.head.base_age = 2;
  placed.causes.teleports.push_back({.ago = 1, .base_index = 0, .place = 3});
  SnapshotWorld other{room_.map(), room_.rules(), room_.body(kA)};
  ASSERT_TRUE(other.apply(full, base));
  const auto refused = other.apply(placed, base + 2);
  ASSERT_TRUE(!refused && refused.error().wrong);
  placed.head.view_hash = refused.error().wrong->name.client_hash;

  apply(full);
  const auto view = snapshot_world_.apply(placed, base + 2);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->touched, base + 1);
}

TEST_F(SnapshotWorldTest, CountsTheOwnBodyAsTouchedWhenItComesWhole) {
  apply(room_.full());
  const Tick base = room_.now();
  room_.tick();
  room_.tick();
  const View view = apply(room_.since(base, {.hidden = {}, .whole = {room_.body(kA)}}));
  EXPECT_EQ(view.touched, room_.now());
}

TEST_F(SnapshotWorldTest, SaysWhatItPassedOnTheWayFromTheViewBefore) {
  apply(room_.full());
  const Tick base = room_.now();
  room_.tick({{.player = kB, .input = kRight}});
  EXPECT_TRUE(apply(room_.since(base)).replayed_ticks.empty());
  std::vector<std::vector<game::EntityState>> truth;
  for (int i = 0; i < 3; ++i) {
    room_.tick({{.player = kC, .input = kRight}});
    truth.push_back(room_.entities());
  }
  room_.tick();
  const View view = apply(room_.since(base));
  ASSERT_EQ(view.replayed_ticks.size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_EQ(view.replayed_ticks[i].tick.value, base.value + 2 + i);
    EXPECT_EQ(view.replayed_ticks[i].entities, truth[i]);
  }
}

TEST_F(SnapshotWorldTest, SaysWhoWasPlacedSinceTheViewBefore) {
  apply(room_.full());
  const Tick base = room_.now();
  shoot([] {});
  const Tick placed = room_.now();
  room_.tick();
  const View view = apply(room_.since(base));
  ASSERT_EQ(view.teleports.size(), 1U);
  EXPECT_EQ(view.teleports.front().id, room_.body(kB));
  EXPECT_EQ(view.teleports.front().tick, placed);
  room_.tick();
  EXPECT_TRUE(apply(room_.since(base)).teleports.empty()) << "told again, and known";
}

TEST_F(SnapshotWorldTest, SaysSinceWhenThereIsNews) {
  View view = apply(room_.full());
  EXPECT_TRUE(view.has_news);
  EXPECT_EQ(view.news, Tick{}) << "all may be";
  const Tick base = room_.now();
  room_.tick();
  view = apply(room_.since(base));
  EXPECT_FALSE(view.has_news);
  EXPECT_EQ(view.news, room_.now() + 1);

  room_.tick();
  room_.tick({{.player = kB, .input = kRight}});
  const Tick turned = room_.now();
  room_.tick({{.player = kB, .input = kRight}});
  view = apply(room_.since(base));
  EXPECT_TRUE(view.has_news);
  EXPECT_EQ(view.news, turned);
  room_.tick({{.player = kB, .input = kRight}});
  view = apply(room_.since(base));
  EXPECT_TRUE(view.has_news) << "the server does not know that it came";
  EXPECT_EQ(view.news, room_.now() + 1);

  const Tick before = room_.now();
  const std::vector<BodyId> no_c{room_.body(kC)};
  room_.tick();
  room_.tick();
  EXPECT_EQ(apply(room_.since(before, {.hidden = no_c, .whole = {}}), no_c).news, room_.now());
  const Tick without = room_.now();
  room_.tick();
  room_.tick();
  EXPECT_EQ(apply(room_.since(without)).news, room_.now()) << "it comes into sight";
  room_.tick();
  room_.tick();
  EXPECT_EQ(apply(room_.since(without + 2, {.hidden = {}, .whole = {room_.body(kC)}})).news,
            without + 3)
      << "a body that came in full has met another at any time";
}

}  // namespace
}  // namespace tickbox::client
