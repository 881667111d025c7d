// Single stages of the physics step, each with a small input whose output a person can check.

#include "sim/step/block.h"
#include "sim/step/carry.h"
#include "sim/step/depenetrate.h"
#include "sim/step/integrate.h"
#include "sim/step/round.h"
#include "sim/step/sensors.h"
#include "sim/step/sweep.h"
#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace tickbox::test {
namespace {

using sim::kFineSteps;

/// What every stage needs: movers on the paths on which they begin a tick.
struct Input {
  explicit Input(const std::vector<sim::Body>& movers_by_id, sim::WorldSettings settings = {},
                 std::vector<sim::Body> walls = {}, std::vector<sim::Path> paths = {})
      : world(settings, std::make_shared<const sim::Statics>(std::move(walls), std::move(paths))) {
    world.add(movers_by_id);
    bodies = world.movers();
    environment = {settings, &world.statics(), world.immovables()};
    candidates.known = &world.step_memory().walls();
    candidates.known->start(world);
    candidates.walls.start(bodies.size());
    movers.start(bodies, searches);
  }

  void begin() {
    integrate(environment, movers);
    begin_paths(movers, candidates);
  }

  [[nodiscard]] Vec2 velocity(std::size_t mover) const {
    return velocity_of(movers.states[mover].motion);
  }

  sim::World world;
  std::span<sim::Body> bodies;
  sim::Environment environment;
  sim::SearchBudget searches;
  sim::Movers movers;
  sim::Candidates candidates;
  sim::StepReport report;
};

TEST(Integrate, AddsTheShareOfGravityAndAimsAtThePath) {
  sim::Body feather = moving(box(1, at(0, 0), at(1, 1)), {10, 20});
  feather.gravity_scale = 64;
  sim::Body lift = platform(3, at(5, 5), at(2, 1));
  lift.path = 0;
  Input input{{feather, moving(box(2, at(3, 0), at(1, 1)), {kSpeedLimit, 0}), lift},
              {.gravity = {8, 401}},
              {},
              {sim::Path{{at(5, 5), at(9, 5)}, 700}}};
  integrate(input.environment, input.movers);
  EXPECT_EQ(input.bodies[0].velocity, (Vec2{10 + 2, 20 + 100}));
  EXPECT_EQ(input.bodies[1].velocity, (Vec2{kSpeedLimit, 401}));
  EXPECT_EQ(input.bodies[2].velocity, (Vec2{700, 0}));
  EXPECT_EQ(input.movers.kinematics, std::vector<std::uint32_t>{2});
  EXPECT_FALSE(input.movers.has_ghosts);
}

TEST(FindPairs, TellsPathsThatMeetFromNeighboursAndOverlaps) {
  Input input{{moving(box(1, {0, 0}, {10, 10}), {30, 0}), box(2, {10, 0}, {10, 10}),
               box(3, {15, 5}, {10, 10}), box(4, {200, 0}, {10, 10})}};
  input.begin();
  find_pairs(input.movers, input.candidates, input.report);
  EXPECT_EQ(input.candidates.pairs.size(), 3U);  // the path of the first sweeps both others
  ASSERT_EQ(input.candidates.touching.size(), 1U);
  EXPECT_EQ(input.candidates.neighbours_of(0).size(), 1U);
  EXPECT_EQ(input.candidates.neighbours_of(0).front(), 1U);
  EXPECT_FALSE(input.candidates.has_neighbours(2));
  EXPECT_EQ(input.report.overlaps, (std::vector<sim::BodyPair>{{{2}, {3}}}));
}

TEST(Depenetrate, GivesEachBodyHalfOfTheShortestWay) {
  Input input{{box(1, {0, 0}, {10, 10}), box(2, {7, 2}, {10, 10})}};
  input.begin();
  find_pairs(input.movers, input.candidates, input.report);
  std::vector<std::uint32_t> turns;
  EXPECT_TRUE(depenetrate(input.environment, input.movers, turns, input.report));
  EXPECT_EQ(input.bodies[0].min, (Vec2{-1, 0}));  // 3 sub-units; the odd one goes to the second
  EXPECT_EQ(input.bodies[1].min, (Vec2{9, 2}));
  EXPECT_EQ(input.report.separated, (std::vector<sim::BodyPair>{{{1}, {2}}}));
  EXPECT_EQ(turns, (std::vector<std::uint32_t>{7, 7})) << "are left";
}

TEST(Depenetrate, MovesNothingThroughAWall) {
  Input input{
      {box(1, {2, 0}, {10, 10})}, {}, {wall(8, {-10, 0}, {15, 10}), wall(9, {12, 0}, {9, 9})}};
  input.begin();
  input.report.overlaps = {{{1}, {8}}};
  std::vector<std::uint32_t> turns;
  EXPECT_TRUE(depenetrate(input.environment, input.movers, turns, input.report));
  EXPECT_EQ(input.bodies[0].min, (Vec2{2, 10}));  // right is shorter, and not free
}

TEST(Carry, GivesAStackTheVelocityOfItsPlatform) {
  Input input{{platform(1, at(0, 10), at(4, 1), {300, -50}), box(2, at(1, 9), at(1, 1)),
               moving(box(3, at(1, 8), at(1, 1)), {7, 0}), box(4, at(8, 9), at(1, 1))},
              {.gravity = {0, 5}}};
  input.begin();
  EXPECT_TRUE(carry_riders(input.environment, input.movers, input.report));
  EXPECT_EQ(input.velocity(1), (Vec2{300, 5 - 50}));
  EXPECT_EQ(input.velocity(2), (Vec2{307, 5 - 50}));
  EXPECT_EQ(input.velocity(3), (Vec2{0, 5}));
  EXPECT_EQ(input.movers.rides.riders, (std::vector<sim::Rider>{{0, 1}, {0, 2}}));
  EXPECT_EQ(input.movers.rides.at_start[2].on, 1U);

  std::vector<std::uint32_t> changed;
  drop_riders(0, kFineSteps / 2, input.movers, changed);
  EXPECT_EQ(input.velocity(2), (Vec2{7, 5}));
  EXPECT_EQ(changed, (std::vector<std::uint32_t>{1, 2}));
}

TEST(Block, LetsTheFastestNeighbourJoinFirstAndTruncatesTheVelocity) {
  sim::Body heavy = box(3, {20, 0}, {10, 10});
  heavy.mass = 3;
  Input input{{moving(box(1, {0, 0}, {10, 10}), {100, 0}), box(2, {10, 0}, {10, 10}), heavy,
               moving(box(4, {30, 0}, {10, 10}), {90, 0})}};
  input.begin();
  const sim::Event event{.axis = 0, .mover = 0, .partner = 1};
  sim::Block block;
  block.start(4);
  block.touches = {{.low = 0, .high = 1, .change = 100}};
  EXPECT_EQ(solve_block(event, input.environment, input.movers, block, input.report.contacts),
            20);  // 100 / 2, then 100 / 5
  EXPECT_EQ(block.members, (std::vector<std::uint32_t>{0, 1, 2}));
  ASSERT_EQ(block.touches.size(), 2U);
  EXPECT_EQ(block.touches[1].change, 50);
  ASSERT_EQ(input.report.contacts.size(), 1U);
  EXPECT_EQ(input.report.contacts[0].a, BodyId{2});
  EXPECT_EQ(input.report.contacts[0].b, BodyId{3});
}

TEST(Friction, TakesAtMostItsShareOfTheChange) {
  Input input{{moving(box(1, {0, 0}, {10, 10}), {40, 0}), box(2, {0, 10}, {10, 10})}};
  input.begin();
  const sim::Touch touch{.low = 0, .high = 1, .change = 64, .friction = 128};
  apply_friction(touch, 1, 0, input.movers);
  EXPECT_EQ(input.velocity(0), (Vec2{40 - 16, 0}));  // 32 in all, half of it each
  EXPECT_EQ(input.velocity(1), (Vec2{16, 0}));
}

TEST(Sweep, LetsTwoBodiesMeetHalfway) {
  Input input{
      {moving(box(1, {0, 0}, {10, 10}), {30, 0}), moving(box(2, {40, 0}, {10, 10}), {-30, 0})}};
  input.begin();
  find_pairs(input.movers, input.candidates, input.report);
  sim::Impacts impacts;
  impacts.start(2);
  sweep(input.environment, input.movers, input.candidates, impacts, input.report);
  EXPECT_EQ(input.velocity(0), (Vec2{0, 0}));
  EXPECT_EQ(input.velocity(1), (Vec2{0, 0}));
  EXPECT_EQ(input.movers.turned, (std::vector<std::uint32_t>{0, 1}));
  ASSERT_EQ(input.report.contacts.size(), 1U);
  EXPECT_EQ(input.report.contacts[0].time, (kFineSteps - 1) / 2);
  EXPECT_EQ(input.report.contacts[0].time_rest, 30);
  EXPECT_EQ(input.report.contacts[0].time_divisor, 60);
}

TEST(Round, TakesABentCourseToTheNearestSubUnit) {
  Input input{
      {moving(box(1, {0, 0}, {10, 10}), {10, 4}), moving(box(2, {50, 0}, {10, 10}), {3, 0})}};
  input.begin();
  turn(input.movers, 0, 0, 0, kFineSteps / 3);
  round_positions(input.environment, input.movers, input.report);
  EXPECT_EQ(input.bodies[0].min, (Vec2{3, 4}));  // a third of 10
  EXPECT_EQ(input.bodies[0].velocity, (Vec2{0, 4}));
  EXPECT_EQ(input.bodies[1].min, (Vec2{53, 0}));
}

TEST(Sensors, ReportABodyThatCrossesOneWithinATick) {
  sim::Body sensor = wall(9, {100, 0}, {1, 10});
  sensor.sensor = true;
  Input input{{moving(box(1, {0, 0}, {10, 10}), {500, 0})}, {}, {sensor}};
  input.begin();
  round_positions(input.environment, input.movers, input.report);
  sim::Courses courses;
  report_sensors(input.environment, input.movers, input.candidates, courses, input.report);
  EXPECT_EQ(input.report.begin, (std::vector<sim::BodyPair>{{{1}, {9}}}));
  EXPECT_EQ(input.report.end, (std::vector<sim::BodyPair>{{{1}, {9}}}));
}

}  // namespace
}  // namespace tickbox::test
