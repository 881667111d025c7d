#include "games/platformer/platformer.h"

#include "games/platformer/courses.h"
#include "tests/unit/games/played_match.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

namespace tickbox::games::platformer_test {
namespace {

const Values kStand{};
const Values kRight{{.field = "run", .value = 1}};
const Values kJump{{.field = "jump", .value = 1}};

constexpr std::int32_t kGround = 10 * kUnit;  // of the meadow
constexpr std::int32_t kFree = 21 * kUnit;    // where nothing is in the way, and no Goomba comes

/// A match at 60 Hz with one hero, which stands on the ground of the meadow.
class Platformer : public testing::Test {
 protected:
  Platformer() {
    match_.join({0});
    stand(kFree);
    match_.tick({{.seat = 0, .values = kStand}});
  }

  void stand(std::int32_t x, std::int32_t above = 0) {
    match_.put(hero(), {x, kGround - kHeroSize.y - above});
  }

  void play(const Values& values) { match_.tick({{.seat = 0, .values = values}}); }

  [[nodiscard]] std::size_t hero() const { return match_.row(0); }

  [[nodiscard]] const sim::Body& box() const { return match_.box(hero()); }

  [[nodiscard]] bool rises() const { return box().velocity.y < 0; }

  [[nodiscard]] Vec2 checkpoint(std::int32_t number) const {
    return match_.objects("checkpoint")[number].min;
  }

  PlayedMatch match_{platformer()};
};

TEST_F(Platformer, RunsAndStops) {
  match_.tick({{.seat = 0, .values = kRight}});
  match_.ticks(20);
  EXPECT_EQ(box().velocity.x, 8 * kUnit / 60);
  play(kStand);
  match_.ticks(20);
  EXPECT_EQ(box().velocity.x, 0);
}

TEST_F(Platformer, JumpsThreeUnitsHighAndHopsIfReleasedAtOnce) {
  const auto height_of_jump = [this](int held) {
    stand(kFree);
    play(kStand);
    play(kStand);
    std::int32_t highest = kGround;
    for (int tick = 0; tick < 60; ++tick) {
      play(tick < held ? kJump : kStand);
      highest = std::min(highest, box().min.y + kHeroSize.y);
    }
    return kGround - highest;
  };
  EXPECT_GT(height_of_jump(60), 3 * kUnit);
  EXPECT_LT(height_of_jump(60), 7 * kUnit / 2);
  EXPECT_LT(height_of_jump(2), kUnit);
}

TEST_F(Platformer, HeldJumpIsOneJump) {
  play(kJump);
  match_.ticks(90);
  EXPECT_EQ(box().velocity.y, 0) << "it lands, and the button is still down";
}

// 100 ms at 60 Hz are 6 ticks.
TEST_F(Platformer, JumpsForSixTicksAfterItLeftTheGround) {
  for (const int late : {0, 5, 6}) {
    stand(kFree);
    play(kStand);
    stand(kFree, 3 * kUnit);  // as if the ground were gone
    for (int tick = 0; tick < late; ++tick) {
      play(kStand);
    }
    play(kJump);
    EXPECT_EQ(rises(), late < 6) << late;
    play(kStand);
    match_.ticks(60);
  }
}

TEST_F(Platformer, APressCountsForSixTicksUntilItLands) {
  for (const int early : {3, 5, 8}) {
    stand(kFree);
    match_.ticks(2);
    // It lands in the tick `fall`, counted from 1: the way is (1 + … + fall) times the gravity.
    stand(kFree, 3 * kUnit);
    match_.set(hero(), "coyote", 0);
    int fall = 0;
    const std::int32_t gravity = 40 * kUnit / 3'600;
    for (std::int32_t way = 0; way < 3 * kUnit; way += fall * gravity) {
      ++fall;
    }
    bool has_jumped = false;
    for (int tick = 1; tick <= fall + 2; ++tick) {
      play(tick >= fall + 1 - early ? kJump : kStand);
      has_jumped = has_jumped || rises();
    }
    EXPECT_EQ(has_jumped, early < 6) << early;
    play(kStand);
    match_.ticks(60);
  }
}

TEST_F(Platformer, StompsAGoombaFromAboveAndBouncesOff) {
  const std::size_t goombas = match_.count("Goomba");
  const Vec2 goomba = match_.box(match_.first("Goomba")).min;
  match_.put(hero(), {goomba.x, goomba.y - kHeroSize.y - kUnit / 2});
  for (int tick = 0; tick < 30 && match_.events("Stomped") == 0; ++tick) {
    match_.tick();
  }
  EXPECT_EQ(match_.events("Stomped"), 1U);
  EXPECT_EQ(match_.events("Died"), 0U);
  EXPECT_TRUE(rises());
  EXPECT_EQ(match_.count("Goomba"), goombas - 1);
  EXPECT_EQ(match_.seat_value(0, "points"), 100);
}

TEST_F(Platformer, DiesOfAGoombaFromTheSideAndComesBackAtItsCheckpoint) {
  const std::size_t goombas = match_.count("Goomba");
  match_.put(hero(), checkpoint(1));
  match_.ticks(2);
  EXPECT_EQ(match_.seat_value(0, "checkpoint"), 1);
  const std::size_t row = match_.first("Goomba");
  match_.set(row, "goes_right", 0);
  const Vec2 goomba = match_.box(row).min;
  match_.put(hero(), {goomba.x - kUnit, kGround - kHeroSize.y});
  const BodyId before = match_.world().id(hero());
  for (int tick = 0; tick < 60 && match_.events("Died") == 0; ++tick) {
    match_.tick();
  }
  EXPECT_EQ(match_.events("Died"), 1U);
  EXPECT_EQ(match_.count("Goomba"), goombas);
  EXPECT_NE(match_.world().id(hero()), before);
  EXPECT_EQ(box().min, checkpoint(1));
}

TEST_F(Platformer, DiesOfSpikesAndBelowTheMap) {
  const Vec2 spikes = match_.objects("spikes")[0].min;
  match_.put(hero(), {spikes.x, spikes.y - 2 * kUnit});
  for (int tick = 0; tick < 60 && match_.events("Died") == 0; ++tick) {
    match_.tick();
  }
  EXPECT_EQ(match_.events("Died"), 1U);
  // Into the first pit.
  match_.put(hero(), {47 * kUnit, kGround});
  int fall = 0;
  for (match_.tick(); fall < 120 && match_.events("Died") == 0; ++fall) {
    match_.tick();
  }
  EXPECT_EQ(match_.events("Died"), 1U);
  EXPECT_EQ(box().min, checkpoint(0));
}

TEST_F(Platformer, TakesACoinOnce) {
  PlayedMatch match{platformer()};
  match.join({0, 1});
  const std::size_t coins = match.count("Coin");
  const Vec2 coin = match.objects("coin")[0].min;
  match.put(match.row(0), coin);
  match.put(match.row(1), coin);
  match.ticks(2);
  EXPECT_EQ(match.count("Coin"), coins - 1);
  EXPECT_EQ(match.seat_value(0, "points") + match.seat_value(1, "points"), 10);
}

TEST_F(Platformer, PassesALedgeFromBelowAndStandsOnIt) {
  // A ledge is at column 29 to 33, four units above the ground.
  match_.put(hero(), {30 * kUnit, 6 * kUnit + kUnit / 4}, {0, -kUnit / 4});
  play(kJump);
  match_.ticks(90);
  EXPECT_EQ(box().min.y + kHeroSize.y, 6 * kUnit);
}

/// A match on the tower. Its second lift carries crates.
class PlatformerTower : public testing::Test {
 protected:
  PlatformerTower() { match_.join({0}); }

  [[nodiscard]] std::size_t lift() const { return match_.first("Lift") + 1; }

  PlayedMatch match_{platformer(), 4, 60, 1, "tower"};
};

TEST_F(PlatformerTower, TwoCratesRideOnALift) {
  match_.ticks(60);
  const std::int32_t top = match_.box(lift()).min.y;
  ASSERT_EQ(match_.count("Crate"), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int32_t crate = match_.box(match_.first("Crate") + i).min.y;
    EXPECT_EQ((top - crate) % kUnit, 0) << "one stands on the other";
    EXPECT_LE(top - crate, 2 * kUnit);
  }
  EXPECT_LT(top, 21 * kUnit) << "it has risen";
}

TEST_F(PlatformerTower, AHeroIsCrushedByALift) {
  // Between the lift, which comes down, and a ledge below.
  match_.ticks(60 * 2 + 10);
  const Vec2 at = match_.box(lift()).min;
  const std::int32_t ledge = 24 * kUnit;
  match_.put(match_.row(0), {at.x, ledge - kHeroSize.y});
  bool is_crushed = false;
  for (int tick = 0; tick < 300; ++tick) {
    match_.tick();
    is_crushed = is_crushed || match_.events("Died") > 0;
  }
  EXPECT_FALSE(is_crushed) << "the lift ends above it";
  match_.put(lift(), {at.x, ledge - kHeroSize.y - kUnit / 2 + 1});
  match_.put(match_.row(0), {at.x, ledge - kHeroSize.y});
  match_.tick();
  EXPECT_EQ(match_.events("Died"), 1U);
}

TEST_F(Platformer, TheGoalLeadsToTheStartAndBringsBackWhatIsGone) {
  const std::size_t coins = match_.count("Coin");
  match_.put(hero(), match_.objects("coin")[0].min);
  match_.ticks(2);
  EXPECT_EQ(match_.count("Coin"), coins - 1);
  match_.put(hero(), match_.objects("goal")[0].min);
  match_.tick();
  EXPECT_EQ(match_.events("Finished"), 1U);
  EXPECT_EQ(box().min, checkpoint(0));
  EXPECT_EQ(match_.seat_value(0, "finished"), 1);
  EXPECT_EQ(match_.seat_value(0, "points"), 1'010);
  EXPECT_EQ(match_.count("Coin"), coins);
}

TEST_F(Platformer, APlayerBeginsAgain) {
  match_.put(hero(), checkpoint(1));
  match_.ticks(2);
  EXPECT_EQ(match_.seat_value(0, "checkpoint"), 1);
  match_.command(0, {});
  match_.tick();
  EXPECT_EQ(box().min, checkpoint(0));
  EXPECT_EQ(match_.seat_value(0, "checkpoint"), 0);
}

TEST(PlatformerMaps, HaveThePlacesThatTheRulesExpect) {
  for (const std::string_view course : platformer().maps) {
    const PlayedMatch match{platformer(), 4, 60, 1, course};
    EXPECT_EQ(match.objects("checkpoint").size(), kCheckpoints) << course;
    EXPECT_EQ(match.objects("goal").size(), 1) << course;
    // The home of each is a number from 0 to 63.
    for (const std::string_view kind : {"coin", "goomba", "crate"}) {
      EXPECT_GT(match.objects(kind).size(), 0) << course << ' ' << kind;
      EXPECT_LE(match.objects(kind).size(), 64) << course << ' ' << kind;
    }
  }
}

}  // namespace
}  // namespace tickbox::games::platformer_test
