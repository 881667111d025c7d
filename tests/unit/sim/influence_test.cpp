// StepReport::influences: bodies of which one changed the other without a contact.

#include "sim/step.h"
#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tickbox::test {
namespace {

using Pairs = std::vector<sim::BodyPair>;

constexpr sim::WorldSettings kGravity{.gravity = {0, 546}};

TEST(Influences, AreNoneWhereBodiesOnlyPassEachOther) {
  Scene scene{{moving(box(1, at(0, 0), at(1, 1)), at(1, 0)), box(2, at(0, 1), at(1, 1))}};
  EXPECT_EQ(scene.step().influences, Pairs{});
}

TEST(Influences, DoNotRepeatContacts) {
  Scene scene{{moving(box(1, at(0, 0), at(1, 1)), at(2, 0)), box(2, at(2, 0), at(1, 1))}};
  const sim::StepReport& report = scene.step();
  EXPECT_EQ(report.contacts.size(), 1U);
  EXPECT_EQ(report.influences, Pairs{});
}

TEST(Influences, AreWhoRidesAndOnWhat) {
  Scene scene{kGravity,
              {platform(1, at(0, 5), at(4, 1)), box(2, at(1, 4), at(1, 1)),
               box(3, at(1, 3), at(1, 1)), box(4, at(9, 4), at(1, 1))}};
  scene.world().find_mover({1})->velocity = {100, 0};
  EXPECT_EQ(scene.step().influences, (Pairs{{{1}, {2}}, {{2}, {3}}}));
}

// The floor stops the body. The platform beside it has the same height, so no event joins the two.
TEST(Influences, AreWhoStepsOntoAPlatformFromTheFloor) {
  Scene scene{kGravity,
              {wall(1, at(-9, 5), at(10, 1)), platform(2, at(1, 5), at(4, 1)),
               moving(box(3, at(-0.5, 4), at(1, 1)), at(0.75, 0))}};
  const sim::StepReport& report = scene.step();
  for (const sim::Contact& contact : report.contacts) {
    EXPECT_EQ(contact.a, BodyId{1});
  }
  EXPECT_EQ(report.influences, (Pairs{{{2}, {3}}}));
  EXPECT_EQ(scene.world().find({3})->carrier, BodyId{2});
}

TEST(Influences, AreWhoIsPartedAndWhoIsInTheWay) {
  // 1 and 2 overlap by a quarter in x and would be separated along it, but 3 and 4 are there.
  Scene scene{
      sim::WorldSettings{},
      {box(1, at(0, 0), at(1, 1)), box(2, at(0.75, 0), at(1, 1)), box(3, at(1.75, 0), at(1, 1)),
       box(4, at(-1, 0), at(1, 1)), box(5, at(9, 9), at(1, 1))}};
  const sim::StepReport& report = scene.step();
  const auto joins = [&](std::uint32_t low, std::uint32_t high) {
    return std::ranges::find(report.influences, sim::BodyPair{{low}, {high}}) !=
           report.influences.end();
  };
  EXPECT_TRUE(joins(1, 2));
  EXPECT_TRUE(joins(2, 3) || joins(1, 4));
  for (const sim::BodyPair& pair : report.influences) {
    EXPECT_NE(pair.high, BodyId{5});
  }
}

// Body 2 hits the wall at the middle of the tick, half a fine step after a whole one. Body 3 does
// not collide with the wall. At that whole step it is one fine unit ahead of body 2, and moves on.
// So the two never meet, but body 3 is where body 2 would snap to the wall.
TEST(Influences, AreWhoIsInTheWayOfASnap) {
  constexpr std::int32_t kWay = 1'000;
  sim::Body barrier = wall(1, {units(1) + kWay, units(-9)}, at(1, 20));
  barrier.layers = 4;
  barrier.collides_with = 1;
  const sim::Body runner = moving(box(2, at(0, 0), at(1, 1)), {2 * kWay, 0});
  sim::Body ahead = moving(box(3, {units(1) + 1, units(0.5)}, at(1, 0.125)), {2 * kWay - 2, 0});
  ahead.layers = 2;
  ahead.collides_with = 1;
  Scene scene{{barrier, runner, ahead}};
  const sim::StepReport& report = scene.step();
  ASSERT_EQ(report.contacts.size(), 1U);
  EXPECT_EQ(report.contacts[0].a, BodyId{1});
  EXPECT_EQ(report.contacts[0].b, BodyId{2});
  EXPECT_EQ(report.influences, (Pairs{{{2}, {3}}}));
}

}  // namespace
}  // namespace tickbox::test
