// The presentation of one client. A real room runs at 60 ticks a second, every tick is sent, and
// the link takes 50 ms in each direction.

#include "client/presentation/presentation.h"

#include "tests/support/allocations.h"
#include "tests/support/staged_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>

namespace tickbox::client {
namespace {

using std::chrono::milliseconds;
using tests::kRight;
using tests::StagedMatch;

constexpr PlayerId kA{0};
constexpr PlayerId kB{1};
constexpr game::Input kLeft{.move = 5};
constexpr Duration kPeriod = tick_duration(60);
/// The lead of the client over the room, and the delay of a view, in ticks.
constexpr std::uint32_t kLead = 3;
constexpr std::uint32_t kOnTheWay = 3;
constexpr Instant kStart{std::chrono::hours{1}};

class PresentationTest : public ::testing::Test {
 protected:
  PresentationTest()
      : snapshot_world_(start()),
        prediction_(room_.map(), room_.rules(), kA, room_.body(kA)),
        presentation_({.map = room_.map(),
                       .rules = room_.rules(),
                       .own = room_.body(kA),
                       .ticks_per_second = 60}) {
    const Tick first = room_.now();
    const protocol::Snapshot full = room_.full();
    for (std::uint32_t i = 0; i < kOnTheWay; ++i) {
      const Tick base = room_.now();
      room_.tick();
      on_the_way_.push_back({room_.now(), room_.since(base)});
    }
    arrive(full, first);
    prediction_.skip_to(room_.now() + kLead);
  }

  SnapshotWorld start() {
    room_.join(kA);
    room_.join(kB);
    room_.put(kA, 0, 0);
    room_.put(kB, 20, 0);
    return {room_.map(), room_.rules(), room_.body(kA)};
  }

  /// The time at which the room makes a tick.
  static Instant time_of(Tick tick) { return kStart + kPeriod * tick.value; }

  [[nodiscard]] Instant now() const { return time_of(room_.now()); }

  void arrive(const protocol::Snapshot& snapshot, Tick tick) {
    const auto view = snapshot_world_.apply(snapshot, tick);
    ASSERT_TRUE(view);
    prediction_.reconcile(*view);
    presentation_.on_view(*view, prediction_, now());
  }

  /// Runs one tick of the room and one of the client. The client decides `own` for the tick kLead
  /// ahead, and the room uses `used` now.
  void tick(const game::Input& own, const game::Input& used, const game::Input& other = {}) {
    const Tick base = room_.now();
    room_.tick({{.player = kA, .input = used}, {.player = kB, .input = other}});
    on_the_way_.push_back({room_.now(), room_.since(base)});
    if (is_up_ && on_the_way_.size() > kOnTheWay) {
      arrive(on_the_way_.front().second, on_the_way_.front().first);
      on_the_way_.pop_front();
    }
    prediction_.predict(room_.now() + kLead, own);
    presentation_.on_tick(prediction_, now(), now() + kPeriod);
    presentation_.count_tick(now());
  }

  /// Runs ticks without other inputs.
  void ticks(int count, const game::Input& own = {}, const game::Input& other = {}) {
    for (int i = 0; i < count; ++i)
      tick(own, own, other);
  }

  PresentedBody shown(PlayerId player, Instant when) {
    const auto all = presentation_.shown(when);
    EXPECT_TRUE(std::ranges::is_sorted(all, std::ranges::less_equal{}, &PresentedBody::id) ||
                std::ranges::is_sorted(all, {}, &PresentedBody::id));
    EXPECT_EQ(std::ranges::adjacent_find(all, {}, &PresentedBody::id), all.end());
    const auto found = std::ranges::find(all, room_.body(player), &PresentedBody::id);
    EXPECT_NE(found, all.end());
    return found != all.end() ? *found : PresentedBody{};
  }

  StagedMatch room_ = StagedMatch::in_the_open();
  SnapshotWorld snapshot_world_;
  Prediction prediction_;
  Presentation presentation_;
  std::deque<std::pair<Tick, protocol::Snapshot>> on_the_way_;
  bool is_up_ = true;
};

TEST_F(PresentationTest, IsEmptyBeforeTheFirstView) {
  Presentation presentation{
      {.map = room_.map(), .rules = room_.rules(), .own = room_.body(kA), .ticks_per_second = 60}};
  EXPECT_TRUE(presentation.shown(kStart).empty());
  EXPECT_EQ(presentation.render_tick(kStart), Tick{});
  EXPECT_FALSE(presentation.is_extrapolated(kStart));
}

TEST_F(PresentationTest, ShowsOthersTwoTicksAfterTheyArrived) {
  ticks(100, {}, kRight);
  const std::uint32_t render_tick = room_.now().value - kOnTheWay - 2;
  EXPECT_EQ(presentation_.render_tick(now()).value, render_tick);
  EXPECT_EQ(presentation_.render_tick(now() + kPeriod / 2 - milliseconds{1}).value, render_tick);
  EXPECT_EQ(presentation_.render_tick(now() + kPeriod / 2 + milliseconds{1}).value,
            render_tick + 1);
  const PresentedBody b = shown(kB, now());
  EXPECT_EQ(b.origin, Origin::Interpolated);
  const std::int32_t speed = room_.entity(room_.body(kB)).velocity.x;
  ASSERT_GT(speed, 0);
  const std::int32_t is_at = room_.entity(room_.body(kB)).min.x;
  EXPECT_EQ(b.min.x, is_at - speed * static_cast<std::int32_t>(kOnTheWay + 2));
  EXPECT_EQ(shown(kB, now() + kPeriod / 2).min.x, b.min.x + speed / 2);
}

TEST_F(PresentationTest, ShowsTheOwnBodyOnItsWayToTheNewestPredictedTick) {
  ticks(100, kRight);
  const Vec2 from = prediction_.before();
  const Vec2 to = prediction_.own()->min;
  ASSERT_GT(to.x, from.x);
  EXPECT_EQ(shown(kA, now()), (PresentedBody{room_.body(kA), from, Origin::Own}));
  EXPECT_EQ(shown(kA, now() + kPeriod / 2).min.x, from.x + (to.x - from.x) / 2);
  EXPECT_EQ(shown(kA, now() + kPeriod).min, to);
  EXPECT_EQ(shown(kA, now() + 3 * kPeriod).min, to) << "the next tick is late";
}

TEST_F(PresentationTest, EasesACorrection) {
  ticks(60, kRight);
  // The client turns. The room hears of it ten ticks late.
  for (int i = 0; i < 10; ++i)
    tick(kLeft, kRight);
  Vec2 last = shown(kA, now()).min;
  std::int32_t most = 0;
  std::int32_t offset_most = 0;
  bool was_corrected = false;
  for (int i = 0; i < 30; ++i) {
    tick(kLeft, kLeft);
    for (int part = 0; part < 4; ++part) {
      const Instant when = now() + kPeriod * part / 4;
      const Vec2 is = shown(kA, when).min;
      most = std::max(most, std::abs(is.x - last.x));
      last = is;
      const Vec2 predicted =
          between(prediction_.before(), prediction_.own()->min, kPeriod * part / 4, kPeriod);
      offset_most = std::max(offset_most, std::abs(is.x - predicted.x));
      was_corrected = was_corrected || is != predicted;
    }
  }
  EXPECT_TRUE(was_corrected);
  EXPECT_GT(offset_most, kUnit / 4) << "so far it was wrong";
  EXPECT_LT(most, kUnit / 4) << "and was never moved so far from one look to the next";
  ticks(30, kLeft);
  EXPECT_EQ(shown(kA, now() + kPeriod).min, prediction_.own()->min) << "in the end it is there";
}

TEST_F(PresentationTest, CutsTheOwnBodyToWhereTheServerPutsIt) {
  ticks(60);
  // B shoots A. The presentation of A's body jumps to the new place at once.
  const game::Input shoot{.buttons = game::kButtonShoot, .aim = 512};
  tick({}, {}, shoot);
  int waited = 0;
  while (prediction_.own()->min.x < 900 * kUnit && ++waited < 100) {
    EXPECT_LT(shown(kA, now()).min.x, kUnit);
    tick({}, {});
  }
  ASSERT_LT(waited, 100);
  EXPECT_EQ(shown(kA, now()).min, prediction_.own()->min);
}

// So near that a correction would be smoothed.
TEST_F(PresentationTest, CutsTheOwnBodyToAPlaceThatIsNear) {
  ticks(60);
  std::vector<game::EntityState> moved = room_.entities();
  const SeenTeleport placed{.id = room_.body(kA), .tick = room_.now()};
  for (const bool is_placed : {false, true}) {
    moved.front().min.x += kUnit;
    const View view{.tick = room_.now() + (is_placed ? 1 : 0),
                    .entities = moved,
                    .touched = {},
                    .teleports = std::span{&placed, 1}.first(is_placed ? 1 : 0)};
    const Vec2 before = shown(kA, now()).min;
    prediction_.reconcile(view);
    presentation_.on_view(view, prediction_, now());
    EXPECT_EQ(shown(kA, now()).min, is_placed ? moved.front().min : before);
  }
}

TEST_F(PresentationTest, GoesOnForAQuarterOfASecondWhereViewsStayAway) {
  ticks(100, {}, kRight);
  is_up_ = false;
  const Tick newest{room_.now().value - kOnTheWay};
  const std::int32_t speed = room_.entity(room_.body(kB)).velocity.x;
  const std::int32_t newest_x =
      room_.entity(room_.body(kB)).min.x - speed * static_cast<std::int32_t>(kOnTheWay);
  ticks(10, {}, kRight);
  const PresentedBody b = shown(kB, now());
  EXPECT_EQ(b.origin, Origin::Extrapolated);
  EXPECT_TRUE(presentation_.is_extrapolated(now()));
  EXPECT_EQ(b.min.x, newest_x + 8 * speed);
  EXPECT_EQ(presentation_.render_tick(now()), newest + 8);
  ticks(30, {}, kRight);
  const PresentedBody stands = shown(kB, now());
  EXPECT_EQ(stands.min.x, newest_x + 15 * speed);
  EXPECT_EQ(presentation_.render_tick(now()), newest + 15);
  EXPECT_EQ(shown(kB, now() + milliseconds{2'000}), stands);
}

TEST_F(PresentationTest, GoesOnFromTheNewestViewThereIs) {
  ticks(100, {}, kRight);
  const std::int32_t right = room_.entity(room_.body(kB)).velocity.x;
  is_up_ = false;
  ticks(8, {}, kRight);
  const Tick render_tick = presentation_.render_tick(now());
  const std::int32_t x = shown(kB, now()).min.x;
  is_up_ = true;
  ticks(8, {}, kLeft);
  while (!on_the_way_.empty()) {
    arrive(on_the_way_.front().second, on_the_way_.front().first);
    on_the_way_.pop_front();
  }
  const Instant later = now() + 12 * kPeriod;
  const PresentedBody b = shown(kB, later);
  EXPECT_EQ(b.origin, Origin::Extrapolated);
  const auto passed = static_cast<std::int32_t>(presentation_.render_tick(later) - render_tick);
  EXPECT_GT(passed, 8);
  EXPECT_LT(b.min.x, x + right * (passed - 8)) << "it has turned";
}

TEST_F(PresentationTest, ForesawWhatThenCame) {
  ticks(100, {}, kRight);
  is_up_ = false;
  ticks(8, {}, kRight);
  EXPECT_TRUE(presentation_.is_extrapolated(now()));
  is_up_ = true;
  ticks(60, {}, kRight);
  EXPECT_EQ(presentation_.counts().extrapolated_wrong, 0U);
}

TEST_F(PresentationTest, KnowsAfterwardsWhatItCouldNotForesee) {
  ticks(100, {}, kRight);
  is_up_ = false;
  // B turns in the fourth tick after the newest view. The bodies of that tick are shown two ticks
  // later.
  ticks(8, {}, kLeft);
  is_up_ = true;
  ticks(3, {}, kLeft);
  EXPECT_EQ(presentation_.counts().extrapolated_wrong, 0U) << "views of before it turned";
  ticks(60, {}, kLeft);
  EXPECT_GE(presentation_.counts().extrapolated_wrong, 3U);
  EXPECT_LE(presentation_.counts().extrapolated_wrong, 7U);
}

/// The heap allocations of the presentation: turns, shots, corrections, lost views, and moments
/// beyond the newest view.
class PresentationHeapTest : public PresentationTest {
 protected:
  std::uint64_t play(int count) {
    asked_ = 0;
    for (int i = 0; i < count; ++i) {
      const game::Input turning{.move = static_cast<std::uint8_t>(i / 7 % 9),
                                .buttons = i % 31 == 0 ? game::kButtonShoot : std::uint8_t{0},
                                .aim = 300};
      const Tick base = room_.now();
      room_.tick({{.player = kA, .input = turning}, {.player = kB, .input = turning}});
      on_the_way_.push_back({room_.now(), room_.since(base)});
      const bool is_up = i % 20 > 8 || i % 50 > 20;
      while (is_up && on_the_way_.size() > kOnTheWay) {
        hear();
      }
      prediction_.predict(room_.now() + kLead, turning);
      const std::uint64_t before = tests::allocations();
      presentation_.on_tick(prediction_, now(), now() + kPeriod);
      EXPECT_FALSE(presentation_.shown(now()).empty());
      asked_ += tests::allocations() - before;
    }
    return asked_;
  }

 private:
  void hear() {
    const auto view = snapshot_world_.apply(on_the_way_.front().second, on_the_way_.front().first);
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
  EXPECT_GT(play(1'000), 0U) << "nothing is counted";
  EXPECT_EQ(play(1'000), 0U);
}

}  // namespace
}  // namespace tickbox::client
