// The scenario files beside the tests, and what must come of each.

#include "map/scenario.h"
#include "sim/overlaps.h"
#include "sim/step.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace tickbox::test {
namespace {

constexpr double kUnits = kUnit;

/// A scenario file, run to its end.
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

Played play(const std::string& name) {
  const std::string path = std::string{TICKBOX_SOURCE_DIR} + "/tests/data/scenarios/" + name;
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  const auto scenario = map::parse_scenario(text.str(), path);
  if (!scenario) throw std::runtime_error{scenario.error()};

  Played played{.world = map::make_world(*scenario), .last = {}};
  sim::Stepper stepper;
  for (Tick tick{1}; tick.value <= scenario->ticks; tick = tick + 1) {
    for (const map::VelocityChange& change : scenario->changes) {
      if (change.tick == tick) played.world.find(change.id)->velocity = change.velocity;
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

}  // namespace
}  // namespace tickbox::test
