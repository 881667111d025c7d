// The relative velocity of a contact: that of a minus that of b just before it, on every path of
// the step that reports one.

#include "sim/step.h"
#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tickbox::test {
namespace {

constexpr std::int32_t kGravity = 546;  // about 30 units/s² at 60 Hz
constexpr sim::WorldSettings kFalling{.gravity = {0, kGravity}};

/// The relative velocities of all contacts, in the order of the report.
std::vector<Vec2> velocities_of(const sim::StepReport& report) {
  std::vector<Vec2> velocities;
  velocities.reserve(report.contacts.size());
  for (const sim::Contact& contact : report.contacts) {
    velocities.push_back(contact.relative_velocity);
  }
  return velocities;
}

using Velocities = std::vector<Vec2>;

TEST(ContactVelocity, IsThatWithWhichABodyFallsOnAFloor) {
  const sim::Body falling = moving(box(2, at(0, 2), at(1, 1)), {700, units(3)});
  Scene above{kFalling, {falling, wall(3, at(-9, 4), at(20, 1))}};
  EXPECT_EQ(velocities_of(above.step()), (Velocities{{700, units(3) + kGravity}}));
  // The floor has the lower id: it is a.
  Scene below{kFalling, {falling, wall(1, at(-9, 4), at(20, 1))}};
  EXPECT_EQ(velocities_of(below.step()), (Velocities{{-700, -(units(3) + kGravity)}}));
}

// A game can tell a stomp from a touch.
TEST(ContactVelocity, OfARestingBodyIsTheGravityOfOneTickInEveryTick) {
  sim::Body feather = box(2, at(3, 4), at(1, 1));
  feather.gravity_scale = 64;
  Scene scene{kFalling,
              {box(1, at(0, 4), at(1, 1)), feather, moving(box(3, at(6, 4), at(1, 1)), {90, 0}),
               wall(9, at(-9, 5), at(40, 1))}};
  for (int tick = 0; tick < 5; ++tick) {
    const Velocities expected{{0, kGravity}, {0, kGravity / 4}, {90, kGravity}};
    EXPECT_EQ(velocities_of(scene.step()), expected);
  }
}

TEST(ContactVelocity, OfTwoMovingBodiesIsTheDifferenceBeforeEitherChanges) {
  Scene scene{{moving(box(1, at(0, 0), at(1, 1)), {3'000, 10}),
               bouncing(moving(box(2, {units(1) + 1'000, 0}, at(1, 1)), {-2'000, -30}))}};
  EXPECT_EQ(velocities_of(scene.step()), (Velocities{{5'000, 40}}));
  EXPECT_LT(scene.velocity(1).x, scene.velocity(2).x);
}

TEST(ContactVelocity, OfTheTwoFastestBodiesIsTwiceTheSpeedLimit) {
  Scene scene{{moving(box(1, at(0, 0), at(1, 1)), {kSpeedLimit, -kSpeedLimit}),
               moving(box(2, at(1, 0), at(1, 1)), {-kSpeedLimit, kSpeedLimit})}};
  const auto velocities = velocities_of(scene.step());
  ASSERT_FALSE(velocities.empty());
  EXPECT_EQ(velocities[0], (Vec2{2 * kSpeedLimit, -2 * kSpeedLimit}));
}

TEST(ContactVelocity, OfALaterContactIsWhatEarlierOnesHaveLeft) {
  Scene scene{{wall(8, at(4, 0), at(1, 9)), wall(9, at(-1, 0), at(1, 9)),
               bouncing(moving(box(1, at(2, 5), at(1, 1)), at(12, 0.25)), 128)}};
  EXPECT_EQ(velocities_of(scene.step()), (Velocities{at(12, 0.25), at(-6, 0.25)}));
  Scene stack{
      kFalling,
      {box(1, at(0, 2), at(1, 1)), box(2, at(0, 3), at(1, 1)), wall(9, at(-9, 4), at(20, 1))}};
  EXPECT_EQ(velocities_of(stack.step()), (Velocities{{0, kGravity}, {0, kGravity}}));
}

TEST(ContactVelocity, IncludesWhatABodyThatStopsLoses) {
  Scene scene{
      {wall(1, at(4, 0), at(1, 20)), stopping(moving(box(2, at(0, 5), at(1, 1)), at(6, 2)))}};
  EXPECT_EQ(velocities_of(scene.step()), (Velocities{at(-6, -2)}));
}

TEST(ContactVelocity, IsReportedOnTheSolidSideOfALedge) {
  sim::Body ledge = wall(9, at(-9, 4), at(20, 0.25));
  ledge.one_way = sim::OneWay::Up;
  Scene scene{kFalling,
              {moving(box(1, at(0, 2), at(1, 1)), {0, units(2)}),
               moving(box(2, at(3, 5), at(1, 1)), {0, -units(3)}), ledge}};
  const auto& contacts = scene.step().contacts;
  ASSERT_EQ(contacts.size(), 1U);  // body 2 jumps through it
  EXPECT_EQ(contacts[0].a, BodyId{1});
  EXPECT_EQ(contacts[0].relative_velocity, (Vec2{0, units(2) + kGravity}));
  EXPECT_EQ(velocities_of(scene.step()), (Velocities{{0, kGravity}}));
}

TEST(ContactVelocity, OfARiderIncludesWhatItsLiftGives) {
  for (const Vec2 speed : {Vec2{0, -4'000}, Vec2{0, 4'000}, Vec2{5'000, -300}}) {
    Scene scene{kFalling,
                {box(1, at(0, 3), at(1, 1)), box(2, at(0, 4), at(1, 1)),
                 platform(3, at(-1, 5), at(3, 1), speed)}};
    for (int tick = 0; tick < 3; ++tick) {
      EXPECT_EQ(velocities_of(scene.step()), (Velocities{{0, kGravity}, {0, kGravity}}));
    }
  }
}

TEST(ContactVelocity, OfABodyThatALiftReachesIncludesTheLifts) {
  Scene scene{{moving(box(1, at(0, 4), at(1, 1)), {20, 0}),
               platform(2, {units(-1), units(5) + 100}, at(3, 1), {0, -4'000})}};
  EXPECT_EQ(velocities_of(scene.step()), (Velocities{{20, 4'000}}));
}

// What joins a block is hit by the block, not by the member that it touches.
TEST(ContactVelocity, OfABodyThatJoinsABlockIsThatBeforeTheEvent) {
  Scene scene{{moving(box(1, at(0, 0), at(1, 1)), {600, 0}), box(2, at(1, 0), at(1, 1)),
               box(3, at(2, 0), at(1, 1)), moving(box(4, at(3, 0), at(1, 1)), {-60, 7})}};
  EXPECT_EQ(velocities_of(scene.step()), (Velocities{{600, 0}, {0, 0}, {60, -7}}));
}

TEST(ContactVelocity, OfACrushedBodyIsThatOfTheSqueeze) {
  sim::Body press = platform(2, at(-1, 6), at(3, 1), {0, -5'000});
  press.squeeze = sim::Squeeze::Crush;
  Scene scene{{moving(box(1, at(0, 5), at(1, 1)), {30, 0}), press, wall(9, at(-9, 4), at(20, 1))}};
  const auto& report = scene.step();
  EXPECT_EQ(report.crushed, (std::vector<BodyId>{{1}}));
  // In the order of ids: the press pushes the body, and crushes it when the ceiling has stopped it.
  EXPECT_EQ(velocities_of(report), (Velocities{{30, 5'000}, {30, 5'000}, {30, -5'000}}));
}

TEST(ContactVelocity, OfTheBorderIsThatOfTheBody) {
  Scene scene{{moving(box(1, {kWorldLimit - units(1) - 50, 0}, at(1, 1)), {900, 4}),
               platform(2, {-kWorldLimit + 50, 0}, at(1, 1), {-800, -3})}};
  EXPECT_EQ(velocities_of(scene.step()), (Velocities{{900, 4}, {-800, -3}}));
}

}  // namespace
}  // namespace tickbox::test
