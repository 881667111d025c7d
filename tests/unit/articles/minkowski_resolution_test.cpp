// Thomas Spader, "2D Collisions with Minkowski Differences" (2018): which body moves when two
// boxes overlap, and the Goomba between Mario and the floor.

#include "tests/unit/articles/scene.h"

#include <gtest/gtest.h>

namespace tickbox::test {
namespace {

using Pairs = std::vector<sim::BodyPair>;

// A lying box across a standing one. The ways out are left 6.5 − 2, right 4 − 0.5, up 2 + 2 and
// down 4 − 0.
TEST(MinkowskiResolution, TheSmallestOfTheFourSidesIsTheWayOut) {
  const Scene scene = stepped("smallest_of_four.json");
  EXPECT_EQ(scene.at(2), units(4, 0));
  EXPECT_EQ(scene.report().separated, Pairs{both(1, 2)});
}

// "You probably want both the entities to move a little bit": the overlap is 65,537 sub-units deep,
// and the body of the higher id moves the odd one.
TEST(MinkowskiResolution, OfTwoThatMoveEachGoesHalfTheWay) {
  const Scene scene = stepped("two_movers.json");
  EXPECT_EQ(scene.at(1), units(-0.5, 0));
  EXPECT_EQ(scene.at(2), units(3.5, 0));
}

// "Your computer spends all of eternity rearranging one Goomba." Ten seconds: once Mario has
// landed, there are two contacts a tick, and nothing moves.
TEST(MinkowskiResolution, TheGoombaUnderMarioIsAtRest) {
  Scene scene{"goomba.json"};
  for (int tick = 0; tick < 600; ++tick) {
    EXPECT_LE(scene.step().events_max, 3U);
    EXPECT_TRUE(scene.report().frozen.empty());
    EXPECT_EQ(scene.at(2), units(5, 9));
  }
  EXPECT_EQ(scene.at(3), units(4.5, 8));
  EXPECT_EQ(scene.velocity(2), Vec2{});
  EXPECT_EQ(scene.velocity(3), Vec2{});
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {0, 1}, share(0, 1)}, {2, 3, {0, 1}, share(0, 1)}}));
}

// The Goomba in the floor by a quarter, Mario in the Goomba by a half. The floor lifts the Goomba,
// which then has no room below: Mario alone gives way. All of this happens in the first tick.
TEST(MinkowskiResolution, AGoombaPushedIntoTheFloorIsArrangedOnce) {
  Scene scene = stepped("goomba_in_the_floor.json");
  EXPECT_EQ(scene.report().separated, (Pairs{both(1, 2), both(2, 3)}));
  EXPECT_EQ(scene.at(2), units(5, 9));
  EXPECT_EQ(scene.at(3), units(5, 8));
  for (int tick = 1; tick < 60; ++tick) {
    EXPECT_EQ(scene.step().separated, Pairs{});
  }
  EXPECT_EQ(scene.at(2), units(5, 9));
  EXPECT_EQ(scene.at(3), units(5, 8));
}

}  // namespace
}  // namespace tickbox::test
