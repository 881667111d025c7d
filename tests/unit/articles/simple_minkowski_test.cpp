// Kenton Hamaluik, "Simple AABB Collision Detection Using the Minkowski Difference" (2014): do two
// boxes overlap, and what is the shortest way out for one of them.

#include "sim/step/overlaps.h"
#include "tests/unit/articles/scene.h"

#include <gtest/gtest.h>

namespace tickbox::test {
namespace {

using Pairs = std::vector<sim::BodyPair>;

// Body 2 is inside body 1; body 3 overlaps body 1 by one sub-unit.
TEST(SimpleMinkowski, TwoBoxesOverlapWhereTheirDifferenceCoversTheOrigin) {
  Scene scene{"overlap.json"};
  EXPECT_EQ(sim::find_overlaps(scene.world()), (Pairs{both(1, 2), both(1, 3)}));
}

// The article's test is `min <= 0 && max >= 0`. Equality is contact here, not overlap. Body 4
// touches a side, body 5 a corner, and body 6 is a sub-unit off. None of these is moved, and no
// contact is reported.
TEST(SimpleMinkowski, TouchingIsContactAndNotOverlap) {
  const Scene scene = stepped("overlap.json");
  EXPECT_EQ(scene.at(4), units(-1, 0));
  EXPECT_EQ(scene.at(5), units(4, 4));
  EXPECT_EQ(scene.at(6), off_by({0, 1}, units(0, 4)));
  EXPECT_EQ(scene.met(), Meetings{});
}

// The depths are 1, 1.5, 0.75 and 1. The other three sides of each wall are further away.
TEST(SimpleMinkowski, ThePenetrationVectorLeadsOutOfTheNearestSide) {
  const Scene scene = stepped("nearest_side.json");
  EXPECT_EQ(scene.at(5), units(-1, 4.5)) << "left";
  EXPECT_EQ(scene.at(6), units(110, 4.5)) << "right";
  EXPECT_EQ(scene.at(7), units(4.5, 99)) << "up";
  EXPECT_EQ(scene.at(8), units(104, 110)) << "down";
  EXPECT_EQ(scene.report().separated, (Pairs{both(1, 5), both(2, 6), both(3, 7), both(4, 8)}));
}

// The article takes whichever side its code looks at first. Here the order is a rule: up, down,
// left, right.
TEST(SimpleMinkowski, OfEqualDepthsUpAndDownComeFirst) {
  const Scene scene = stepped("equal_depth.json");
  EXPECT_EQ(scene.at(2), units(-1, -2));
  EXPECT_EQ(scene.at(3), units(9, -2));
  EXPECT_EQ(scene.at(4), units(-1, 10));
  EXPECT_EQ(scene.at(5), units(9, 10));
}

// "Any lag spikes can easily cause objects to pass right through objects": in a tick of a whole
// second the body would move 60 units. The wall is one unit thick.
TEST(SimpleMinkowski, ALagSpikeLetsNobodyThrough) {
  const Scene scene = stepped("lag_spike.json");
  EXPECT_EQ(scene.at(2), units(29, 4));
  EXPECT_EQ(scene.met(), (Meetings{{1, 2, {1, 0}, share(29, 60)}}));
}

}  // namespace
}  // namespace tickbox::test
