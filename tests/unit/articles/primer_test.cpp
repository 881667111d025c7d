// nightblade9, "A Primer on AABB Collision Resolution" (2020): stop at the onset, on the axis that
// time decides; slide on; several bodies; the corner.

#include "tests/unit/articles/scene.h"

#include <gtest/gtest.h>

namespace tickbox::test {
namespace {

// Body 2 comes in at a wall's upper end. After the tick it would be 1.25 deep from above and 1.75
// from the left. The shallower way would put it on the roof, but it was beside the wall all the
// time.
TEST(Primer, TheAxisIsDecidedByTimeNotByDepth) {
  const Scene scene = stepped("axis_by_time.json");
  EXPECT_EQ(scene.at(2), units(-1, 0.25));
  EXPECT_EQ(scene.met().at(0), (Met{1, 2, {1, 0}, share(1, 8)}));
}

// "A player falling off a tall building moves into it": the body is a quarter from the wall, and
// moves at 0.5 towards it and at 40 down.
TEST(Primer, WhoFallsPastATallBuildingMeetsItsSide) {
  const Scene scene = stepped("axis_by_time.json");
  EXPECT_EQ(scene.at(4), units(39, 48));
  EXPECT_EQ(scene.velocity(4), units(0, 40));
  EXPECT_EQ(scene.met().at(1), (Met{3, 4, {1, 0}, share(1, 2)}));
}

// The body reaches the wall on x at 1/4, in mid-air above the roof, and on y at 1/2. The article
// takes the earlier time. The two meet at the later one: before it they are apart.
TEST(Primer, WhereBothAxesAreApartTheLaterOneIsMet) {
  const Scene scene = stepped("axis_by_time.json");
  EXPECT_EQ(scene.at(6), units(82, -1));
  EXPECT_EQ(scene.met().at(2), (Met{5, 6, {0, 1}, share(1, 2)}));
}

// A body of mass 2 at 8 hits two of mass 1 at once. Together they move at 16 / 4 for half a tick.
TEST(Primer, SeveralBodiesAreMetAtOnce) {
  const Scene scene = stepped("several_at_once.json");
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {-1, 0}, share(1, 2)}, {1, 3, {-1, 0}, share(1, 2)}}));
  EXPECT_EQ(scene.at(1), units(6, 0));
  EXPECT_EQ(scene.at(2), units(7, 0));
  EXPECT_EQ(scene.at(3), units(7, 2));
}

TEST(Primer, SlidingIsAChoiceOfTheBody) {
  const Scene scene = stepped("stop_or_slide.json");
  EXPECT_EQ(scene.at(2), units(8, 9)) << "slides, for the rest of the tick";
  EXPECT_EQ(scene.at(3), units(22, 9)) << "stops where it is after a quarter";
  EXPECT_EQ(scene.velocity(3), Vec2{});
}

// "Don't slide if doing so would land you in another collision": it slides as far as it can, to the
// wall that stands on the floor, in the same tick.
TEST(Primer, SlidingNeverEndsInsideASecondBox) {
  const Scene scene = stepped("slide_into_a_second.json");
  EXPECT_EQ(scene.met(), (Meetings{{1, 3, {0, 1}, share(1, 4)}, {2, 3, {1, 0}, share(1, 2)}}));
  EXPECT_EQ(scene.at(3), units(4, 9));
  EXPECT_EQ(scene.velocity(3), Vec2{});
}

// "You move a lot in the corner (left/right/left/right) and suddenly go through the wall." A
// hundred thousand ticks of that, jumps included.
TEST(Primer, NoInputLeadsOutThroughACorner) {
  Scene scene{"corner.json"};
  sim::Body& player = *scene.world().find_mover({3});
  for (int tick = 0; tick < 100'000; ++tick) {
    player.velocity.x = (tick % 2 == 0 ? 1 : -1) * (kUnit / 8 + tick % 7);
    if (tick % 64 == 0) player.velocity.y = -kUnit / 4;
    scene.step();
    ASSERT_LE(player.min.x, 9 * kUnit) << tick;
    ASSERT_LE(player.min.y, 9 * kUnit) << tick;
  }
}

// "I find that running the collision resolution twice suffices." Five meetings in one tick: 11
// units in a gap of 2, there and back, end at 12 − 11.
TEST(Primer, MeetingsInATickAreNotLimitedToTwo) {
  const Scene scene = stepped("many_in_a_tick.json");
  EXPECT_EQ(scene.met(), (Meetings{{2, 3, {1, 0}, share(2, 11)},
                                   {1, 3, {-1, 0}, share(4, 11)},
                                   {2, 3, {1, 0}, share(6, 11)},
                                   {1, 3, {-1, 0}, share(8, 11)},
                                   {2, 3, {1, 0}, share(10, 11)}}));
  EXPECT_EQ(scene.at(3), units(1, 1));
  EXPECT_EQ(scene.velocity(3), units(-11, 0));
}

// For boxes at one x the article's distance is 0. Where a velocity is 0, the article's time is 0
// too.
TEST(Primer, BoxesInOneLineAreNoSpecialCase) {
  Scene scene{"aligned.json"};
  scene.run();
  EXPECT_EQ(scene.at(2), units(4, 8));
  EXPECT_EQ(scene.at(3), units(2, 10));
}

// "It's resistant to collision tunneling (but not impervious)." A wall one sub-unit thick, in two
// parts; a body of one sub-unit, at the speed limit; others that come at a slant. 5 slides on along
// the wall for three ticks.
TEST(Primer, NothingTunnels) {
  Scene scene{"impervious.json"};
  scene.run();
  EXPECT_EQ(scene.at(3), off_by({-1, 0}, units(10'000, 4)));
  EXPECT_EQ(scene.at(4), units(9'999, -11));
  EXPECT_EQ(scene.at(5), off_by({1, 0}, units(10'000, 90 + 3 * 4'096)));
}

}  // namespace
}  // namespace tickbox::test
