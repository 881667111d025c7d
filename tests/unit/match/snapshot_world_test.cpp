// A snapshot world against the match of its snapshots: every view is the match's to the bit, with
// the least number of steps.

#include "client/match/snapshot_world.h"

#include "tests/unit/match/staged_snapshots.h"

#include <gtest/gtest.h>

#include <vector>

namespace tickbox::server {
namespace {

/// So far apart that a dart flies for several ticks.
constexpr std::int32_t kApart = 20;
constexpr std::uint16_t kA = 0;
constexpr std::uint16_t kB = 1;
constexpr std::uint16_t kC = 2;

/// A, B and C in a row from left to right, at rest, a crate, and the snapshot world of A's client.
class SnapshotWorldTest : public ::testing::Test {
 protected:
  SnapshotWorldTest() {
    match_.command_drop(units(0, 40));
    match_.tick();
  }

  client::View apply(const Snapshot& snapshot, const std::vector<BodyId>& hidden = {}) {
    const auto view = world_.apply(snapshot.head, snapshot.content);
    EXPECT_TRUE(view) << "tick " << match_.now().value;
    if (!view) return {};
    EXPECT_EQ(view->tick, match_.now());
    const views::Rows truth = match_.seen(hidden);
    EXPECT_EQ(view->rows->size(), truth.size());
    for (std::size_t i = 0; i < std::min(truth.size(), view->rows->size()); ++i) {
      EXPECT_TRUE(views::are_equal(field::game(), view->rows->row(i), truth.row(i)))
          << "tick " << match_.now().value << " row " << i;
    }
    return *view;
  }

  /// The number of steps that `snapshot` took.
  std::uint64_t steps_of(const Snapshot& snapshot, const std::vector<BodyId>& hidden = {}) {
    const std::uint64_t before = world_.steps();
    apply(snapshot, hidden);
    return world_.steps() - before;
  }

  Snapshot since_last() { return match_.since({match_.now().value - 1}); }

  StagedMatch match_{{units(0, 0), units(kApart, 0), units(2 * kApart, 0)}, 8};
  engine::Stepper stepper_;
  client::SnapshotWorld world_{match_.like(), Player{kA}, stepper_};
};

TEST_F(SnapshotWorldTest, HoldsAFullView) {
  EXPECT_EQ(world_.newest(), nullptr);
  const client::View view = apply(match_.full());
  EXPECT_EQ(view.rows->size(), 4U);
  EXPECT_EQ(view.touched, match_.now()) << "for all that is known";
  EXPECT_EQ(world_.steps(), 0U);
  ASSERT_NE(world_.newest(), nullptr);
  EXPECT_EQ(world_.newest()->tick, match_.now());
}

// All players run and shoot. Each snapshot builds on the tick before, and none is wrong.
TEST_F(SnapshotWorldTest, MakesEachTickFromTheOneBeforeByItsCauses) {
  apply(match_.full());
  std::size_t hits = 0;
  for (std::int32_t i = 0; i < 600; ++i) {
    std::vector<Played> played;
    for (const std::uint16_t seat : {kA, kB, kC}) {
      const std::int32_t turn = i / 17 + seat;
      played.push_back({.seat = seat,
                        .pad = {.x = turn % 3 - 1, .y = turn / 3 % 3 - 1, .shoot = {i % 30 == 0}}});
    }
    if (i % 50 == 0) match_.command_rain(i / 50 % 10);
    match_.tick(played);
    hits += match_.match().report().emitted.size();
    ASSERT_EQ(steps_of(since_last()), 1U);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(hits, 0U);
}

TEST_F(SnapshotWorldTest, StepsOnlyWhatIsNewerThanItsNewestView) {
  apply(match_.full());
  const Tick base = match_.now();
  for (std::uint32_t i = 0; i < protocol::kBaseAgeMax; ++i) {
    match_.tick({{.seat = kA, .pad = i % 2 == 0 ? kRight : kDown}});
    ASSERT_EQ(steps_of(match_.since(base)), 1U);
  }
}

// A server builds on the newest view that was acknowledged, so it never goes back.
TEST_F(SnapshotWorldTest, HoldsNoViewThatIsOlderThanItsLastBase) {
  apply(match_.full());
  const Tick first = match_.now();
  match_.tick();
  apply(match_.since(first));
  const Tick second = match_.now();
  match_.tick();
  apply(match_.since(first));
  match_.tick();
  apply(match_.since(second));
  match_.tick();
  apply(match_.since(second));
  match_.tick();
  const Snapshot late = match_.since(first);
  const auto view = world_.apply(late.head, late.content);
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().reason, net::DropReason::Unexpected);
}

// The presentation shows one tick after the other.
TEST_F(SnapshotWorldTest, MakesNoViewOfAnOldTickAfterAWrongOne) {
  const Snapshot old = match_.full();
  apply(old);
  match_.tick();
  Snapshot wrong = match_.full();
  ++wrong.head.view_hash;
  ASSERT_FALSE(world_.apply(wrong.head, wrong.content));
  const auto again = world_.apply(old.head, old.content);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().reason, net::DropReason::Unexpected);
  apply(match_.full());
}

// A body that despawned in a wrong replay may still exist.
TEST_F(SnapshotWorldTest, ForgetsTheDespawnsOfAWrongReplayAsWell) {
  match_.tick({{.seat = kA, .pad = kShoot}});
  apply(match_.full());
  const client::ViewHead wrong{.tick = match_.now() + 20, .base_age = 20, .view_hash = 0};
  const auto refused = world_.apply(wrong, {});
  ASSERT_FALSE(refused);
  ASSERT_TRUE(refused.error().wrong) << "the dart has hit B in it";
  match_.tick();
  apply(match_.full());
  const Tick base = match_.now();
  const std::vector<BodyId> dart = match_.darts();
  ASSERT_EQ(dart.size(), 1U);
  match_.tick();
  apply(match_.since(base, {.hidden = dart, .in_full = {}}), dart);
  match_.tick();
  EXPECT_EQ(steps_of(match_.since(base)), 1U) << "it catches up";
}

TEST_F(SnapshotWorldTest, SaysWhenAnotherTouchedTheOwnBody) {
  match_.command_put(kB, units(4, 0));
  match_.tick();
  const Tick start = match_.now();
  client::View view = apply(match_.full());
  while (match_.place(kA).x < 3 * kUnit - field::kSpeed * kUnit / 60) {
    EXPECT_EQ(view.touched, start) << "at " << match_.now().value;
    ASSERT_LT(match_.now() - start, 60);
    match_.tick({{.seat = kA, .pad = kRight}});
    view = apply(since_last());
  }
  match_.tick({{.seat = kA, .pad = kRight}});
  match_.tick({{.seat = kA, .pad = kRight}});
  apply(match_.since({match_.now().value - 2}));
  EXPECT_GT(apply([this] {
              match_.tick();
              return since_last();
            }())
                .touched,
            start);
}

TEST_F(SnapshotWorldTest, SaysWhenTheServerDecidedForTheOwnBodyOrTheRoom) {
  apply(match_.full());
  match_.tick();
  const Tick quiet = apply(since_last()).touched;
  match_.command_paint(kB, 4);
  match_.tick();
  EXPECT_EQ(apply(since_last()).touched, quiet) << "for another";
  match_.command_paint(kA, 4);
  match_.tick();
  EXPECT_EQ(apply(since_last()).touched, match_.now());
  match_.tick();
  EXPECT_EQ(apply(since_last()).touched.value, match_.now().value - 1);
  match_.command_rain(7);
  match_.tick();
  EXPECT_EQ(apply(since_last()).touched, match_.now());
}

TEST_F(SnapshotWorldTest, CountsTheOwnBodyAsTouchedWhenItComesInFull) {
  apply(match_.full());
  const Tick base = match_.now();
  match_.tick();
  match_.tick();
  const client::View view = apply(match_.since(base, {.hidden = {}, .in_full = {match_.body(kA)}}));
  EXPECT_EQ(view.touched, match_.now());
}

TEST_F(SnapshotWorldTest, SaysWhatItPassedOnTheWayFromTheViewBefore) {
  apply(match_.full());
  const Tick base = match_.now();
  match_.tick({{.seat = kB, .pad = kRight}});
  EXPECT_TRUE(apply(match_.since(base)).replayed_positions.empty());
  std::vector<views::Rows> truth;
  for (int i = 0; i < 3; ++i) {
    match_.tick({{.seat = kC, .pad = kRight}});
    truth.push_back(match_.seen());
  }
  match_.tick();
  const client::View view = apply(match_.since(base));
  ASSERT_EQ(view.replayed_positions.size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const client::BodyPositions& replayed = view.replayed_positions[i];
    EXPECT_EQ(replayed.tick.value, base.value + 2 + i);
    ASSERT_EQ(replayed.bodies.size(), truth[i].size());
    for (std::size_t row = 0; row < truth[i].size(); ++row) {
      EXPECT_EQ(replayed.bodies[row].id, truth[i].id(row));
      EXPECT_EQ(replayed.bodies[row].min, truth[i].head(row).min);
      EXPECT_EQ(replayed.bodies[row].kind, truth[i].head(row).kind);
    }
  }
}

TEST_F(SnapshotWorldTest, SaysSinceWhenThereIsNews) {
  client::View view = apply(match_.full());
  EXPECT_TRUE(view.has_news);
  EXPECT_EQ(view.news, Tick{}) << "all may be";
  const Tick base = match_.now();
  match_.tick();
  view = apply(match_.since(base));
  EXPECT_FALSE(view.has_news);
  EXPECT_EQ(view.news, match_.now() + 1);
  match_.tick();
  match_.tick({{.seat = kB, .pad = kRight}});
  const Tick turned = match_.now();
  match_.tick();
  view = apply(match_.since(base));
  EXPECT_TRUE(view.has_news);
  EXPECT_EQ(view.news, turned);
  match_.tick();
  view = apply(match_.since(base));
  EXPECT_TRUE(view.has_news) << "the server does not know that it came";
  EXPECT_EQ(view.news, match_.now() + 1);
  const Tick before = match_.now();
  const std::vector<BodyId> no_c{match_.body(kC)};
  match_.tick();
  match_.tick();
  EXPECT_EQ(apply(match_.since(before, {.hidden = no_c, .in_full = {}}), no_c).news, match_.now());
  const Tick without = match_.now();
  match_.tick();
  match_.tick();
  EXPECT_EQ(apply(match_.since(without)).news, match_.now()) << "it comes into sight";
  match_.tick();
  match_.tick();
  EXPECT_EQ(apply(match_.since(without + 2, {.hidden = {}, .in_full = {match_.body(kC)}})).news,
            without + 3)
      << "a body that came in full has met another at any time";
}

}  // namespace
}  // namespace tickbox::server
