// The presentation of one client. A real room runs at 60 ticks a second, every tick is sent, and
// the link takes 50 ms in each direction.

#include "client/presentation/presentation.h"

#include "tests/support/allocations.h"
#include "tests/unit/match/staged_snapshots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>

namespace tickbox::client::presentation_test {
namespace {

using server::kLeft;
using server::kRest;
using server::kRight;
using server::kShoot;
using server::units;
using std::chrono::milliseconds;

namespace field = tests::field;

constexpr std::uint16_t kA = 0;
constexpr std::uint16_t kB = 1;
/// A runner that was hit is put to a place below this height.
constexpr std::int32_t kHitY = 400 * kUnit;
constexpr Duration kPeriod = tick_duration(60);
/// The lead of the client over the room, and the delay of a view, in ticks.
constexpr std::uint32_t kLead = 3;
constexpr std::uint32_t kOnTheWay = 3;
constexpr Instant kStart{std::chrono::hours{1}};

/// A, and B far to its left.
class PresentationTest : public ::testing::Test {
 protected:
  PresentationTest() {
    room_.tick();
    const server::Snapshot full = room_.full();
    for (std::uint32_t i = 0; i < kOnTheWay; ++i) {
      const Tick base = room_.now();
      room_.tick();
      on_the_way_.push_back(room_.since(base));
    }
    arrive(full);
    prediction_.continue_after(room_.now() + kLead);
  }

  /// The time at which the room makes a tick.
  static Instant time_of(Tick tick) { return kStart + kPeriod * tick.value; }

  [[nodiscard]] Instant now() const { return time_of(room_.now()); }

  void arrive(const server::Snapshot& snapshot) {
    const auto view = snapshot_world_.apply(snapshot.head, snapshot.content);
    ASSERT_TRUE(view);
    prediction_.reconcile(*view);
    presentation_.on_view(*view, prediction_, now());
  }

  /// Runs one tick of the room and one of the client. The client decides `own` for the tick kLead
  /// ahead, and the room uses `used` now.
  void tick(const field::Pad& own, const field::Pad& used, const field::Pad& other = kRest) {
    const Tick base = room_.now();
    room_.tick({{.seat = kA, .pad = used}, {.seat = kB, .pad = other}});
    send(base, own);
  }

  /// Sends the room's tick, and runs one of the client.
  void send(Tick base, const field::Pad& own) {
    on_the_way_.push_back(room_.since(base));
    if (is_up_ && on_the_way_.size() > kOnTheWay) {
      arrive(on_the_way_.front());
      on_the_way_.pop_front();
    }
    prediction_.predict(room_.now() + kLead, field::bytes_of(own));
    presentation_.on_tick(prediction_, now(), now() + kPeriod);
    presentation_.count_tick(now());
  }

  /// Runs ticks without other inputs.
  void ticks(int count, const field::Pad& own = kRest, const field::Pad& other = kRest) {
    for (int i = 0; i < count; ++i)
      tick(own, own, other);
  }

  [[nodiscard]] bool shows(BodyId id, Instant when) {
    const auto all = presentation_.shown(when);
    return std::ranges::find(all, id, &PresentedBody::id) != all.end();
  }

  PresentedBody shown(std::uint16_t player, Instant when) {
    const auto all = presentation_.shown(when);
    EXPECT_TRUE(std::ranges::is_sorted(all, std::ranges::less_equal{}, &PresentedBody::id) ||
                std::ranges::is_sorted(all, {}, &PresentedBody::id));
    EXPECT_EQ(std::ranges::adjacent_find(all, {}, &PresentedBody::id), all.end());
    const auto found = std::ranges::find(all, room_.body(player), &PresentedBody::id);
    EXPECT_NE(found, all.end());
    return found != all.end() ? *found : PresentedBody{};
  }

  /// Returns the room's rows, with the own body moved along x.
  [[nodiscard]] views::Rows with_own_moved(std::int32_t by) const {
    const views::Rows all = room_.seen();
    views::Rows moved{field::game()};
    for (std::size_t i = 0; i < all.size(); ++i) {
      views::RowRef row = all.row(i);
      if (row.head.id == room_.body(kA)) row.head.min.x += by;
      moved.add(row);
    }
    return moved;
  }

  [[nodiscard]] Vec2 own() const { return prediction_.own().head(0).min; }

  [[nodiscard]] Vec2 own_before() const { return prediction_.before().head(0).min; }

  /// The velocity of a player's body along x.
  [[nodiscard]] std::int32_t velocity_x(std::uint16_t player) const {
    const engine::World& world = room_.match().world();
    return world.body(world.avatar_of({player})).velocity.x;
  }

  server::StagedMatch room_{{units(0, 0), units(-20, 0)}};
  engine::Stepper stepper_;
  SnapshotWorld snapshot_world_{room_.like(), Player{kA}, stepper_};
  Prediction prediction_{room_.like(), Player{kA}, stepper_};
  Presentation presentation_{room_.like(), Player{kA}, stepper_};
  std::deque<server::Snapshot> on_the_way_;
  bool is_up_ = true;
};

TEST_F(PresentationTest, IsEmptyBeforeTheFirstView) {
  Presentation presentation{room_.like(), Player{kA}, stepper_};
  EXPECT_TRUE(presentation.shown(kStart).empty());
  EXPECT_EQ(presentation.shown_tick(kStart), Tick{});
  EXPECT_FALSE(presentation.is_extrapolated(kStart));
}

TEST_F(PresentationTest, ShowsOthersTwoTicksAfterTheyArrived) {
  ticks(100, kRest, kRight);
  const std::uint32_t shown_tick = room_.now().value - kOnTheWay - 2;
  EXPECT_EQ(presentation_.shown_tick(now()).value, shown_tick);
  EXPECT_EQ(presentation_.shown_tick(now() + kPeriod / 2 - milliseconds{1}).value, shown_tick);
  EXPECT_EQ(presentation_.shown_tick(now() + kPeriod / 2 + milliseconds{1}).value, shown_tick + 1);
  const PresentedBody b = shown(kB, now());
  EXPECT_EQ(b.origin, Origin::Interpolated);
  const std::int32_t speed = velocity_x(kB);
  ASSERT_GT(speed, 0);
  const std::int32_t is_at = room_.place(kB).x;
  EXPECT_EQ(b.min.x, is_at - speed * static_cast<std::int32_t>(kOnTheWay + 2));
  EXPECT_EQ(shown(kB, now() + kPeriod / 2).min.x, b.min.x + speed / 2);
}

TEST_F(PresentationTest, ShowsTheOwnBodyOnItsWayToTheNewestPredictedTick) {
  ticks(100, kRight);
  const Vec2 from = own_before();
  const Vec2 to = own();
  ASSERT_GT(to.x, from.x);
  EXPECT_EQ(shown(kA, now()),
            (PresentedBody{room_.body(kA), field::game().avatar, from, Origin::Own}));
  EXPECT_EQ(shown(kA, now() + kPeriod / 2).min.x, from.x + (to.x - from.x) / 2);
  EXPECT_EQ(shown(kA, now() + kPeriod).min, to);
  EXPECT_EQ(shown(kA, now() + 3 * kPeriod).min, to) << "the next tick is late";
}

TEST_F(PresentationTest, CutsTheOwnBodyToWhereTheServerPutsIt) {
  ticks(60);
  // B shoots A. The presentation of A's body jumps to the new place at once.
  tick(kRest, kRest, kShoot);
  int waited = 0;
  while (own().y < kHitY && ++waited < 100) {
    EXPECT_LT(shown(kA, now()).min.y, kUnit);
    tick(kRest, kRest);
  }
  ASSERT_LT(waited, 100);
  EXPECT_EQ(shown(kA, now()).min, own());
}

// The place is so near that a correction to it would be smoothed.
TEST_F(PresentationTest, CutsTheOwnBodyToAPlaceThatIsNear) {
  ticks(60);
  const auto room = std::make_shared<std::vector<std::byte>>(field::bytes_of(field::Weather{}));
  const SeenTeleport placed{.id = room_.body(kA), .tick = room_.now()};
  for (const bool is_placed : {false, true}) {
    const auto moved = std::make_shared<views::Rows>(with_own_moved(is_placed ? 2 * kUnit : kUnit));
    const View view{.tick = room_.now() + (is_placed ? 1 : 0),
                    .rows = moved,
                    .room = room,
                    .touched = {},
                    .teleports = std::span{&placed, 1}.first(is_placed ? 1 : 0)};
    const Vec2 before = shown(kA, now()).min;
    prediction_.reconcile(view);
    presentation_.on_view(view, prediction_, now());
    EXPECT_EQ(shown(kA, now()).min, is_placed ? moved->head(0).min : before);
  }
}

TEST_F(PresentationTest, KnowsAfterwardsWhatItCouldNotForesee) {
  ticks(100, kRest, kRight);
  is_up_ = false;
  // B turns in the fourth tick after the newest view. The bodies of that tick are shown two ticks
  // later.
  ticks(8, kRest, kLeft);
  is_up_ = true;
  ticks(3, kRest, kLeft);
  EXPECT_EQ(presentation_.counts().extrapolated_wrong, 0U) << "views of before it turned";
  ticks(60, kRest, kLeft);
  EXPECT_GE(presentation_.counts().extrapolated_wrong, 3U);
  EXPECT_LE(presentation_.counts().extrapolated_wrong, 7U);
}

TEST_F(PresentationTest, ShowsNoOwnBodyWhileViewsHaveNone) {
  ticks(60, kRight);
  const BodyId own = room_.body(kA);
  EXPECT_TRUE(shows(own, now()));
  Tick base = room_.now();
  room_.leave(kA);
  send(base, kRight);
  EXPECT_TRUE(shows(own, now())) << "the client does not know yet";
  for (std::uint32_t i = 0; i < kOnTheWay; ++i) {
    base = room_.now();
    room_.tick();
    send(base, kRight);
  }
  EXPECT_FALSE(shows(own, now()));
  EXPECT_TRUE(shows(room_.body(kB), now()));
}

/// The heap allocations of the presentation, in a match with turns, shots, corrections, views that
/// come late and together, and moments beyond the newest view.
class PresentationHeapTest : public PresentationTest {
 protected:
  std::uint64_t play(int count) {
    asked_ = 0;
    for (int i = 0; i < count; ++i) {
      const field::Pad turning{.x = i / 7 % 3 - 1, .y = i / 21 % 3 - 1, .shoot = {i % 31 == 0}};
      const std::vector<std::byte> input = field::bytes_of(turning);
      const Tick base = room_.now();
      room_.tick({{.seat = kA, .pad = turning}, {.seat = kB, .pad = turning}});
      on_the_way_.push_back(room_.since(base));
      const bool is_up = i % 20 > 8 || i % 50 > 20;
      while (is_up && on_the_way_.size() > kOnTheWay) {
        hear();
      }
      prediction_.predict(room_.now() + kLead, input);
      const std::uint64_t before = tests::allocations();
      presentation_.on_tick(prediction_, now(), now() + kPeriod);
      EXPECT_FALSE(presentation_.shown(now()).empty());
      asked_ += tests::allocations() - before;
    }
    return asked_;
  }

 private:
  void hear() {
    const server::Snapshot& next = on_the_way_.front();
    const auto view = snapshot_world_.apply(next.head, next.content);
    on_the_way_.pop_front();
    ASSERT_TRUE(view);
    prediction_.reconcile(*view);
    const std::uint64_t before = tests::allocations();
    presentation_.on_view(*view, prediction_, now());
    asked_ += tests::allocations() - before;
  }

  std::uint64_t asked_ = 0;
};

TEST_F(PresentationHeapTest, IsLeftAloneOnceWarm) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP() << "the check after each step allocates";
#endif
  EXPECT_GT(play(1'000) + play(1'000), 0U) << "nothing is counted";
  EXPECT_EQ(play(1'000), 0U);
}

}  // namespace
}  // namespace tickbox::client::presentation_test
