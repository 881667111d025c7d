// Emanuele Feronato, "Understanding physics continuous collision detection using swept AABB method
// and Minkowski sum": dots against a wall, at any speed.

#include "tests/unit/articles/scene.h"

#include <gtest/gtest.h>

namespace tickbox::test {
namespace {

// A field of 800 pixels, dots of 8 around x = 20, walls of 8 around x = 780, 60 Hz. The way is 752,
// and takes 226 ticks at 200 px/s and 3 at 20,000 px/s.
TEST(SweptDots, TheSameWallStopsTheDotAt200AndAt20000PixelsPerSecond) {
  Scene scene{"dots.json"};
  scene.run();
  EXPECT_EQ(scene.at(2), units(768, 124));
  EXPECT_EQ(scene.at(4), units(768, 284));
  EXPECT_EQ(scene.velocity(2), Vec2{});
  EXPECT_EQ(scene.velocity(4), Vec2{});
  EXPECT_EQ(scene.contact_ticks(), (std::vector<std::uint32_t>{3, 226}));
}

// A block of 10 by 6, inflated by bodies of 4 by 2: their centres stop at −2, 12, −1 and 7.
TEST(SweptDots, CentresStopOnTheInflatedRectangle) {
  const Scene scene = stepped("inflated_rectangle.json");
  const auto centre = [&](std::uint32_t id) {
    return Vec2{scene.at(id).x + 2 * kUnit, scene.at(id).y + kUnit};
  };
  EXPECT_EQ(centre(2), units(-2, 3));
  EXPECT_EQ(centre(3), units(12, 3));
  EXPECT_EQ(centre(4), units(5, -1));
  EXPECT_EQ(centre(5), units(5, 7));
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {1, 0}, share(16, 64)},
                                   {1, 4, {0, 1}, share(18, 64)},
                                   {1, 3, {-1, 0}, share(20, 64)},
                                   {1, 5, {0, -1}, share(24, 64)}}));
}

// The article has one obstacle and takes the nearest of its two faces. Here are three obstacles,
// and the nearest has neither the lowest id nor the first place in the file.
TEST(SweptDots, OfSeveralObstaclesTheNearestStopsIt) {
  const Scene scene = stepped("nearest_body.json");
  EXPECT_EQ(scene.at(4), units(19, 1));
  EXPECT_EQ(scene.met(), (Meetings{{2, 4, {1, 0}, share(19, 100)}}));
}

// In the article's code a dot at the wall finds an intersection at distance 0 in every tick,
// wherever it wants to go.
TEST(SweptDots, WhoWasStoppedAtAWallCanLeaveIt) {
  Scene scene = stepped("leaves_the_wall.json");
  EXPECT_EQ(scene.at(2), units(9, 1));
  EXPECT_EQ(scene.at(3), units(9, 3));
  scene.run();
  EXPECT_EQ(scene.at(2), units(-3, 1));
  EXPECT_EQ(scene.at(3), units(9, 9));
  EXPECT_EQ(scene.contact_ticks(), std::vector<std::uint32_t>{1});
}

// "It works only applied on linear velocity." Gravity bends a course at ticks only, to y = 1, 3, 6;
// in the fourth tick 1 of 4 units is left, and the next begins on the floor.
TEST(SweptDots, AFallIsStraightWithinATick) {
  Scene scene{"straight_within_a_tick.json"};
  for (const double y : {1, 3, 6}) {
    scene.step();
    EXPECT_EQ(scene.at(2).y, units(0, y).y);
    EXPECT_EQ(scene.met(), Meetings{});
  }
  scene.step();
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {0, 1}, share(1, 4)}}));
  EXPECT_EQ(scene.at(2), units(8, 7));
  scene.step();
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {0, 1}, share(0, 1)}}));
  EXPECT_EQ(scene.at(2), units(10, 7));
}

// The article draws a line for the dot alone: an obstacle that moves would run over it. Obstacle 1
// meets the resting dot 2 after 4 of 8 units and takes it along. Obstacle 3 and dot 4 are 9 apart
// and approach at 24, so they meet at 3/8. The dot ends at 33 − 16 · 5/8.
TEST(SweptDots, AnObstacleThatMovesTakesTheDotAlong) {
  Scene scene = stepped("moving_obstacle.json");
  EXPECT_EQ(scene.met(), (Meetings{{3, 4, {1, 0}, share(3, 8)}, {1, 2, {1, 0}, share(1, 2)}}));
  EXPECT_EQ(scene.at(1), units(2, 0));
  EXPECT_EQ(scene.at(2), units(1, 1));
  EXPECT_EQ(scene.at(3), units(24, 0));
  EXPECT_EQ(scene.at(4), units(23, 1));
  scene.step();
  EXPECT_EQ(scene.met(), Meetings{});
  EXPECT_EQ(scene.at(1), units(-6, 0));
  EXPECT_EQ(scene.at(2), units(-7, 1));
  EXPECT_EQ(scene.at(3), units(32, 0)) << "back from the end of its path";
  EXPECT_EQ(scene.at(4), units(7, 1));
}

}  // namespace
}  // namespace tickbox::test
