// Scenes that other engines get wrong: rows of tiles, their seams and corners, gaps of exact width.

#include "tests/property/stage.h"

#include <gtest/gtest.h>

#include <vector>

namespace tickbox::test {
namespace {

using sim::Body;

constexpr Vec2 kTile = at(1, 1);
constexpr Vec2 kHero = at(0.8, 0.8);

/// `count` tiles from `first` on, in steps of `step`.
std::vector<Body> tiles(std::uint32_t first_id, Vec2 first, Vec2 step, int count) {
  std::vector<Body> row;
  for (int n = 0; n < count; ++n) {
    const Vec2 min{first.x + n * step.x, first.y + n * step.y};
    row.push_back(wall(first_id + static_cast<std::uint32_t>(n), min, kTile));
  }
  return row;
}

std::vector<Body> operator+(std::vector<Body> a, const std::vector<Body>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(Tiles, SeamsOfAFloorStopNobody) {
  for (const double speed : {0.01, 0.1, 0.3, 0.77, 1.0, 5.0, 19.0}) {
    Stage stage{kGravityDown, tiles(10, at(0, 0), at(1, 0), 120) +
                                  std::vector{moving(box(1, at(0, -0.8), kHero), at(speed, 0))}};
    for (int tick = 1; tick <= 6; ++tick) {
      stage.step();
      EXPECT_EQ(stage.body(1).min.x, tick * units(speed)) << speed;
      EXPECT_EQ(stage.body(1).min.y, -kHero.y) << speed;
      EXPECT_EQ(stage.body(1).velocity, (Vec2{units(speed), 0})) << speed;
    }
  }
}

TEST(Tiles, SeamsOfAWallStopNobodyWhoIsPushedAgainstIt) {
  for (const double speed : {-3.0, -0.4, 0.0, 0.4, 3.0}) {
    Stage stage{{},
                tiles(10, at(1, -60), at(0, 1), 120) +
                    std::vector{moving(box(1, at(0.2, 0), kHero), at(0.5, speed))}};
    for (int tick = 1; tick <= 10; ++tick) {
      stage.body(1).velocity.x = units(0.5);
      stage.step();
      EXPECT_EQ(stage.body(1).min, (Vec2{kTile.x - kHero.x, tick * units(speed)})) << speed;
      EXPECT_EQ(stage.body(1).velocity.y, units(speed));
    }
  }
}

// A body falls on a row of tiles at 64 slants. It must hit the top of the first tile, never its
// side.
TEST(Tiles, WhoFallsOnASeamLandsAndGoesOn) {
  for (int n = 0; n < 64; ++n) {
    const std::int32_t speed = units(0.05) * n - units(1.6);
    Stage stage{
        {},
        tiles(10, at(-30, 0), at(1, 0), 60) +
            std::vector{moving(box(1, {n * 1'009, units(-2)}, kHero), {speed, units(0.9)})}};
    stage.step(5);
    EXPECT_EQ(stage.body(1).min, (Vec2{n * 1'009 + 5 * speed, -kHero.y})) << n;
    EXPECT_EQ(stage.body(1).velocity, (Vec2{speed, 0})) << n;
  }
}

TEST(Tiles, WhoHugsAWallLandsOnTheFloorBelowIt) {
  Stage stage{kGravityDown, tiles(10, at(-1, -10), at(0, 1), 10) +
                                tiles(40, at(-1, 0), at(1, 0), 5) +
                                std::vector{box(1, at(0, -9), kHero)}};
  for (int tick = 0; tick < 120; ++tick) {
    stage.body(1).velocity.x = -units(0.2);
    stage.step();
    EXPECT_EQ(stage.body(1).min.x, 0);
  }
  EXPECT_EQ(stage.body(1).min, (Vec2{0, -kHero.y}));
}

// The body's edge is exactly above the edge of a tile. It falls past, because touching is not
// overlapping.
TEST(Tiles, WhoHugsAWallFallsPastACornerThatItOnlyTouches) {
  const std::int32_t just_beside = kHero.x;
  Stage stage{kGravityDown,
              tiles(10, at(-1, -10), at(0, 1), 30) +
                  std::vector{wall(90, {just_beside, units(-4)}, kTile), box(1, at(0, -9), kHero)}};
  for (int tick = 1; tick <= 20; ++tick) {
    stage.body(1).velocity.x = tick % 2 == 0 ? -units(0.2) : 0;
    stage.step();
    EXPECT_EQ(stage.body(1).velocity.y, tick * kGravity) << "it was held up";
  }
}

TEST(Tiles, AJumpUnderACeilingOfTilesKeepsItsWay) {
  for (const double speed : {0.0, 0.1, 0.45, 2.0}) {
    Stage stage{kGravityDown, tiles(10, at(-2, 0), at(1, 0), 100) +
                                  tiles(200, at(-2, -3), at(1, 0), 100) +
                                  std::vector{moving(box(1, at(0, -0.8), kHero), at(speed, -0.3))}};
    for (int tick = 1; tick <= 40; ++tick) {
      stage.step();
      EXPECT_EQ(stage.body(1).min.x, tick * units(speed)) << speed << " tick " << tick;
      EXPECT_GE(stage.body(1).min.y, units(-2)) << speed;
    }
    EXPECT_EQ(stage.body(1).min.y, -kHero.y) << "it has landed again";
  }
}

TEST(Tiles, LeftRightLeftRightInACornerMovesNobodyInAHundredThousandTicks) {
  constexpr int kTicks = 100'000;
  Stage stage{kGravityDown, tiles(10, at(-5, 0), at(1, 0), 8) + tiles(40, at(1, -3), at(0, 1), 3) +
                                std::vector{box(1, {units(1) - kHero.x, -kHero.y}, kHero)}};
  const Vec2 start = stage.body(1).min;
  constexpr std::int32_t kStep = 4'321;
  for (int tick = 0; tick < kTicks; ++tick) {
    stage.body(1).velocity.x = tick % 2 == 0 ? kStep : -kStep;
    stage.step();
    const Vec2 expected{tick % 2 == 0 ? start.x : start.x - kStep, start.y};
    ASSERT_EQ(stage.body(1).min, expected) << "tick " << tick;
  }
  EXPECT_EQ(stage.frozen(), 0U);
}

TEST(Tiles, ACorridorOfExactlyOnesHeightIsWalkedThrough) {
  for (const double speed : {0.1, 0.37, 1.0, 30.0}) {
    Stage stage{kGravityDown, tiles(10, at(-5, 0), at(1, 0), 50) +
                                  tiles(100, at(3, -2), at(1, 0), 20) +
                                  std::vector{moving(box(1, at(0, -1), kTile), at(speed, 0))}};
    for (int tick = 1; tick * speed < 40; ++tick) {
      stage.step();
      EXPECT_EQ(stage.body(1).min, (Vec2{tick * units(speed), units(-1)})) << speed;
    }
  }
}

// The wall must stop the body exactly where the pit begins. The snap exists for this case.
TEST(Tiles, APitOfExactlyOnesWidthIsFallenInto) {
  for (std::int32_t speed = 1'000; speed < units(3); speed = speed * 13 / 11 + 7) {
    Stage stage{kGravityDown,
                tiles(10, at(-9, 0), at(1, 0), 10) + tiles(40, at(0, 1), at(0, 1), 9) +
                    tiles(60, at(2, -5), at(0, 1), 15) + std::vector{box(1, at(-3, -1), kTile)}};
    for (int tick = 0; tick < 400 && stage.body(1).min.y <= units(1); ++tick) {
      stage.body(1).velocity.x = speed;
      stage.step();
    }
    EXPECT_EQ(stage.body(1).min.x, units(1)) << speed;
    EXPECT_GT(stage.body(1).min.y, units(1)) << speed;
  }
}

// In one tick: along the slant to the wall, then straight down. At the wall it must be exactly in
// place, not a fraction of a sub-unit short of it.
TEST(Tiles, APitOfExactlyOnesWidthIsFallenIntoInTheTickThatMeetsTheWall) {
  for (int n = 1; n <= 60; ++n) {
    const Vec2 velocity{units(4) + n * 7'919, units(40)};
    Stage stage{{},
                {wall(10, at(-9, 0), at(10, 9)), wall(11, at(2, -20), at(10, 99)),
                 moving(box(1, {units(0.5) - n * 11, units(-8)}, kTile), velocity)}};
    stage.step();
    EXPECT_EQ(stage.body(1).min, (Vec2{units(1), units(-8) + velocity.y})) << n;
  }
}

}  // namespace
}  // namespace tickbox::test
