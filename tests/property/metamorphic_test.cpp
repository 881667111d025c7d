#include "sim/step.h"
#include "tests/property/any_stepper.h"
#include "tests/property/outlook.h"
#include "tests/property/random_world.h"
#include "tests/property/world_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tickbox::test::metamorphic_test {
namespace {

using sim::Body;
using sim::PhysicsWorld;

// I4: no direction, place or name is special. (neighbours_test has the rest of I4.)
//
// Each tick of a world is stepped as it is and in a transformed view. The results must be each
// other's view: every mover and every list of the report.

/// Whether no body can reach the border within a tick.
bool is_far_from_border(const PhysicsWorld& world) {
  constexpr std::int32_t kNear = kWorldLimit - kSpeedLimit - 8 * kUnit;
  return std::ranges::all_of(world.movers(), [](const Body& body) {
    return std::max(std::abs(body.min.x), std::abs(body.min.y)) < kNear;
  });
}

/// Sorts contacts of one pair at one time, which have no order common to all views.
sim::StepReport sorted(sim::StepReport report) {
  const auto key = [](const sim::Contact& contact) {
    return std::tuple{contact.time,
                      contact.a,
                      contact.b,
                      contact.normal_x,
                      contact.normal_y,
                      contact.time_rest,
                      contact.time_divisor,
                      contact.relative_velocity.x,
                      contact.relative_velocity.y};
  };
  std::ranges::stable_sort(report.contacts, {}, key);
  return report;
}

/// Whether a tie was broken for which the rules name a direction: ways out of an overlap (up, down,
/// left, right), or axes (y).
bool may_differ(const Outlook& outlook, const PhysicsWorld& before) {
  const Ties ties = ties_in_tick(before);
  const bool mirrored = outlook.left_for_right || outlook.up_for_down;
  return (ties.of_ways && (mirrored || outlook.transposed)) || (ties.of_axes && outlook.transposed);
}

void expect_same(const Outlook& outlook) {
  constexpr int kTicks = 20;
  constexpr int kTicksBetweenDisturbances = 6;
  AnyStepper stepper;
  std::size_t compared = 0;
  std::size_t skipped = 0;
  for (const std::uint64_t seed : seeds(1'000)) {
    const Features features;
    PhysicsWorld world =
        random_world({.seed = seed, .movers_max = 60, .statics_max = 30, .features = features});
    Rng rng{seed};
    for (int tick = 1; tick <= kTicks; ++tick) {
      if (tick % kTicksBetweenDisturbances == 0) disturb(world, rng, features);
      if (!can_be_seen(world, outlook)) break;
      const PhysicsWorld before = world;
      PhysicsWorld other = seen(world, outlook);
      const bool moves_border = outlook.shift != Vec2{};
      if (moves_border && !(is_far_from_border(world) && is_far_from_border(other))) break;
      const sim::StepReport here = sorted(seen(stepper.step(world), outlook));
      const sim::StepReport there = sorted(stepper.step(other));
      if (!can_be_seen(world, outlook)) break;
      const std::string difference =
          first_difference(seen(world, outlook), other) + first_difference(here, there);
      if (difference.empty()) {
        ++compared;
      } else if (may_differ(outlook, before)) {
        ++skipped;
      } else {
        FAIL() << outlook.name << ", seed " << seed << " tick " << tick
               << " (\"fast\" is here, \"naive\" is there)\n"
               << difference;
      }
    }
  }
  EXPECT_GT(compared, 20 * skipped) << outlook.name;
}

TEST(Metamorphic, LeftAndRightAreAlike) {
  expect_same({.name = "left for right", .left_for_right = true});
}

TEST(Metamorphic, UpAndDownAreAlike) {
  expect_same({.name = "up for down", .up_for_down = true});
}

TEST(Metamorphic, TheAxesAreAlike) {
  expect_same({.name = "transposed", .transposed = true});
}

TEST(Metamorphic, EveryPlaceIsAlike) {
  expect_same({.name = "elsewhere", .shift = {123'456'789, -98'765'431}});
}

TEST(Metamorphic, NamesMatterByTheirOrderAlone) {
  expect_same({.name = "renamed", .renamed = true});
}

// I8: saving and restoring at any tick changes nothing. Neither does the order in which bodies were
// added, nor the earlier steps of the stepper.

/// The same world, built in another order from fields alone, as a keyframe is read.
sim::PhysicsWorld restored(const sim::PhysicsWorld& saved, Rng& rng) {
  const auto shuffled = [&](std::vector<sim::Body> bodies) {
    for (std::size_t n = bodies.size(); n > 1; --n) {
      std::swap(bodies[n - 1], bodies[rng.below(n)]);
    }
    return bodies;
  };
  const auto statics = saved.statics().bodies();
  const auto paths = saved.statics().paths();
  sim::PhysicsWorld world{
      saved.settings(),
      std::make_shared<const sim::Statics>(shuffled({statics.begin(), statics.end()}),
                                           std::vector<sim::Path>{paths.begin(), paths.end()})};
  for (const sim::Body& body : shuffled({saved.movers().begin(), saved.movers().end()})) {
    world.add(body);
  }
  const auto fixed = saved.fixed().by_id();
  for (const sim::Body& body : shuffled({fixed.begin(), fixed.end()})) {
    world.add(body);
  }
  return world;
}

TEST(Restore, AtAnyTickChangesNothing) {
  constexpr int kTicks = 24;
  constexpr int kTicksBetweenDisturbances = 7;
  AnyStepper old;  // has stepped all worlds before
  for (const std::uint64_t seed : seeds(600)) {
    const Features features;
    sim::PhysicsWorld world = random_world({.seed = seed, .movers_max = 50, .features = features});
    Rng rng{seed};
    for (int tick = 1; tick <= kTicks; ++tick) {
      if (tick % kTicksBetweenDisturbances == 0) disturb(world, rng, features);
      sim::PhysicsWorld copy = restored(world, rng);
      ASSERT_EQ(state_hash(copy), state_hash(world)) << "seed " << seed << " tick " << tick;
      AnyStepper fresh;
      const sim::StepReport& expected = fresh.step(copy);
      const sim::StepReport& report = old.step(world);
      const std::string difference =
          first_difference(world, copy) + first_difference(report, expected);
      ASSERT_TRUE(difference.empty() && state_hash(copy) == state_hash(world))
          << "seed " << seed << " tick " << tick << " (\"fast\" went on, \"naive\" was restored)\n"
          << difference;
    }
  }
}

}  // namespace
}  // namespace tickbox::test::metamorphic_test
