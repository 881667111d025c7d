// The samples that a client makes from the views of a real room. In each sample every body is where
// it was in the room, or the sample says that the body did not move there.

#include "client/presentation/interpolation.h"

#include "tests/unit/match/staged_snapshots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

namespace tickbox::client::interpolation_test {
namespace {

using server::kDown;
using server::kRest;
using server::kRight;
using server::kShoot;
using server::Played;
using server::units;

namespace field = tests::field;

constexpr std::uint16_t kA = 0;
constexpr std::uint16_t kB = 1;
constexpr std::uint16_t kC = 2;
/// A runner that was hit is put to a place below this height.
constexpr std::int32_t kHitY = 400 * kUnit;

std::optional<BodySample> sample_of(const Sample& sample, BodyId id) {
  const auto found = std::ranges::find(sample.bodies, id, &BodySample::id);
  return found != sample.bodies.end() ? std::optional{*found} : std::nullopt;
}

/// A, B and C in a row from left to right, at rest, and the views of A's client.
class InterpolationTest : public ::testing::Test {
 protected:
  InterpolationTest() {
    room_.tick();
    tell(room_.full());
  }

  void tell(const server::Snapshot& snapshot) {
    const auto view = snapshot_world_.apply(snapshot.head, snapshot.content);
    ASSERT_TRUE(view);
    ASSERT_FALSE(view->rows->empty());
    truth_.insert_or_assign(room_.now(), room_.seen());
    interpolation_.on_view(*view);
  }

  void tick(const std::vector<Played>& played = {}) {
    room_.tick(played);
    truth_.insert_or_assign(room_.now(), room_.seen());
  }

  const Sample& sample(Tick tick) {
    const Sample& sample = interpolation_.sample(tick);
    EXPECT_EQ(sample.tick, tick);
    return sample;
  }

  /// Every body of a sample is where it was in the room.
  void expect_true(const Sample& sample) const {
    const views::Rows& was = truth_.at(sample.tick);
    ASSERT_EQ(sample.bodies.size(), was.size()) << "tick " << sample.tick.value;
    for (std::size_t i = 0; i < was.size(); ++i) {
      EXPECT_EQ(sample.bodies[i].id, was.head(i).id) << "tick " << sample.tick.value;
      EXPECT_EQ(sample.bodies[i].kind, was.head(i).kind) << "tick " << sample.tick.value;
      EXPECT_EQ(sample.bodies[i].min, was.head(i).min) << "tick " << sample.tick.value;
    }
  }

  /// The position of `id` at this many tenths of the tick after `tick`.
  [[nodiscard]] std::optional<Vec2> shown(BodyId id, Tick tick, std::int64_t tenths) {
    std::vector<PresentedBody> bodies;
    blend(sample(tick), sample(tick + 1), Duration{tenths}, Duration{10}, bodies);
    const auto found = std::ranges::find(bodies, id, &PresentedBody::id);
    return found != bodies.end() ? std::optional{found->min} : std::nullopt;
  }

  server::StagedMatch room_{{units(0, 0), units(20, 0), units(40, 0)}};
  engine::Stepper stepper_;
  SnapshotWorld snapshot_world_{room_.like(), Player{kA}, stepper_};
  Interpolation interpolation_{room_.like(), stepper_};
  std::map<Tick, views::Rows> truth_;
};

// Turns, shots, hits and despawns between two views are stepped, not drawn as straight lines.
TEST_F(InterpolationTest, HasEveryTickBetweenTwoViewsAsItWas) {
  const Tick base = room_.now();
  for (int i = 0; i < 24; ++i) {
    const bool turns = i % 5 == 0;
    tick({{.seat = kA, .pad = i == 1 ? kShoot : kRest},
          {.seat = kB, .pad = turns ? kDown : kRight}});
  }
  tell(room_.since(base));
  EXPECT_EQ(interpolation_.oldest(), base);
  for (Tick at = base; at <= room_.now(); at = at + 1) {
    expect_true(sample(at));
  }
}

TEST_F(InterpolationTest, DrawsAStraightLineForWhoComesWhole) {
  const Tick base = room_.now();
  const BodyId b = room_.body(kB);
  for (int i = 0; i < 10; ++i) {
    tick({{.seat = kB, .pad = i < 5 ? kRight : kDown}});
  }
  tell(room_.since(base, {.hidden = {}, .in_full = {b}}));
  const Vec2 from = sample_of(sample(base), b)->min;
  const Vec2 to = sample_of(sample(room_.now()), b)->min;
  ASSERT_NE(from, to);
  for (std::int32_t i = 1; i < 10; ++i) {
    const auto body = sample_of(sample(base + static_cast<std::uint32_t>(i)), b);
    ASSERT_TRUE(body);
    const Vec2 on_the_line = between(from, to, Duration{i}, Duration{10});
    EXPECT_NEAR(body->min.x, on_the_line.x, 20);
    EXPECT_NEAR(body->min.y, on_the_line.y, 20);
    EXPECT_FALSE(body->is_cut);
    EXPECT_EQ(sample_of(sample(base + static_cast<std::uint32_t>(i)), room_.body(kC))->min,
              room_.place(kC));
  }
}

TEST_F(InterpolationTest, CutsToWhereTheServerPutABody) {
  for (const bool is_lost : {false, true}) {
    SCOPED_TRACE(is_lost ? "one snapshot for all of it" : "a snapshot each tick");
    const BodyId b = room_.body(kB);
    room_.command_put(kA, units(0, is_lost ? 40 : 0));
    room_.command_put(kB, units(20, is_lost ? 40 : 0));
    tick();
    tell(room_.full());
    Tick base = room_.now();
    const auto tell_all_since = [&] {
      tell(room_.since(base));
      base = room_.now();
    };
    tick({{.seat = kA, .pad = kShoot}});
    while (room_.place(kB).y < kHitY) {
      ASSERT_LT(room_.now() - base, 30) << "nobody was hit";
      if (!is_lost) tell_all_since();
      tick();
    }
    const Tick placed = room_.now();
    tick();
    tick();
    tell_all_since();
    const Vec2 before = sample_of(sample({placed.value - 1}), b)->min;
    EXPECT_LT(before.y, kHitY);
    EXPECT_EQ(shown(b, {placed.value - 1}, 0), before);
    EXPECT_EQ(shown(b, {placed.value - 1}, 9), before) << "it stands until then";
    EXPECT_TRUE(sample_of(sample(placed), b)->is_cut);
    EXPECT_GT(sample_of(sample(placed), b)->min.y, kHitY);
    EXPECT_FALSE(sample_of(sample(placed + 1), b)->is_cut) << "from there it goes on";
    EXPECT_FALSE(sample_of(sample(placed + 2), b)->is_cut);
    for (int i = 0; i < 40; ++i)
      tick();
  }
}

TEST_F(InterpolationTest, CutsToAPlaceThatIsNear) {
  const auto was = std::make_shared<views::Rows>(field::game());
  was->add(room_.seen().row(0));
  const auto is = std::make_shared<views::Rows>(field::game());
  views::RowRef moved = was->row(0);
  moved.head.min.x += kUnit / 2;
  is->add(moved);
  const auto room = std::make_shared<std::vector<std::byte>>(field::bytes_of(field::Weather{}));
  const SeenTeleport placed{.id = moved.head.id, .tick = {2}};
  for (const bool is_placed : {false, true}) {
    Interpolation interpolation{room_.like(), stepper_};
    interpolation.on_view({.tick = {1}, .rows = was, .room = room, .touched = {}});
    interpolation.on_view({.tick = {2},
                           .rows = is,
                           .room = room,
                           .touched = {},
                           .teleports = std::span{&placed, 1}.first(is_placed ? 1 : 0)});
    EXPECT_EQ(interpolation.sample({2}).bodies.front().is_cut, is_placed);
  }
}

TEST_F(InterpolationTest, CutsWhoCameWholeFromFurtherThanAnybodyGoes) {
  const BodyId b = room_.body(kB);
  const Tick base = room_.now();
  tick();
  tick();
  room_.command_put(kB, units(40, 4));
  tick();
  tell(room_.since(base, {.hidden = {}, .in_full = {b}}));
  EXPECT_EQ(sample_of(sample(base + 2), b)->min.x, 20 * kUnit) << "it stands";
  EXPECT_TRUE(sample_of(sample(base + 3), b)->is_cut);
  EXPECT_EQ(shown(b, base + 2, 9)->x, 20 * kUnit);
  EXPECT_EQ(sample_of(sample(base + 3), b)->min.x, 40 * kUnit);
}

TEST_F(InterpolationTest, ShowsWhoEntersFromItsFirstTickAndWhoLeavesUntilItsLast) {
  const BodyId c = room_.body(kC);
  Tick base = room_.now();
  tick({{.seat = kC, .pad = kRight}});
  tell(room_.since(base, {.hidden = {c}, .in_full = {}}));
  EXPECT_EQ(shown(c, base, 9)->x, 40 * kUnit) << "it stands until it is gone";
  EXPECT_FALSE(sample_of(sample(base + 1), c));
  base = room_.now();
  tick();
  tick();
  tell(room_.since(base));
  EXPECT_FALSE(shown(c, base, 9));
  EXPECT_FALSE(shown(c, base + 1, 9)) << "nobody knows where it was";
  EXPECT_EQ(sample_of(sample(base + 2), c)->min, room_.place(kC));
}

TEST_F(InterpolationTest, ShowsWhatABodySpawnsFromItsFirstTick) {
  const Tick base = room_.now();
  tick();
  tick({{.seat = kA, .pad = kShoot}});
  const BodyId dart = room_.darts().at(0);
  tick();
  tick();
  tell(room_.since(base));
  EXPECT_FALSE(shown(dart, base + 1, 9));
  EXPECT_EQ(shown(dart, base + 2, 0), sample_of(sample(base + 2), dart)->min);
  EXPECT_GT(shown(dart, base + 2, 5)->x, shown(dart, base + 2, 0)->x);
}

TEST_F(InterpolationTest, DoesNotJoinViewsThatAreMoreThanASecondApart) {
  for (int i = 0; i < 60; ++i)
    tick({{.seat = kB, .pad = kRight}});
  tell(room_.full());
  EXPECT_EQ(interpolation_.oldest().value, room_.now().value - 60);
  for (int i = 0; i < 61; ++i)
    tick({{.seat = kB, .pad = kRight}});
  tell(room_.full());
  EXPECT_EQ(interpolation_.oldest(), room_.now());
}

TEST_F(InterpolationTest, LetsGoOfWhatIsNotLookedAtAnyMore) {
  for (int i = 0; i < 10; ++i) {
    const Tick base = room_.now();
    tick({{.seat = kB, .pad = kRight}});
    tell(room_.since(base));
  }
  const Tick newest = room_.now();
  interpolation_.remove_before({newest.value - 3});
  EXPECT_EQ(interpolation_.oldest().value, newest.value - 3);
  for (std::uint32_t ago = 0; ago <= 3; ++ago) {
    expect_true(sample({newest.value - ago}));
  }
  interpolation_.remove_before(newest + 7);
  EXPECT_EQ(interpolation_.oldest(), newest) << "the newest stays";
}

// B runs into C and pushes it, and A's dart flies. No snapshot arrives for a quarter of a second.
TEST_F(InterpolationTest, ExtrapolatesWhatThenHappens) {
  room_.command_put(kA, units(0, 10));
  room_.command_put(kC, units(22, 0));
  tick();
  tell(room_.full());
  const Tick base = room_.now();
  tick({{.seat = kA, .pad = kShoot}, {.seat = kB, .pad = kRight}});
  tell(room_.since(base));
  const Tick newest = room_.now();
  EXPECT_FALSE(sample(newest).is_extrapolated);
  for (int i = 0; i < 15; ++i)
    tick();
  ASSERT_GT(room_.place(kC).x, 22 * kUnit) << "nobody was pushed";
  // The caller may request the samples in any order.
  for (const std::uint32_t ahead : {3U, 2U, 15U, 7U, 1U}) {
    expect_true(sample(newest + ahead));
    EXPECT_TRUE(sample(newest + ahead).is_extrapolated);
  }
  tell(room_.since(newest));
  EXPECT_FALSE(sample(room_.now()).is_extrapolated);
  tick();
  expect_true(sample(room_.now()));
}

}  // namespace
}  // namespace tickbox::client::interpolation_test
