// The discrete method of `sim --compare`, and the count of the bodies that pass through others.

#include "client/commands/sim/comparison.h"

#include "client/scenario/scenario.h"
#include "sim/step/overlaps.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::test {
namespace {

// The discrete method does what the article says, its faults included.

/// Returns a world of these bodies, in which a tick is a second.
sim::PhysicsWorld world_of(const std::string& bodies, const std::string& head = "") {
  const auto scenario = scenario::parse_scenario(
      R"({"tick_rate": 1, "ticks": 1, )" + head + "\"bodies\": [" + bodies + "]}", "a.json");
  EXPECT_TRUE(scenario.has_value()) << scenario.error();
  return scenario::make_world(*scenario);
}

const std::string kWall = R"({"id": 1, "kind": "static", "min": [0, 0], "size": [4, 4]}, )";

std::string mover(const std::string& rest) {
  return R"({"id": 2, "kind": "dynamic", "size": [1, 1], )" + rest + "}";
}

constexpr Vec2 in_units(std::int32_t x, std::int32_t y) {
  return {x * kUnit, y * kUnit};
}

TEST(DiscreteStep, MovesTheWholeWayAndThenPushesOut) {
  sim::PhysicsWorld world = world_of(kWall + mover(R"("min": [-2, 1], "velocity": [2, 1])"));
  const auto pushed = commands::step_discretely(world);
  EXPECT_EQ(world.movers()[0].min, in_units(-1, 2));
  EXPECT_EQ(world.movers()[0].velocity, in_units(0, 1));
  EXPECT_EQ(pushed, (std::vector<sim::BodyPair>{{{1}, {2}}}));
}

TEST(DiscreteStep, SeesNothingOfWhatLiesBetweenTwoTicks) {
  sim::PhysicsWorld world = world_of(kWall + mover(R"("min": [-2, 1], "velocity": [7, 0])"));
  const auto pushed = commands::step_discretely(world);
  EXPECT_EQ(world.movers()[0].min, in_units(5, 1));
  EXPECT_EQ(pushed, std::vector<sim::BodyPair>{});
}

TEST(DiscreteStep, PushesOutOnTheFarSideWhoIsMoreThanHalfThrough) {
  sim::PhysicsWorld world = world_of(kWall + mover(R"("min": [-2, 1], "velocity": [5, 0])"));
  commands::step_discretely(world);
  EXPECT_EQ(world.movers()[0].min, in_units(4, 1));
}

TEST(DiscreteStep, HalvesTheWayBetweenTwoThatMove) {
  sim::PhysicsWorld world =
      world_of(mover(R"("min": [0, 0], "velocity": [2, 0])") +
               R"(, {"id": 3, "kind": "dynamic", "size": [1, 1], "min": [2.5, 0]})");
  commands::step_discretely(world);
  EXPECT_EQ(world.movers()[0].min.x, 7 * kUnit / 4);
  EXPECT_EQ(world.movers()[1].min.x, 11 * kUnit / 4);
}

TEST(DiscreteStep, HasGravityPathsAndABorder) {
  sim::PhysicsWorld world = world_of(
      R"({"id": 1, "kind": "kinematic", "size": [1, 1], "path": [[0, 0], [8, 0]], "speed": 6},
         {"id": 2, "kind": "dynamic", "size": [1, 1], "min": [0, 16380]})",
      R"("gravity": [0, 10], )");
  commands::step_discretely(world);
  EXPECT_EQ(world.movers()[0].min, in_units(6, 0));
  EXPECT_EQ(world.movers()[1].min, in_units(0, 16'383));
  EXPECT_EQ(world.movers()[1].velocity, Vec2{});
  commands::step_discretely(world);
  EXPECT_EQ(world.movers()[0].min, in_units(4, 0)) << "12 of 8, counted back";
}

TEST(DiscreteStep, RemovesAtAnOpenBorder) {
  sim::PhysicsWorld world =
      world_of(mover(R"("min": [0, 16380], "velocity": [0, 4])"), R"("border": "remove", )");
  commands::step_discretely(world);
  EXPECT_TRUE(world.movers().empty());
}

TEST(DiscreteStep, LetsThroughFromTheOpenSide) {
  const std::string ledge =
      R"({"id": 1, "kind": "static", "min": [0, 0], "size": [4, 4], "one_way": "up"}, )";
  sim::PhysicsWorld rising = world_of(ledge + mover(R"("min": [1, 5], "velocity": [0, -3])"));
  commands::step_discretely(rising);
  EXPECT_EQ(rising.movers()[0].min, in_units(1, 2));
  sim::PhysicsWorld falling = world_of(ledge + mover(R"("min": [1, -2], "velocity": [0, 2])"));
  commands::step_discretely(falling);
  EXPECT_EQ(falling.movers()[0].min, in_units(1, -1));
}

// Whether a box came through another: at edges, at corners, and if both move. And the counts of
// such crossings.

/// The course of a box from one place to another.
sim::Motion course(Vec2 from, Vec2 to, Vec2 size = {2, 2}) {
  sim::Motion motion = sim::motion_of(from, size, {});
  motion.velocity = {std::int64_t{to.x} - from.x, std::int64_t{to.y} - from.y};
  return motion;
}

const sim::Motion kBlock = course({0, 0}, {0, 0});

TEST(Passage, IsFromOneSideToTheOther) {
  struct Case {
    const char* what;
    sim::Motion course;
    std::optional<commands::Passage> passage;
  };

  using commands::Passage;
  for (const Case& of : std::vector<Case>{
           {"to the right", course({-9, 0}, {9, 1}), Passage{.axis = 0, .from_low = true}},
           {"up", course({1, 9}, {0, -9}), Passage{.axis = 1, .from_low = false}},
           {"touches", course({-9, 0}, {-2, 0}), {}},
           {"ends inside", course({-9, 0}, {-1, 0}), {}},
           {"starts inside", course({-1, 0}, {9, 0}), {}},
           {"stops short", course({-9, 0}, {-5, 0}), {}},
           {"goes away", course({-2, 0}, {-9, 0}), {}},
           {"along a face", course({-9, -2}, {9, -2}), {}},
           {"past a corner", course({-4, 0}, {0, -4}), {}},
           {"through a corner", course({-4, 1}, {1, -4}), Passage{.axis = 0, .from_low = true}},
           // Such a corner is entered on both axes at once: the faster axis decides, then y.
           {"exact, faster on x", course({-6, -4}, {10, 4}), Passage{.axis = 0, .from_low = true}},
           {"exact, as fast", course({-4, -4}, {4, 4}), Passage{.axis = 1, .from_low = true}},
           // Before the fix, it was on y, on which the body was inside from the start.
           {"touches at first", course({-2, 1}, {3, 12}), Passage{.axis = 0, .from_low = true}}}) {
    EXPECT_EQ(commands::passage_through(of.course, kBlock), of.passage) << of.what;
  }
}

TEST(Passage, IsOfRelativeCourses) {
  EXPECT_FALSE(commands::passage_through(course({-9, 0}, {9, 0}), course({0, 0}, {18, 0})));
  EXPECT_TRUE(commands::passage_through(course({-9, 0}, {0, 0}), course({0, 0}, {-9, 0})));
}

// From one end of the world to the other, a sub-unit less on y: cross products of 2^31 by 2^30.
// With L = 2^30, x is inside from (L − 1) to (L + 1) in 2L − 1, y from (L + b − 1) to (L + b + 1)
// in 2L − 2.
TEST(Passage, IsExactAcrossTheWholeWorld) {
  const sim::Motion across =
      course({-kWorldLimit, -kWorldLimit}, {kWorldLimit - 1, kWorldLimit - 2}, {1, 1});
  const auto block_at = [](Vec2 min) { return course(min, min, {1, 1}); };
  for (const auto& [b, inside] : {std::pair{-3, false}, std::pair{-2, true}, std::pair{-1, true},
                                  std::pair{0, true}, std::pair{1, true}, std::pair{2, false}}) {
    EXPECT_EQ(commands::passage_through(across, block_at({0, b})).has_value(), inside) << b;
  }
}

/// A wall, id 1, at x = 0 and a body, id 2, that the test moves.
class Crossings : public testing::Test {
 protected:
  /// One tick in which the body goes to `x`; by its velocity, or another way.
  void move_to(std::int32_t x, const std::vector<sim::BodyPair>& met = {}, bool straight = true) {
    sim::PhysicsWorld next = side_.world;
    sim::Body& body = *next.find_mover({2});
    body.velocity.x = straight ? x - body.min.x : 0;
    body.min.x = x;
    tick_ = tick_ + 1;
    side_.go_on(tick_, next, met);
  }

  static sim::PhysicsWorld world_with(sim::OneWay one_way) {
    sim::PhysicsWorld world{
        {},
        std::make_shared<const sim::Statics>(std::vector<sim::Body>{{.id = {1},
                                                                     .kind = sim::Kind::Static,
                                                                     .min = {0, 0},
                                                                     .size = {2, 2},
                                                                     .one_way = one_way}})};
    world.add({.id = {2}, .min = {-9, 0}, .size = {2, 2}});
    return world;
  }

  commands::ComparedSide side_{.world = world_with(sim::OneWay::None)};
  Tick tick_{};
};

TEST_F(Crossings, AreCountedAndNamed) {
  move_to(-8);
  move_to(8);
  EXPECT_EQ(side_.unseen, 1U);
  EXPECT_EQ(side_.pushed, 0U);
  EXPECT_EQ(side_.first, (std::vector<commands::Crossing>{{{2}, {2}, {1}}}));
}

TEST_F(Crossings, AreNoneOfWhoHasLeftTheWorld) {
  sim::PhysicsWorld next = side_.world;
  next.remove({{BodyId{2}}});
  side_.go_on({1}, next, {});
  EXPECT_EQ(side_.unseen + side_.pushed, 0U);
}

TEST_F(Crossings, AreNotUnseenWhereTheTwoMet) {
  move_to(8, {{{1}, {2}}}, false);
  EXPECT_EQ(side_.unseen, 0U);
  EXPECT_EQ(side_.pushed, 1U);
}

// The course of such a body is bent: what lies between its two places says nothing.
TEST_F(Crossings, AreNotJudgedOfWhoMetAThird) {
  move_to(8, {{{2}, {3}}}, false);
  move_to(-8, {{{1}, {2}}, {{2}, {3}}}, false);
  move_to(8, {}, false);
  EXPECT_EQ(side_.unseen + side_.pushed, 0U);
}

TEST_F(Crossings, AreNoneOfThoseWhoDoNotCollide) {
  side_.world.movers()[0].sensor = true;
  move_to(8);
  EXPECT_EQ(side_.unseen, 0U);
}

TEST_F(Crossings, OfAOneWayBodyAreFromItsSolidSideOnly) {
  for (const auto& [solid, from_left, from_right] :
       {std::tuple{sim::OneWay::Left, 1U, 0U}, std::tuple{sim::OneWay::Right, 0U, 1U},
        std::tuple{sim::OneWay::Up, 0U, 0U}}) {
    side_ = {.world = world_with(solid)};
    move_to(8);
    EXPECT_EQ(side_.unseen, from_left);
    move_to(-8);
    EXPECT_EQ(side_.unseen, from_left + from_right);
  }
}

TEST_F(Crossings, AreAllCountedAndTheFirstKept) {
  for (int i = 0; i < 50; ++i) {
    move_to(i % 2 == 0 ? 8 : -8);
  }
  EXPECT_EQ(side_.unseen, 50U);
  EXPECT_EQ(side_.first.size(), commands::kCrossingsKept);
}

}  // namespace
}  // namespace tickbox::test
