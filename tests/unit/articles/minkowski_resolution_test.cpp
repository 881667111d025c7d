// Thomas Spader, "2D Collisions with Minkowski Differences" (2018): who moves when two boxes are
// found inside each other, and the Goomba between Mario and the floor.

#include "tests/unit/articles/scene.h"

#include <gtest/gtest.h>

namespace tickbox::test {
namespace {

// "Your computer spends all of eternity rearranging one Goomba." Two contacts a tick, for ten
// seconds after Mario has landed, and nothing moves.
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

}  // namespace
}  // namespace tickbox::test
