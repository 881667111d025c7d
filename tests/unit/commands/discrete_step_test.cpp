// The discrete method does what the article says, its faults included.

#include "client/commands/sim/comparison.h"
#include "scenario/scenario.h"
#include "sim/step/overlaps.h"

#include <gtest/gtest.h>

#include <string>

namespace tickbox::test {
namespace {

/// Of whole units; a tick is a second.
sim::World world_of(const std::string& bodies, const std::string& head = "") {
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
  sim::World world = world_of(kWall + mover(R"("min": [-2, 1], "velocity": [2, 1])"));
  const auto pushed = commands::step_discretely(world);
  EXPECT_EQ(world.movers()[0].min, in_units(-1, 2));
  EXPECT_EQ(world.movers()[0].velocity, in_units(0, 1));
  EXPECT_EQ(pushed, (std::vector<sim::BodyPair>{{{1}, {2}}}));
}

TEST(DiscreteStep, SeesNothingOfWhatLiesBetweenTwoTicks) {
  sim::World world = world_of(kWall + mover(R"("min": [-2, 1], "velocity": [7, 0])"));
  const auto pushed = commands::step_discretely(world);
  EXPECT_EQ(world.movers()[0].min, in_units(5, 1));
  EXPECT_EQ(pushed, std::vector<sim::BodyPair>{});
}

TEST(DiscreteStep, PushesOutOnTheFarSideWhoIsMoreThanHalfThrough) {
  sim::World world = world_of(kWall + mover(R"("min": [-2, 1], "velocity": [5, 0])"));
  commands::step_discretely(world);
  EXPECT_EQ(world.movers()[0].min, in_units(4, 1));
}

TEST(DiscreteStep, HalvesTheWayBetweenTwoThatMove) {
  sim::World world = world_of(mover(R"("min": [0, 0], "velocity": [2, 0])") +
                              R"(, {"id": 3, "kind": "dynamic", "size": [1, 1], "min": [2.5, 0]})");
  commands::step_discretely(world);
  EXPECT_EQ(world.movers()[0].min.x, 7 * kUnit / 4);
  EXPECT_EQ(world.movers()[1].min.x, 11 * kUnit / 4);
}

TEST(DiscreteStep, HasGravityPathsAndABorder) {
  sim::World world = world_of(
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
  sim::World world =
      world_of(mover(R"("min": [0, 16380], "velocity": [0, 4])"), R"("border": "remove", )");
  commands::step_discretely(world);
  EXPECT_TRUE(world.movers().empty());
}

TEST(DiscreteStep, LetsThroughFromTheOpenSide) {
  const std::string ledge =
      R"({"id": 1, "kind": "static", "min": [0, 0], "size": [4, 4], "one_way": "up"}, )";
  sim::World rising = world_of(ledge + mover(R"("min": [1, 5], "velocity": [0, -3])"));
  commands::step_discretely(rising);
  EXPECT_EQ(rising.movers()[0].min, in_units(1, 2));
  sim::World falling = world_of(ledge + mover(R"("min": [1, -2], "velocity": [0, 2])"));
  commands::step_discretely(falling);
  EXPECT_EQ(falling.movers()[0].min, in_units(1, -1));
}

}  // namespace
}  // namespace tickbox::test
