// The cases for which swept boxes exist: gaps, corners, seams, thin walls, great speed.

#include "sim/step.h"
#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

namespace tickbox::test {
namespace {

constexpr Vec2 kFastest = {kSpeedLimit, 0};

TEST(Geometry, StopsABulletAtAWallOneSubUnitThick) {
  Scene scene{
      {wall(1, {units(1'000) + 7, 0}, {1, units(2)}), moving(box(2, at(0, 1), {3, 3}), kFastest)}};
  EXPECT_EQ(scene.step().contacts.size(), 1U);
  EXPECT_EQ(scene.place(2), (Vec2{units(1'000) + 4, units(1)}));
}

TEST(Geometry, StopsTwoBulletsHeadOn) {
  Scene scene{{stopping(moving(box(1, at(-2'000, 0), {1, 1}), kFastest)),
               stopping(moving(box(2, {units(2'000) + 1, 0}, {1, 1}), {-kSpeedLimit, 0}))}};
  EXPECT_EQ(scene.step().contacts.size(), 1U);
  EXPECT_EQ(scene.place(1), (Vec2{0, 0}));
  EXPECT_EQ(scene.place(2), (Vec2{1, 0}));
}

TEST(Geometry, HitsBulletsThatCrossAndMissesThoseThatPassJustBehind) {
  const auto contacts_at = [](std::int32_t offset) {
    Scene scene{{moving(box(1, at(-1'000, 0), {10, 10}), kFastest),
                 moving(box(2, {offset, units(-1'000)}, {10, 10}), {0, kSpeedLimit})}};
    return scene.step().contacts.size();
  };
  EXPECT_EQ(contacts_at(0), 1U);
  EXPECT_EQ(contacts_at(19), 1U);
  EXPECT_EQ(contacts_at(-19), 1U);
  EXPECT_EQ(contacts_at(20), 0U);  // the edges touch, which is not an overlap
  EXPECT_EQ(contacts_at(-20), 0U);
}

// The last lattice step before the hit is a fraction of a sub-unit short of the wall. The step must
// snap the body to the wall.
TEST(Geometry, FallsIntoAGapOfExactlyItsOwnWidth) {
  Scene scene{
      {.gravity = {0, 546}},
      {wall(1, at(0, 2), at(3, 1)), wall(2, at(4, 2), at(3, 1)), wall(3, at(0, 4), at(7, 1)),
       wall(4, at(4, 0), at(1, 2)), moving(box(5, at(1, 1), at(1, 1)), {1'003, 0})}};
  scene.step(300);
  EXPECT_EQ(scene.place(5), at(3, 3));
}

TEST(Geometry, SlidesOverTheSeamsOfTilesWithoutAGhostHit) {
  std::vector<sim::Body> bodies = {moving(box(100, at(0, 1), at(1, 1)), {units(0.3), 0})};
  for (std::uint32_t n = 0; n < 40; ++n) {
    bodies.push_back(wall(1 + n, at(n, 2), at(1, 1)));
  }
  Scene scene{{.gravity = {0, 546}}, bodies};
  for (int tick = 1; tick <= 100; ++tick) {
    for (const sim::Contact& contact : scene.step().contacts) {
      ASSERT_EQ(contact.normal_x, 0) << "tick " << tick;
    }
    ASSERT_EQ(scene.place(100), (Vec2{tick * units(0.3), units(1)}));
  }
}

TEST(Geometry, LandsOnSeamsFromAboveAsOnOneFloor) {
  Scene scene{{wall(1, at(0, 2), at(1, 1)), wall(2, at(1, 2), at(1, 1)),
               moving(box(3, at(0, 0), at(1, 1)), at(1, 2))}};
  scene.step();
  EXPECT_EQ(scene.place(3), at(1, 1));
  EXPECT_EQ(scene.velocity(3), at(1, 0));
}

TEST(Geometry, GivesAnExactCornerToTheFasterAxisThenToY) {
  const auto after = [](Vec2 velocity, Vec2 from) {
    Scene scene{{wall(1, at(10, 10), at(5, 5)), moving(box(2, from, at(1, 1)), velocity)}};
    scene.step();
    return scene.velocity(2);
  };
  EXPECT_EQ(after(at(4, 2), at(7, 8)), at(0, 2));
  EXPECT_EQ(after(at(2, 4), at(8, 7)), at(2, 0));
  EXPECT_EQ(after(at(4, 4), at(7, 7)), at(4, 0));
}

TEST(Geometry, DoesNotCountAGrazeAlongAnEdge) {
  Scene scene{{wall(1, at(10, 10), at(5, 5)), moving(box(2, at(0, 9), at(1, 1)), at(30, 0)),
               moving(box(3, at(15, 0), at(1, 1)), at(0, 30))}};
  EXPECT_TRUE(scene.step().contacts.empty());
}

TEST(Geometry, CountsReachingAWallAtTheVeryEndInTheNextTick) {
  Scene scene{{wall(1, at(3, 0), at(1, 5)), moving(box(2, at(0, 0), at(1, 1)), at(2, 0))}};
  EXPECT_TRUE(scene.step().contacts.empty());
  EXPECT_EQ(scene.place(2), at(2, 0));
  const auto& contacts = scene.step().contacts;
  ASSERT_EQ(contacts.size(), 1U);
  EXPECT_EQ(contacts[0].time, 0);
}

TEST(Geometry, LetsTouchingBodiesMoveApartAndAlong) {
  Scene scene{{wall(1, at(0, 5), at(9, 1)), moving(box(2, at(1, 4), at(1, 1)), at(1, 0)),
               moving(box(3, at(5, 4), at(1, 1)), at(0, -1))}};
  EXPECT_TRUE(scene.step().contacts.empty());
}

TEST(Geometry, NeverLeavesACornerWhateverIsPressed) {
  Scene scene{
      {wall(1, at(0, 10), at(20, 1)), wall(2, at(10, 0), at(1, 20)), box(3, at(9, 9), at(1, 1))}};
  for (int tick = 0; tick < 2'000; ++tick) {
    sim::Body& body = *scene.world().find_mover({3});
    body.velocity = {tick % 3 * 5'000, tick % 7 * 3'000};
    scene.step();
    ASSERT_EQ(scene.place(3), at(9, 9)) << "tick " << tick;
  }
}

TEST(Geometry, HoldsBodiesInsideASolidBorder) {
  constexpr std::int32_t kEnd = kWorldLimit - units(1);
  Scene scene{{moving(box(1, {kEnd - 5, 0}, at(1, 1)), {100, 50}),
               bouncing(moving(box(2, {-kWorldLimit + 10, units(9)}, at(1, 1)), {-30, 0}))}};
  const auto& contacts = scene.step().contacts;
  ASSERT_EQ(contacts.size(), 2U);
  EXPECT_EQ(contacts[0].b, sim::kWorldBorder);
  EXPECT_EQ(contacts[0].normal_x, -1);  // from the border at the right to 1
  EXPECT_EQ(scene.place(1), (Vec2{kEnd, 50}));
  EXPECT_EQ(scene.place(2), (Vec2{-kWorldLimit + 20, units(9)}));
}

TEST(Geometry, RemovesBodiesThatCrossABorderThatSaysSo) {
  Scene scene{{.border = sim::Border::Remove},
              {moving(box(1, {kWorldLimit - units(1) - 5, 0}, at(1, 1)), {4, 0}),
               moving(box(2, {kWorldLimit - units(1) - 5, units(5)}, at(1, 1)), {6, 0})}};
  EXPECT_EQ(scene.step().left, std::vector<BodyId>{BodyId{2}});
  EXPECT_EQ(scene.world().movers().size(), 1U);
}

TEST(Geometry, FindsAWallAsWideAsTheWorldAndOneFarFromAllOthers) {
  Scene scene{{wall(1, {-kWorldLimit, units(5)}, {sim::kSizeLimit, 1}),
               wall(2, {units(12'000), units(-12'000)}, {1, units(9)}),
               moving(box(3, at(-9'000, 0), at(1, 1)), at(0, 4'000)),
               moving(box(4, at(11'000, -12'000), at(1, 1)), at(4'000, 0))}};
  scene.step();
  EXPECT_EQ(scene.place(3), at(-9'000, 4));
  EXPECT_EQ(scene.place(4), at(11'999, -12'000));
}

TEST(Meeting, NeedsTheLayersOfBoth) {
  const auto contacts_with = [](std::uint16_t layers, std::uint16_t collides_with) {
    sim::Body second = box(2, at(1, 0), at(1, 1));
    second.layers = layers;
    second.collides_with = collides_with;
    Scene scene{{moving(box(1, at(0, 0), at(1, 1)), at(1, 0)), second}};
    return scene.step().contacts.size();
  };
  EXPECT_EQ(contacts_with(1, 0xffff), 1U);
  EXPECT_EQ(contacts_with(2, 1), 1U);
  EXPECT_EQ(contacts_with(1, 2), 0U);
}

TEST(Meeting, IsNotForAPairOfWhichOneIgnoresTheOther) {
  sim::Body bullet = moving(box(7, at(0, 0), at(0.5, 0.5)), at(5, 0));
  bullet.ignores = {3};
  Scene scene{{bullet, box(3, at(1, 0), at(1, 1)), box(4, at(3, 0), at(1, 1))}};
  const auto& contacts = scene.step().contacts;
  ASSERT_FALSE(contacts.empty());
  EXPECT_EQ(contacts[0].a, BodyId{4});
  EXPECT_EQ(contacts[0].b, BodyId{7});
}

TEST(Statics, TellWhetherABoxWouldOverlapThem) {
  const sim::Statics statics{
      {wall(1, at(0, 0), at(4, 1)), wall(2, {-kWorldLimit, units(50)}, {sim::kSizeLimit, 1})}};
  EXPECT_TRUE(overlaps_any(statics, at(3, 0.5), at(1, 1)));
  EXPECT_FALSE(overlaps_any(statics, at(4, 0), at(1, 1)));
  EXPECT_FALSE(overlaps_any(statics, at(1, 1), at(2, 5)));
  EXPECT_TRUE(overlaps_any(statics, at(-700, 49.5), at(1, 1)));
  EXPECT_FALSE(overlaps_any(statics, at(700, 49.5), at(1, 1)));
}

}  // namespace
}  // namespace tickbox::test
