// Scenes that other engines get wrong: lifts, platforms, closing walls, descending ceilings,
// one-way platforms.

#include "tests/property/stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace tickbox::test {
namespace {

using sim::Body;

constexpr Vec2 kBox = at(1, 1);

TEST(Moving, WallsThatCloseOnABoxWaitAndKeepItWhole) {
  for (const std::uint16_t e : std::initializer_list<std::uint16_t>{0, 128, 256}) {
    Body caught = bouncing(moving(box(1, at(0, 0), kBox), at(0.4, 0)), e);
    Stage stage{{},
                {caught, platform(2, at(-4, -2), at(1, 4), at(0.11, 0)),
                 platform(3, at(5, -2), at(1, 4), at(-0.07, 0))}};
    const sim::StepReport& report = stage.step(200);
    EXPECT_EQ(report.blocked, (std::vector<BodyId>{{2}, {3}})) << e;
    EXPECT_LE(stage.body(2).min.x + units(1), stage.body(1).min.x) << e;
    EXPECT_LE(stage.body(1).min.x + units(1), stage.body(3).min.x) << e;
    EXPECT_LE(stage.body(3).min.x - stage.body(2).min.x - units(2), 2) << "a gap stays";
    EXPECT_EQ(stage.frozen(), 0U) << e;
    const std::int32_t before = stage.body(1).min.x;
    stage.step(50);
    EXPECT_EQ(stage.body(1).min.x, before) << "it trembles";
  }
}

TEST(Moving, WallsThatCrushGoOnAndSayWhomTheyCrush) {
  Body left = platform(2, at(-4, -2), at(1, 4), at(0.1, 0));
  Body right = platform(3, at(4, -2), at(1, 4), at(-0.1, 0));
  left.squeeze = right.squeeze = sim::Squeeze::Crush;
  Stage stage{{}, {box(1, at(0, 0), kBox), left, right}};
  bool crushed = false;
  for (int tick = 0; tick < 60; ++tick) {
    crushed = !stage.step().crushed.empty() || crushed;
  }
  EXPECT_TRUE(crushed);
  EXPECT_EQ(stage.body(2).min.x, units(-4) + 60 * units(0.1));
  EXPECT_EQ(stage.body(3).min.x, units(4) - 60 * units(0.1));
}

TEST(Moving, ALiftWaitsUnderWhomItWouldPressAgainstTheCeiling) {
  const std::vector<sim::Path> paths = {{{at(0, 0), at(0, -8)}, units(0.09)}};
  Stage stage{kGravityDown,
              {on_path(platform(1, at(0, 0), at(3, 0.5)), 0), wall(2, at(-5, -6), at(10, 1)),
               box(3, at(1, -1), kBox)},
              paths};
  stage.step(120);
  const sim::StepReport& report = stage.step();
  EXPECT_EQ(report.blocked, (std::vector<BodyId>{{1}}));
  EXPECT_EQ(stage.body(3).min.y, units(-5)) << "the rider is not at the ceiling";
  EXPECT_GE(stage.body(1).min.y, units(-4));
  EXPECT_LE(stage.body(1).min.y, units(-4) + 1);
  const std::uint32_t waited_at = stage.body(1).path_ticks;
  stage.step(30);
  EXPECT_EQ(stage.body(1).path_ticks, waited_at);
  stage.world().remove({3});
  stage.step();
  EXPECT_EQ(stage.body(1).path_ticks, waited_at + 1) << "it does not go on when the way is free";
}

TEST(Moving, AStackOnALiftIsCarriedWholeAndComesBack) {
  const std::vector<sim::Path> paths = {{{at(0, 0), at(0, -6)}, units(0.2)}};
  std::vector<Body> bodies = {on_path(platform(1, at(0, 0), at(3, 0.5)), 0)};
  for (std::uint32_t n = 0; n < 6; ++n) {
    bodies.push_back(box(2 + n, at(0.3 * n, -1.0 - n), kBox));
  }
  Stage stage{kGravityDown, bodies, paths};
  for (int tick = 0; tick < 300; ++tick) {
    stage.step();
    for (std::uint32_t n = 0; n < 6; ++n) {
      ASSERT_EQ(stage.body(2 + n).min.y, stage.body(1).min.y - units(1) * static_cast<int>(n + 1))
          << "tick " << tick << " box " << n;
    }
  }
  EXPECT_EQ(stage.frozen(), 0U);
}

TEST(Moving, ACeilingThatComesDownOnAJumperStopsAboveIt) {
  Stage stage{kGravityDown,
              {wall(1, at(-5, 0), at(10, 1)), box(2, at(0, -1), kBox),
               platform(3, at(-4, -9), at(8, 1), at(0, 0.05))}};
  for (int tick = 0; tick < 400; ++tick) {
    if (stage.body(2).min.y == units(-1)) stage.body(2).velocity.y = -units(0.25);
    stage.step();
    ASSERT_LE(stage.body(2).min.y, units(-1));
    ASSERT_GE(stage.body(2).min.y, stage.body(3).min.y + units(1));
  }
  EXPECT_EQ(stage.body(3).min.y, units(-2));
  EXPECT_EQ(stage.frozen(), 0U);
}

/// In six directions at nine speeds: its place on the platform never changes by a sub-unit.
TEST(Moving, ARiderStaysInItsPlaceAtAnySpeedOfThePlatform) {
  const Vec2 goals[] = {at(9'000, 0),  at(-9'000, 0),    at(0, 9'000),
                        at(0, -9'000), at(7'000, 5'000), at(-3'000, -8'000)};
  for (const Vec2 goal : goals) {
    for (const std::int32_t speed :
         {1, 545, 546, 547, 9'999, kUnit, 40 * kUnit, 1'000 * kUnit, 4'095 * kUnit}) {
      const std::vector<sim::Path> paths = {{{at(0, 0), goal}, speed}};
      Stage stage{kGravityDown,
                  {on_path(platform(1, at(0, 0), at(3, 0.5)), 0), box(2, at(0.5, -1), kBox),
                   box(3, at(1, -2), kBox)},
                  paths};
      for (int tick = 0; tick < 30; ++tick) {
        stage.step();
        const Vec2 base = stage.body(1).min;
        ASSERT_EQ(stage.body(2).min, (Vec2{base.x + units(0.5), base.y - units(1)}))
            << speed << " tick " << tick;
        ASSERT_EQ(stage.body(3).min, (Vec2{base.x + units(1), base.y - units(2)}))
            << speed << " tick " << tick;
        ASSERT_EQ(stage.body(2).carrier, BodyId{1});
        ASSERT_EQ(stage.body(3).carrier, BodyId{2});
      }
      EXPECT_EQ(stage.frozen(), 0U);
    }
  }
}

TEST(Moving, WhoJumpsOffTakesTheSpeedOfThePlatformAlong) {
  Stage stage{kGravityDown,
              {platform(1, at(0, 0), at(4, 0.5), at(0.2, 0)), box(2, at(1, -1), kBox)}};
  stage.step(5);
  EXPECT_EQ(stage.body(2).velocity, Vec2{}) << "at rest on its carrier";
  stage.body(2).velocity.y = -units(0.3);
  stage.step();
  EXPECT_EQ(stage.body(2).velocity.x, units(0.2));
  EXPECT_EQ(stage.body(2).carrier, sim::kNoBody);
}

TEST(Moving, ATrainOfBoxesBeforeAPlatformCostsAnEventEach) {
  constexpr std::uint32_t kCount = 20;
  std::vector<Body> bodies = {platform(1, at(-1, 0), at(1, 1), at(0.3, 0))};
  for (std::uint32_t n = 0; n < kCount; ++n) {
    bodies.push_back(box(2 + n, at(n, 0), kBox));
  }
  Stage stage{{}, bodies};
  for (int tick = 1; tick <= 20; ++tick) {
    EXPECT_LE(stage.step().events, kCount + 1);
  }
  EXPECT_EQ(stage.frozen(), 0U);
}

Body one_way(Body body, sim::OneWay side) {
  body.one_way = side;
  return body;
}

TEST(OneWay, IsPassedFromBelowAndStoodUpon) {
  Stage stage{kGravityDown,
              {one_way(wall(1, at(-2, 0), at(4, 0.25)), sim::OneWay::Up),
               moving(box(2, at(0, 1), kBox), at(0, -0.3))}};
  bool was_above = false;
  for (int tick = 0; tick < 200; ++tick) {
    stage.step();
    const bool is_above = stage.body(2).min.y <= units(-1);
    ASSERT_TRUE(is_above || !was_above) << "it fell through";
    was_above = is_above;
  }
  EXPECT_EQ(stage.body(2).min, at(0, -1));
}

TEST(OneWay, WhoTurnsInsideFallsBackOut) {
  Stage stage{kGravityDown,
              {one_way(wall(1, at(-2, 0), at(4, 2)), sim::OneWay::Up),
               moving(box(2, at(0, 2.1), kBox), at(0, -0.12))}};
  std::int32_t highest = stage.body(2).min.y;
  for (int tick = 0; tick < 60; ++tick) {
    EXPECT_TRUE(stage.step().contacts.empty());
    highest = std::min(highest, stage.body(2).min.y);
  }
  EXPECT_LT(highest, units(2)) << "it was never inside";
  EXPECT_GT(stage.body(2).min.y, units(2));
}

// A body jumps from below through both platforms. If its feet turn back above the lower platform
// and below the top of the upper one, it lands on the lower platform, still inside the upper one.
TEST(OneWay, OfTwoStackedTheOneBelowOnesFeetHolds) {
  const std::vector<Body> platforms = {
      one_way(wall(1, at(-2, 0), at(4, 0.25)), sim::OneWay::Up),
      one_way(wall(2, at(-2, -0.25), at(4, 0.25)), sim::OneWay::Up)};
  for (int n = 0; n < 40; ++n) {
    std::vector<Body> bodies = platforms;
    bodies.push_back(moving(box(3, at(0, 0.3), kBox), {0, -units(0.12) - n * 300}));
    Stage stage{kGravityDown, bodies};
    std::int32_t highest = units(10);
    for (int tick = 0; tick < 90; ++tick) {
      stage.step();
      highest = std::min(highest, stage.body(3).min.y);
    }
    const std::int32_t feet = highest + units(1);
    if (feet <= units(-0.25)) {
      EXPECT_EQ(stage.body(3).min, at(0, -1.25)) << n;
    } else if (feet <= 0)
      EXPECT_EQ(stage.body(3).min, at(0, -1)) << n;
    else
      EXPECT_GT(stage.body(3).min.y, units(0.3)) << n;
  }
}

}  // namespace
}  // namespace tickbox::test
