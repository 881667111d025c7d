// Plans that end early, and each kind of news that alone prevents it. PlannedMatch compares each
// plan with the whole one.

#include "server/match/plan/planner.h"
#include "tests/unit/match/planned_match.h"

#include <gtest/gtest.h>

namespace tickbox::server::quiet_check_test {
namespace {

/// A test fails if the event that it waits for takes longer.
constexpr int kTicksMost = 100;

class QuietCheck : public ::testing::Test {
 protected:
  /// The client has the view of the present tick.
  static void begin(PlannedMatch& match, const std::vector<Played>& played = {}) {
    match.tick(played);
    match.send();
    match.acknowledge();
  }

  /// Returns whether the plan of the next tick ends early.
  static bool ends_early(PlannedMatch& match, const std::vector<Played>& played = {}) {
    match.tick(played);
    match.send();
    return match.ends_early();
  }

  /// Nothing happens but that bodies move on, until there is news.
  static void expect_news_at_last(PlannedMatch& match) {
    int ticks = 0;
    for (; ends_early(match); ++ticks) {
      ASSERT_LT(ticks, kTicksMost);
    }
    EXPECT_GT(ticks, 0);
    EXPECT_TRUE(match.plan().has_news);
  }
};

// The client computes how a runner runs on, and how it meets others.
TEST_F(QuietCheck, EndsPlansWhileBodiesOfTheViewMoveOnAndMeet) {
  PlannedMatch match{{units(0, 0), units(4, 0), units(6, 0), units(40, 0)}};
  begin(match, {{.seat = 1, .pad = kRight}, {.seat = 3, .pad = kDown}});
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(ends_early(match)) << i;
  }
}

TEST_F(QuietCheck, EndsThePlanWhereABodyOfTheBaseHasDespawnedByTheRules) {
  PlannedMatch match{{units(0, 0), units(-3, 3)}};
  match.command_drop(units(8, 3));
  match.tick();
  begin(match, {{.seat = 1, .pad = kShoot}});
  ASSERT_EQ(match.darts().size(), 1U);
  for (int ticks = 0; !match.darts().empty(); ++ticks) {
    ASSERT_LT(ticks, kTicksMost);
    EXPECT_TRUE(ends_early(match));
  }
  EXPECT_EQ(match.members().size(), 3U);
}

TEST_F(QuietCheck, IgnoresWhatHappensElsewhere) {
  PlannedMatch match{{units(0, 0), units(40, 0)}};
  begin(match);
  EXPECT_TRUE(ends_early(match, {{.seat = 1, .pad = kShoot}}));
  match.command_paint(1, 4);
  EXPECT_TRUE(ends_early(match));
}

TEST_F(QuietCheck, AFullViewIsNews) {
  PlannedMatch match{{units(0, 0)}};
  EXPECT_FALSE(ends_early(match));
}

TEST_F(QuietCheck, AnInputThatChangesIsNews) {
  for (std::uint16_t seat = 0; seat < 2; ++seat) {
    PlannedMatch match{{units(0, 0), units(4, 0)}};
    begin(match);
    EXPECT_FALSE(ends_early(match, {{.seat = seat, .pad = kDown}}));
    EXPECT_FALSE(ends_early(match)) << "until it is acknowledged";
    match.acknowledge();
    EXPECT_TRUE(ends_early(match));
  }
}

TEST_F(QuietCheck, AnOutcomeIsNews) {
  PlannedMatch match{{units(0, 0), units(4, 0)}};
  begin(match);
  match.command_paint(1, 4);
  EXPECT_FALSE(ends_early(match));
}

TEST_F(QuietCheck, AChangeOfTheRoomIsNews) {
  PlannedMatch match{{units(0, 0)}};
  begin(match);
  match.command_rain(4);
  EXPECT_FALSE(ends_early(match));
}

TEST_F(QuietCheck, ABodyThatGetsOutOfSightIsNews) {
  PlannedMatch match{{units(0, 0), units(10, 0)}};
  match.tick({{.seat = 1, .pad = kRight}});
  begin(match);
  expect_news_at_last(match);
  EXPECT_FALSE(match.sees(1));
}

TEST_F(QuietCheck, ABodyThatGetsIntoSightIsNews) {
  PlannedMatch match{{units(0, 0), units(12, 0)}};
  match.tick({{.seat = 1, .pad = kLeft}});
  begin(match);
  expect_news_at_last(match);
  EXPECT_TRUE(match.sees(1));
}

TEST_F(QuietCheck, ABodyThatIsRemovedByTheServerIsNews) {
  PlannedMatch match{{units(0, 0), units(4, 0)}};
  begin(match);
  match.leave({1});
  match.send();
  EXPECT_FALSE(match.ends_early());
}

// The other one is still out of sight when they meet.
TEST_F(QuietCheck, ABodyThatIsPushedFromOutsideIsNews) {
  PlannedMatch match{{units(0, 0), {10 * kUnit + kUnit / 4, 0}, units(13, 0)}};
  match.tick({{.seat = 2, .pad = kLeft}});
  begin(match);
  ASSERT_FALSE(match.sees(2));
  expect_news_at_last(match);
  EXPECT_GT(match.plan().known_body_bytes, 0U);
}

// The client has not acknowledged the view in which the body came into sight.
TEST_F(QuietCheck, ABodyOfTheViewSentLastAtTheRimIsNews) {
  PlannedMatch match{{units(0, 0), units(12, 0)}};
  begin(match);
  match.command_put(1, units(10, 0));
  EXPECT_FALSE(ends_early(match));
  ASSERT_TRUE(match.sees(1));
  match.command_put(1, units(12, 0));
  EXPECT_FALSE(ends_early(match));
  EXPECT_TRUE(match.sees(1));
}

TEST_F(QuietCheck, ASnapshotThatDoesNotFitIsHeldBack) {
  PlannedMatch match{{units(0, 0)}};
  begin(match);
  match.tick();
  match.send(protocol::kSnapshotFrameBytes);
  EXPECT_FALSE(match.plan().fits);
  EXPECT_FALSE(match.ends_early());
}

}  // namespace
}  // namespace tickbox::server::quiet_check_test
