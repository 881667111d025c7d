// What the naive step of tests/property knows nothing of: many ids, many worlds, limits of work.
// Scenes with values that a person can check are those of tests/data/articles.

#include "sim/step.h"

#include "sim/step/overlaps.h"
#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::test {
namespace {

constexpr std::int32_t kEarthGravity = 546;  // about 30 units/s² at 60 Hz

// Enough contacts for the radix sort. The ids differ in ten bits only; the parameter is the lowest
// of these bits.
class StepWithIds : public testing::TestWithParam<int> {};

TEST_P(StepWithIds, SortsContactsByAllTheirBits) {
  constexpr std::uint64_t kBodies = 300;
  const auto id_of = [](std::uint64_t number) { return BodyId{number << GetParam() | 5}; };
  std::vector<sim::Body> bodies{wall(0, at(0, 5), at(2 * kBodies, 1))};
  bodies[0].id = id_of(2 * kBodies / 3);
  for (std::uint64_t i = 0; i < kBodies; ++i) {
    sim::Body crate = box(0, at(2 * static_cast<double>(i), 4), at(1, 1));
    crate.id = id_of(2 * (i * 7 % kBodies) + 1);
    bodies.push_back(crate);
  }
  Scene scene{{.gravity = {0, kEarthGravity}}, bodies};
  const auto& contacts = scene.step().contacts;
  ASSERT_EQ(contacts.size(), kBodies);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    EXPECT_LT(contacts[i].a, contacts[i].b);
    if (i == 0) continue;
    const sim::BodyPair before{contacts[i - 1].a, contacts[i - 1].b};
    EXPECT_LT(before, (sim::BodyPair{contacts[i].a, contacts[i].b}));
  }
}

INSTANTIATE_TEST_SUITE_P(Shifts, StepWithIds, testing::Values(3, 18, 33, 54));

TEST(Step, RestsOnTheStaticsOfItsOwnWorldOnly) {
  const sim::WorldSettings settings{.gravity = {0, kEarthGravity}};
  const sim::Body crate = box(2, at(0, 4), at(1, 1));
  sim::PhysicsWorld floor = Scene::make_world(settings, {wall(1, at(-5, 5), at(10, 1)), crate});
  sim::PhysicsWorld hole = Scene::make_world(settings, {crate});
  sim::PhysicsStepper stepper;
  for (int tick = 0; tick < 3; ++tick) {
    EXPECT_EQ(stepper.step(floor).contacts.size(), 1U);
  }
  EXPECT_TRUE(stepper.step(hole).contacts.empty());
  EXPECT_EQ(hole.find({2})->velocity, (Vec2{0, kEarthGravity}));
  floor = hole;
  EXPECT_TRUE(stepper.step(floor).contacts.empty());
}

TEST(Step, FreezesWhoeverHasSpentTheBudgetOfEventsAndEnds) {
  // A pole that bodies hit in turn from both sides, each at another height.
  std::vector<sim::Body> bodies = {box(1, at(0, 0), at(1, 100))};
  for (std::uint32_t n = 0; n < 70; ++n) {
    const double far = 2 + n;
    const bool from_left = n % 2 == 0;
    bodies.push_back(stopping(moving(box(2 + n, at(from_left ? -far : far, n), at(1, 1)),
                                     at(from_left ? 120 : -120, 0))));
  }
  Scene scene{bodies};
  const auto& report = scene.step();
  EXPECT_EQ(report.frozen, std::vector<BodyId>{BodyId{1}});
  EXPECT_EQ(scene.velocity(1), at(0, 0));
  EXPECT_GT(report.events_max, static_cast<std::uint32_t>(sim::kEventLimit));
}

/// Bodies that are apart and fly to one place within a tick.
std::vector<sim::Body> flying_pile(std::int32_t count, sim::Response response) {
  constexpr std::int32_t kColumns = 30;
  std::vector<sim::Body> bodies;
  for (std::int32_t i = 0; i < count; ++i) {
    const Vec2 place = at(2 * (i % kColumns) - kColumns, 2 * (i / kColumns) - kColumns);
    sim::Body body = moving(box(static_cast<std::uint32_t>(i) + 1, place, at(1, 1)),
                            {-place.x / 64 * 63, -place.y / 64 * 63});
    body.response = response;
    body.restitution = 255;
    bodies.push_back(body);
  }
  return bodies;
}

sim::PhysicsWorld world_of(const std::vector<sim::Body>& bodies) {
  sim::PhysicsWorld world{
      {}, std::make_shared<const sim::Statics>(std::vector<sim::Body>{}, std::vector<sim::Path>{})};
  for (const sim::Body& body : bodies) {
    world.add(body);
  }
  return world;
}

// Each of the impacts of such a pile looks at all bodies again: one tick of 1,500 took 9 s and 400
// MB. With a limit the bodies stop, and none overlaps another.
TEST(Step, WithALimitOfWorkAPileThatBouncesStops) {
  for (const sim::Response response :
       {sim::Response::Bounce, sim::Response::Slide, sim::Response::Stop}) {
    std::size_t contacts = 0;
    for (const std::uint64_t searches : {std::uint64_t{UINT64_MAX}, std::uint64_t{600'000}}) {
      sim::PhysicsWorld world = world_of(flying_pile(600, response));
      sim::PhysicsStepper stepper;
      stepper.limit({.searched_again = searches});
      const sim::StepReport& report = stepper.step(world);
      EXPECT_TRUE(sim::find_overlaps(world).empty());
      if (response != sim::Response::Bounce) continue;
      EXPECT_FALSE(stepper.gave_up());
      if (searches != UINT64_MAX) {
        EXPECT_LT(report.contacts.size(), contacts / 2);
        EXPECT_GT(report.frozen.size(), 300U);
      }
      contacts = report.contacts.size();
    }
  }
}

/// Worlds whose step is costly, each in a stage of its own: bodies inside each other, bodies that
/// touch many, bodies that bounce at one place, and sensors there.
std::vector<std::pair<std::string, std::vector<sim::Body>>> costly_worlds() {
  constexpr std::uint32_t kHalf = 150;
  std::vector<sim::Body> pile;
  std::vector<sim::Body> halves;
  std::vector<sim::Body> sensors = flying_pile(2 * kHalf, sim::Response::Bounce);
  for (std::uint32_t i = 0; i < 2 * kHalf; ++i) {
    pile.push_back(box(i + 1, at(0, 0), at(1, 1)));
    const bool is_left = i < kHalf;
    sim::Body body =
        moving(box(i + 1, at(is_left ? 0 : 1, 0), at(1, 1)), {is_left ? 100 : -100, 0});
    body.response = sim::Response::Bounce;
    body.restitution = 255;
    halves.push_back(body);
    if (is_left) sensors[i].sensor = true;
  }
  return {{"pile", pile},
          {"halves", halves},
          {"flying", flying_pile(2 * kHalf, sim::Response::Bounce)},
          {"sensors", sensors}};
}

// A reader asks to stop after some searches, within a step. The step then ends at about the same
// cost, whatever stage it is in. The world is one in which nothing begins to overlap.
TEST(Step, AStepThatIsAskedToStopEndsWhereverItIs) {
  constexpr std::uint64_t kPoll = 4'096;
  for (const auto& [name, bodies] : costly_worlds()) {
    std::uint64_t polls_of_all = 0;
    sim::PhysicsStepper unlimited;
    unlimited.limit({.searches = kPoll, .gives_up = [&] { return ++polls_of_all == 0; }});
    sim::PhysicsWorld whole = world_of(bodies);
    unlimited.step(whole);
    EXPECT_FALSE(unlimited.gave_up());
    for (const std::uint64_t share : {0U, 10U, 50U, 90U}) {
      const std::uint64_t polls_wanted = polls_of_all * share / 100 + 1;
      SCOPED_TRACE(name + " after " + std::to_string(polls_wanted) + " polls");
      std::uint64_t polls = 0;
      sim::PhysicsStepper stepper;
      stepper.limit({.searches = kPoll, .gives_up = [&] { return ++polls == polls_wanted; }});
      sim::PhysicsWorld world = world_of(bodies);
      const auto before = sim::find_overlaps(world);
      stepper.step(world);
      EXPECT_TRUE(stepper.gave_up());
      EXPECT_EQ(polls, polls_wanted) << "asked no more once it has given up";
      EXPECT_TRUE(std::ranges::includes(before, sim::find_overlaps(world)));
      const std::vector<sim::Body> then{world.movers().begin(), world.movers().end()};
      EXPECT_TRUE(stepper.step(world).contacts.empty());
      EXPECT_TRUE(std::ranges::equal(world.movers(), then)) << "later steps move nothing";
      stepper.limit({});
      stepper.step(world);
      EXPECT_FALSE(stepper.gave_up());
    }
  }
}

// A limit that is not reached changes nothing.
TEST(Step, CountingSearchesChangesNothing) {
  for (const auto& [name, bodies] : costly_worlds()) {
    sim::PhysicsWorld free = world_of(bodies);
    sim::PhysicsWorld counted = world_of(bodies);
    sim::PhysicsStepper stepper;
    for (int tick = 0; tick < 3; ++tick) {
      stepper.limit({});
      stepper.step(free);
      stepper.limit({.searches = 1'000, .gives_up = [] { return false; }});
      stepper.step(counted);
      ASSERT_EQ(sim::state_hash(free), sim::state_hash(counted)) << name << " tick " << tick;
    }
  }
}

}  // namespace
}  // namespace tickbox::test
