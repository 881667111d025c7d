// The scenario files beside the tests, and what must come of each.

#include "client/scenario/scenario.h"
#include "sim/step.h"
#include "sim/step/overlaps.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace tickbox::test {
namespace {

constexpr double kUnits = kUnit;

/// A scenario file, run.
struct Played {
  sim::World world;
  sim::StepReport last;
  std::size_t contacts = 0;
  std::size_t contacts_along_x = 0;
  std::size_t left = 0;

  [[nodiscard]] double x(std::uint32_t id) const { return world.find({id})->min.x / kUnits; }

  [[nodiscard]] double y(std::uint32_t id) const { return world.find({id})->min.y / kUnits; }

  [[nodiscard]] Vec2 velocity(std::uint32_t id) const { return world.find({id})->velocity; }
};

/// To the end of the file, or of `ticks`.
Played play(const std::string& name, std::uint32_t ticks = UINT32_MAX) {
  const std::string path = tests::source_file("tests/data/scenarios/") + name;
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  const auto scenario = scenario::parse_scenario(text.str(), path);
  if (!scenario) throw std::runtime_error{scenario.error()};

  Played played{.world = scenario::make_world(*scenario), .last = {}};
  sim::Stepper stepper;
  for (Tick tick{1}; tick.value <= std::min(scenario->ticks, ticks); tick = tick + 1) {
    for (const scenario::VelocityChange& change : scenario->changes) {
      if (change.tick == tick) change.apply(*played.world.find_mover(change.id));
    }
    played.last = stepper.step(played.world);
    played.contacts += played.last.contacts.size();
    played.left += played.last.left.size();
    for (const sim::Contact& contact : played.last.contacts) {
      if (contact.normal_x != 0) ++played.contacts_along_x;
    }
    EXPECT_TRUE(sim::find_overlaps(played.world).empty()) << name << " tick " << tick.value;
  }
  return played;
}

TEST(ScenarioFile, GoombaRestsUnderAHeavierOne) {
  const Played end = play("goomba.json");
  EXPECT_EQ(end.y(2), 9);
  EXPECT_EQ(end.y(3), 8);
  EXPECT_EQ(end.velocity(2), Vec2{});
  EXPECT_EQ(end.velocity(3), Vec2{});
  EXPECT_EQ(end.last.contacts.size(), 2U);
}

TEST(ScenarioFile, BulletsStopAtTheSameWallAtAnySpeed) {
  const Played end = play("bullets.json");
  EXPECT_EQ(end.x(2), 770);
  EXPECT_EQ(end.x(3), 770);
  EXPECT_EQ(end.contacts, 2U);
}

TEST(ScenarioFile, SeamsAreNoObstacle) {
  const Played end = play("seams.json");
  EXPECT_EQ(end.contacts_along_x, 0U);
  EXPECT_NEAR(end.x(100), 16, 0.01);
  EXPECT_EQ(end.y(100), 4);
}

TEST(ScenarioFile, HeadOnKeepsMomentumAndEnergy) {
  const Played end = play("head_on.json");
  EXPECT_EQ(end.velocity(1),
            (Vec2{-2 * 8'192, 0}));  // from 8 and −8 units/s of masses 1 and 3 to −16 and 0
  EXPECT_EQ(end.velocity(2), (Vec2{0, 0}));
  EXPECT_EQ(end.contacts, 1U);
}

TEST(ScenarioFile, RoomLetsOnlyThoseMeetWhoseLayersDo) {
  const Played end = play("room.json");
  EXPECT_EQ(end.x(2), 1);
  EXPECT_LT(end.x(3), -10);
  EXPECT_EQ(end.left, 1U);
  EXPECT_EQ(end.world.find({4}), nullptr);
}

// 64 ticks of an eighth up, 64 down, and so on: at the end it is back where it began. Who stands on
// it has no velocity of its own.
TEST(ScenarioFile, LiftCarriesAStack) {
  const Played up = play("lift.json", 64);
  EXPECT_EQ(up.y(1), 4);
  EXPECT_EQ(up.y(2), 3);
  EXPECT_EQ(up.y(3), 2);
  const Played end = play("lift.json");
  EXPECT_EQ(end.y(1), 12);
  EXPECT_EQ(end.y(2), 11);
  EXPECT_EQ(end.y(3), 10);
  EXPECT_EQ(end.velocity(1), (Vec2{0, kUnit / 8}));
  EXPECT_EQ(end.velocity(2), Vec2{});
}

// Body 3 jumps 16² / 2 / 30 = 4.3 units high, through the ledge two above it, and lands on the
// ledge.
TEST(ScenarioFile, LedgeIsSolidFromAboveOnly) {
  const Played end = play("ledge.json");
  EXPECT_EQ(end.y(3), 6);
  EXPECT_EQ(end.velocity(3), Vec2{});
}

// The fast one is in and out of the thin sensor within the first tick; the slow one, which passes
// through everything, enters in the first and leaves in the second, then goes through the wall.
TEST(ScenarioFile, SensorsMissNothing) {
  using Pairs = std::vector<sim::BodyPair>;
  const sim::StepReport first = play("sensors.json", 1).last;
  EXPECT_EQ(first.begin, (Pairs{{{1}, {2}}, {{1}, {3}}}));
  EXPECT_EQ(first.end, (Pairs{{{1}, {2}}}));
  const sim::StepReport second = play("sensors.json", 2).last;
  EXPECT_EQ(second.begin, Pairs{});
  EXPECT_EQ(second.end, (Pairs{{{1}, {3}}}));
  EXPECT_EQ(play("sensors.json", 3).last.begin, (Pairs{{{3}, {4}}}));
  const Played end = play("sensors.json");
  EXPECT_EQ(end.last.end, (Pairs{{{3}, {4}}}));
  EXPECT_EQ(end.contacts, 0U);
  EXPECT_EQ(end.x(3), 104);
}

// Both lifts come up from 12 by 4 a tick, and meet a pillar of 6 that has 2 left to the ceiling.
// In the second tick one stops below it, at 7; the other goes on through it, to 4.
TEST(ScenarioFile, SqueezedAgainstTheCeilingALiftWaitsOrCrushes) {
  const Played squeezed = play("squeeze.json", 2);
  EXPECT_EQ(squeezed.y(2), 7);
  EXPECT_EQ(squeezed.y(3), 1);
  EXPECT_EQ(squeezed.last.blocked, std::vector<BodyId>{{2}});
  EXPECT_EQ(squeezed.y(4), 4);
  EXPECT_EQ(squeezed.y(5), 1);
  EXPECT_EQ(squeezed.last.crushed, std::vector<BodyId>{{5}});
  EXPECT_EQ(play("squeeze.json").y(2), 7) << "waits again, at the same place of its path";
}

// Gravity takes 512 sub-units a tick off its speed along y, friction a quarter of that along x:
// from 4,096 in 32 ticks to rest, after 32 · 4,096 − 128 · (1 + … + 32).
TEST(ScenarioFile, IceAndSandDiffer) {
  const Played end = play("ice_and_sand.json");
  EXPECT_EQ(end.x(3), 4);
  EXPECT_EQ(end.velocity(3), (Vec2{4'096, 0}));
  EXPECT_EQ(end.world.find({4})->min.x, 32 * 4'096 - 128 * 33 * 16);
  EXPECT_EQ(end.velocity(4), Vec2{});
}

// 2 units per second are 2,185 sub-units per tick. Body 2 is on the ground when it is made to jump.
TEST(ScenarioFile, EveryKeyIsRead) {
  const Played end = play("every_key.json");
  EXPECT_EQ(end.world.find({3})->min, (Vec2{8 * kUnit, 9 * kUnit - 120 * 2'185}));
  EXPECT_EQ(play("every_key.json", 49).y(2), 9);
  EXPECT_LT(play("every_key.json", 65).y(2), 8);
}

}  // namespace
}  // namespace tickbox::test
