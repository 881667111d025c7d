// Kenton Hamaluik, "Swept AABB Collision Detection Using the Minkowski Difference" (2014): when in
// a tick do two moving boxes meet, and what then. A tick is a second in these scenes, so a
// velocity is the distance that a body moves in a tick.

#include "sim/cast.h"
#include "tests/unit/articles/scene.h"

#include <gtest/gtest.h>

#include <optional>

namespace tickbox::test {
namespace {

using Pairs = std::vector<sim::BodyPair>;

/// Returns what a box of one unit meets first on its way from `from`. It meets no movers.
std::optional<sim::CastHit> cast(const sim::World& world, Vec2 from, Vec2 way) {
  sim::Caster caster;
  caster.look_at(world.immovables(), sim::Border::Solid, {});
  return caster.nearest({.from = from, .size = units(1, 1), .way = way});
}

// 1, 10, 100, 1,000 and 4,096 units in a tick, on a platform a quarter thick: 64 − 1 is the top.
TEST(SweptMinkowski, NoMatterHowFastABoxMovesItDoesNotTunnel) {
  Scene scene{"thin_platform.json"};
  scene.run();
  for (const std::uint32_t id : {2U, 3U, 4U, 5U, 6U}) {
    EXPECT_EQ(scene.at(id), units(2 * (id - 2), 63));
    EXPECT_EQ(scene.velocity(id), Vec2{});
  }
}

// "The technique doesn't work if the objects are already colliding." All three are one unit deep:
// first they are parted, to the left, and then swept. 2 moves in again and is at the wall; 3 goes
// its three units away; 4 keeps the two units along the wall.
TEST(SweptMinkowski, WhoStartsInsideIsPartedFirstAndThenSwept) {
  const Scene scene = stepped("start_inside.json");
  EXPECT_EQ(scene.report().separated, (Pairs{both(1, 2), both(1, 3), both(1, 4)}));
  EXPECT_EQ(scene.at(2), units(-1, 1));
  EXPECT_EQ(scene.at(3), units(-4, 3));
  EXPECT_EQ(scene.at(4), units(-1, 7));
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {1, 0}, share(0, 1)}, {1, 4, {1, 0}, share(0, 1)}}));
}

// In the middle of nine tiles every way out leads into another. The step forces nothing. It reports
// the body in every tick, and the body still cannot get into the next tile.
TEST(SweptMinkowski, WhatCannotBePartedIsReportedAndMoves) {
  Scene scene{"walled_in.json"};
  for (const double x : {2.75, 3.0, 3.0}) {
    EXPECT_EQ(scene.step().overlaps, Pairs{both(5, 10)});
    EXPECT_EQ(scene.at(10), units(x, 2.5));
  }
  EXPECT_EQ(scene.met(), (Meetings{{6, 10, {1, 0}, share(0, 1)}}));
}

// Body 1 is 2 units behind body 2, at 8 against 4: they meet at 2 / (8 − 4). Then both move at 6,
// to 4 + 3 and 5 + 3.
TEST(SweptMinkowski, AFasterBoxCatchesUpByTheirRelativeMotion) {
  const Scene scene = stepped("relative_motion.json");
  EXPECT_EQ(scene.met().at(1), (Met{1, 2, {-1, 0}, share(1, 2)}));
  EXPECT_EQ(scene.at(1), units(7, 0));
  EXPECT_EQ(scene.at(2), units(8, 0));
}

// Bodies 3 and 4 are 8 units apart and approach at 16. Both have moved 4 when they meet, and stand.
TEST(SweptMinkowski, TwoBoxesMeetHeadOnHalfWay) {
  const Scene scene = stepped("relative_motion.json");
  EXPECT_EQ(scene.met().at(2), (Met{3, 4, {-1, 0}, share(1, 2)}));
  EXPECT_EQ(scene.at(3), units(4, 4));
  EXPECT_EQ(scene.at(4), units(5, 4));
}

TEST(SweptMinkowski, BoxesOfOneVelocityNeverMeetThoughTheyTouch) {
  const Scene scene = stepped("relative_motion.json");
  EXPECT_EQ(scene.at(5), units(8, 8));
  EXPECT_EQ(scene.at(6), units(9, 8));
  EXPECT_EQ(scene.met().size(), 3U) << "not theirs";
}

TEST(SweptMinkowski, AgainstABoxAtRestTheRelativeMotionIsItsOwn) {
  const Scene scene = stepped("relative_motion.json");
  EXPECT_EQ(scene.met().at(0), (Met{7, 8, {-1, 0}, share(1, 4)}));
  EXPECT_EQ(scene.at(7), units(2, 12));
}

// Bodies 1 and 2 are both at the crossing from 7/16 on, corner to corner. Body 4 leaves it at the
// very moment when body 3 arrives.
TEST(SweptMinkowski, CrossingWaysMeetOnlyIfAtTheSameTime) {
  const Scene scene = stepped("crossing_movers.json");
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {0, 1}, share(7, 16)}}));
  EXPECT_EQ(scene.at(1), units(16, 12.5));  // 8 + 8 · 9/16
  EXPECT_EQ(scene.at(2), units(8, 11.5));
  EXPECT_EQ(scene.at(3), units(16, 48));
  EXPECT_EQ(scene.at(4), units(8, 58));
}

// Body 2 passes beside the box, 3 is too slow, and 4 moves away from contact. Body 5 is in contact
// only when the tick ends: this contact is reported at the start of the next tick.
TEST(SweptMinkowski, ARayThatDoesNotReachTheBoxIsNoHit) {
  Scene scene = stepped("ray_misses.json");
  EXPECT_EQ(scene.met(), Meetings{});
  EXPECT_EQ(scene.at(2), units(20, -2));
  EXPECT_EQ(scene.at(3), units(5, 0));
  EXPECT_EQ(scene.at(4), units(2, 3));
  EXPECT_EQ(scene.at(5), units(7, 1.5));
  scene.step();
  EXPECT_EQ(scene.met(), (Meetings{{1, 5, {1, 0}, share(0, 1)}}));
}

// Bodies move along one face, along another, and a unit away from a third.
TEST(SweptMinkowski, ARayParallelToAFaceIsNoHit) {
  const Scene scene = stepped("parallel_ray.json");
  EXPECT_EQ(scene.met(), Meetings{});
  EXPECT_EQ(scene.at(2), units(6, -1));
  EXPECT_EQ(scene.at(3), units(8, 1));
  EXPECT_EQ(scene.at(4), units(-2, 6));
}

// "The lines are co-linear; todo: calculate intersection point." There is none: a body that moves
// along the line of an edge slides over the box. A sub-unit lower, the body hits the side.
TEST(SweptMinkowski, ARayAlongTheLineOfAnEdgeIsNoHit) {
  Scene scene{"collinear_ray.json"};
  EXPECT_EQ(cast(scene.world(), units(0, -1), units(16, 0)), std::nullopt);
  EXPECT_TRUE(cast(scene.world(), off_by({0, 1}, units(0, 19)), units(16, 0)));
  scene.step();
  EXPECT_EQ(scene.at(2), units(16, -1));
  EXPECT_EQ(scene.at(4), off_by({0, 1}, units(3, 19)));
  EXPECT_EQ(scene.met(), (Meetings{{3, 4, {1, 0}, share(3, 16)}}));
}

// Bodies 2 to 5 move inwards, away, along the edge, and inwards while along it.
TEST(SweptMinkowski, ARayThatStartsOnAnEdgeHitsOnlyInwards) {
  const Scene scene = stepped("start_on_edge.json");
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {1, 0}, share(0, 1)}, {1, 5, {1, 0}, share(0, 1)}}));
  EXPECT_EQ(scene.at(2), units(-1, 0));
  EXPECT_EQ(scene.at(3), units(-5, 2));
  EXPECT_EQ(scene.at(4), units(1, 4));
  EXPECT_EQ(scene.at(5), units(-1, 7));
}

// Both bodies would enter by one face and leave by another. Body 2 hits at 7 / 28, and then moves
// down along the face. Body 3 hits at 12 / 24.
TEST(SweptMinkowski, OfTheFourEdgesTheFirstIsHit) {
  const Scene scene = stepped("nearest_edge.json");
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {1, 0}, share(1, 4)}, {1, 3, {0, -1}, share(1, 2)}}));
  EXPECT_EQ(scene.at(2), units(7, 12));
  EXPECT_EQ(scene.at(3), units(10, 12));
}

// A fifth of a tick is no whole number of fine steps: the moment and the place are exact all the
// same.
TEST(SweptMinkowski, TheFractionOfTheWayIsExact) {
  static_assert(sim::kFineSteps % 5 != 0);
  const Scene scene = stepped("exact_fraction.json");
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {1, 0}, share(1, 5)}}));
  EXPECT_EQ(scene.at(2), units(1, 0));
}

// The article keeps the velocity along the tangent of the *motion*, which is 0 for a body that
// moves alone. Here a body keeps the velocity along the surface, and uses the rest of the tick: the
// ways along the surface are 8 and 2 units.
TEST(SweptMinkowski, VelocityIsKeptAlongTheSurfaceNotAlongTheMotion) {
  const Scene scene = stepped("along_the_surface.json");
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {0, 1}, share(1, 4)}, {1, 3, {0, 1}, share(1, 4)}}));
  EXPECT_EQ(scene.velocity(2), units(8, 0));
  EXPECT_EQ(scene.velocity(3), units(2, 0));
  EXPECT_EQ(scene.at(2), units(8, 9));
  EXPECT_EQ(scene.at(3), units(22, 9));
}

// Where both edges are met at once the faster axis decides, then y. A ray that only touches the
// corner passes.
TEST(SweptMinkowski, AnExactCornerGoesToTheFasterAxis) {
  const Scene scene = stepped("exact_corner.json");
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {0, 1}, share(1, 2)},
                                   {3, 4, {1, 0}, share(1, 2)},
                                   {5, 6, {0, 1}, share(1, 2)}}));
  EXPECT_EQ(scene.at(2), units(11, 9));
  EXPECT_EQ(scene.at(4), units(39, 11));
  EXPECT_EQ(scene.at(6), units(71, 9));
  EXPECT_EQ(scene.at(8), units(101, 7));
}

}  // namespace
}  // namespace tickbox::test
