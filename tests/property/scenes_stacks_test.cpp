// Scenes that other engines get wrong: stacks, chains, pyramids, rings, cradles. At rest means
// exactly.

#include "tests/property/stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tickbox::test::scenes_stacks_test {
namespace {

using sim::Body;

constexpr Vec2 kBox = at(1, 1);

Body floor_below(double width) {
  return wall(1, at(-width, 0), at(2 * width, 1));
}

void expect_still(Stage& stage, int ticks) {
  const std::vector<Body> before{stage.world().movers().begin(), stage.world().movers().end()};
  for (int tick = 0; tick < ticks; ++tick) {
    stage.step();
    ASSERT_TRUE(std::ranges::equal(stage.world().movers(), before)) << "tick " << tick;
  }
  EXPECT_EQ(stage.frozen(), 0U);
}

TEST(Stacks, AHundredBoxesStandExactlyStillForAHundredEventsATick) {
  std::vector<Body> bodies = {floor_below(5)};
  for (std::uint32_t n = 1; n <= 100; ++n) {
    bodies.push_back(box(1 + n, at(0.01 * (n % 7), -1.0 * n), kBox));
  }
  Stage stage{kGravityDown, bodies};
  for (int tick = 0; tick < 50; ++tick) {
    EXPECT_EQ(stage.step().events, 100U);
  }
  expect_still(stage, 200);
}

TEST(Stacks, AnyOrderOfNamesStandsStill) {
  std::vector<Body> bodies = {floor_below(5)};
  for (std::uint32_t n = 0; n < 40; ++n) {
    bodies.push_back(box(2 + n * 17 % 41, at(0, -1.0 - n), kBox));
  }
  Stage stage{kGravityDown, bodies};
  expect_still(stage, 100);
}

TEST(Stacks, AMassOf65535RestsOnAMassOf1) {
  for (const bool heavy_on_top : {true, false}) {
    std::vector<Body> bodies = {floor_below(5)};
    for (std::uint32_t n = 0; n < 12; ++n) {
      Body body = box(2 + n, at(0, -1.0 - n), kBox);
      body.mass = (n % 2 == 1) == heavy_on_top ? 65'535 : 1;
      bodies.push_back(body);
    }
    Stage stage{kGravityDown, bodies};
    expect_still(stage, 200);
  }
}

TEST(Stacks, APyramidOf45StandsStill) {
  constexpr int kRows = 9;
  std::vector<Body> bodies = {floor_below(20)};
  std::uint32_t id = 2;
  for (int row = 0; row < kRows; ++row) {
    for (int n = 0; n < kRows - row; ++n) {
      bodies.push_back(box(id++, at(1.1 * n + 0.55 * row, -1.0 - row), kBox));
    }
  }
  ASSERT_EQ(bodies.size(), 46U);
  Stage stage{kGravityDown, bodies};
  expect_still(stage, 200);
}

TEST(Stacks, AFallenStackComesToRestAndNobodyFreezes) {
  std::vector<Body> bodies = {floor_below(5)};
  for (std::uint32_t n = 0; n < 30; ++n) {
    Body body = box(2 + n, at(0.02 * (n % 5), -1.5 - 1.3 * n), kBox);
    if (n % 3 == 0) body = bouncing(body, 128);
    bodies.push_back(body);
  }
  Stage stage{kGravityDown, bodies};
  stage.step(900);
  EXPECT_EQ(stage.frozen(), 0U);
  expect_still(stage, 60);
}

TEST(Stacks, AChainPushedAgainstAWallCloses) {
  constexpr std::uint32_t kCount = 12;
  std::vector<Body> bodies = {wall(1, at(30, -5), at(1, 10))};
  for (std::uint32_t n = 0; n < kCount; ++n) {
    bodies.push_back(box(2 + n, at(1.37 * n, 0), kBox));
  }
  Stage stage{{}, bodies};
  for (int tick = 0; tick < 400; ++tick) {
    stage.body(2).velocity.x = units(0.1);
    stage.step();
  }
  for (std::uint32_t n = 0; n < kCount; ++n) {
    EXPECT_NEAR(stage.body(2 + n).min.x, units(30) - units(1) * static_cast<int>(kCount - n),
                static_cast<int>(kCount))
        << n;
  }
  EXPECT_EQ(stage.frozen(), 0U);
}

// A pushes B, B pushes C, C pushes D, and D pushes A, without end.
TEST(Stacks, FourBoxesThatPushEachOtherInARingStayApart) {
  Stage stage{{},
              {box(1, at(0, 0), at(2, 1)), box(2, at(2, 0), at(1, 2)), box(3, at(1, 2), at(2, 1)),
               box(4, at(0, 1), at(1, 2))}};
  for (int tick = 0; tick < 1'000; ++tick) {
    constexpr std::int32_t kPush = units(0.3);
    stage.body(1).velocity = {kPush, 0};
    stage.body(2).velocity = {0, kPush};
    stage.body(3).velocity = {-kPush, 0};
    stage.body(4).velocity = {0, -kPush};
    stage.step();
  }
  EXPECT_EQ(stage.frozen(), 0U);
}

TEST(Stacks, NewtonsCradlePassesTheBlowOn) {
  std::vector<Body> bodies;
  bodies.reserve(6);
  for (std::uint32_t n = 0; n < 5; ++n) {
    bodies.push_back(bouncing(box(1 + n, at(n, 0), kBox)));
  }
  constexpr std::int32_t kBlow = units(0.37);
  bodies.push_back(bouncing(moving(box(9, at(-2.1, 0), kBox), {kBlow, 0})));
  Stage stage{{}, bodies};
  stage.step(10);
  EXPECT_EQ(stage.body(9).velocity, Vec2{});
  EXPECT_GE(stage.body(9).min.x, units(-1) - 1);
  EXPECT_LE(stage.body(9).min.x, units(-1));
  for (std::uint32_t n = 0; n < 4; ++n) {
    EXPECT_EQ(stage.body(1 + n).min, at(n, 0));
    EXPECT_EQ(stage.body(1 + n).velocity, Vec2{});
  }
  EXPECT_EQ(stage.body(5).velocity.x, kBlow);
  EXPECT_GT(stage.body(5).min.x, at(4, 0).x);
}

}  // namespace
}  // namespace tickbox::test::scenes_stacks_test
