// I4, the neighbourhood: bodies far away, bodies that meet no other, and seams of statics and fixed
// bodies change nothing.

#include "tests/property/any_stepper.h"
#include "tests/property/outlook.h"
#include "tests/property/random_world.h"
#include "tests/property/world_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::test::neighbours_test {
namespace {

using sim::Body;
using sim::PhysicsWorld;

constexpr int kTicks = 20;
constexpr int kTicksBetweenDisturbances = 6;

/// Whether a body was added by this test. The ids of a world renamed by Outlook are no multiple of
/// 3.
bool is_added(BodyId id) {
  return id < sim::kWorldBorder && id.value % 3 == 0;
}

/// Additional bodies: at random among the world's own, or beyond the reach of a tick.
class Crowd {
 public:
  explicit Crowd(std::uint64_t seed) : rng_(seed) {}

  PhysicsWorld added_to(const PhysicsWorld& world);

 private:
  std::int32_t draw(std::int64_t low, std::int64_t high) {
    return static_cast<std::int32_t>(
        low + static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(high - low + 1))));
  }

  Body draw_far(sim::Kind kind);
  Body draw_among(const PhysicsWorld& world, sim::Kind kind);

  Rng rng_;
};

/// Draws a body 12,000 units out on both axes, where other added bodies are.
Body Crowd::draw_far(sim::Kind kind) {
  constexpr std::int32_t kFar = 12'000 * kUnit;
  constexpr std::int32_t kSpread = 8 * kUnit;
  constexpr std::int32_t kSizeMax = 3 * kUnit;
  Body body{.kind = kind};
  for (std::size_t k = 0; k < 2; ++k) {
    body.min[k] = (rng_.chance(1, 2) ? kFar : -kFar) + draw(-kSpread, kSpread);
    body.size[k] = draw(1, kSizeMax);
    if (kind == sim::Kind::Dynamic || kind == sim::Kind::Kinematic)
      body.velocity[k] = draw(-kUnit, kUnit);
  }
  return body;
}

/// Draws a body that meets no other.
Body Crowd::draw_among(const PhysicsWorld& world, sim::Kind kind) {
  Body body = draw_far(kind);
  body.layers = 0;
  if (!world.movers().empty()) body.min = world.movers()[rng_.below(world.movers().size())].min;
  return body;
}

PhysicsWorld Crowd::added_to(const PhysicsWorld& world) {
  std::vector<Body> statics{world.statics().bodies().begin(), world.statics().bodies().end()};
  std::vector<Body> movers{world.movers().begin(), world.movers().end()};
  std::uint32_t id = 0;
  for (int n = 0; n < 40; ++n) {
    for (const sim::Kind kind : {sim::Kind::Static, sim::Kind::Dynamic, sim::Kind::Dynamic,
                                 sim::Kind::Kinematic, sim::Kind::Fixed}) {
      Body body = rng_.chance(1, 2) ? draw_far(kind) : draw_among(world, kind);
      id += 3 * (1 + static_cast<std::uint32_t>(rng_.below(900)));
      body.id = {id};
      (kind == sim::Kind::Static ? statics : movers).push_back(body);
    }
  }
  const auto paths = world.statics().paths();
  PhysicsWorld crowded{world.settings(),
                       std::make_shared<const sim::Statics>(
                           std::move(statics), std::vector<sim::Path>{paths.begin(), paths.end()})};
  for (const Body& body : movers) {
    crowded.add(body);
  }
  for (const Body& body : world.fixed().by_id()) {
    crowded.add(body);
  }
  return crowded;
}

/// A world, and a report, without the added bodies.
PhysicsWorld without_added(PhysicsWorld world) {
  std::vector<BodyId> added;
  for (const Body& body : world.movers()) {
    if (is_added(body.id)) added.push_back(body.id);
  }
  for (const Body& body : world.fixed().by_id()) {
    if (is_added(body.id)) added.push_back(body.id);
  }
  for (const BodyId id : added) {
    world.remove(id);
  }
  return world;
}

sim::StepReport without_added(sim::StepReport report) {
  const auto is_added_id = [](BodyId id) { return is_added(id); };
  const auto is_added_pair = [](const sim::BodyPair& p) {
    return is_added(p.low) || is_added(p.high);
  };
  std::erase_if(report.contacts,
                [](const sim::Contact& c) { return is_added(c.a) || is_added(c.b); });
  for (auto* ids : {&report.frozen, &report.left, &report.blocked, &report.crushed}) {
    std::erase_if(*ids, is_added_id);
  }
  for (auto* pairs : {&report.overlaps, &report.separated, &report.begin, &report.end}) {
    std::erase_if(*pairs, is_added_pair);
  }
  report.events = report.events_max = 0;
  return report;
}

bool is_near_origin(const PhysicsWorld& world) {
  constexpr std::int32_t kNear = 4'000 * kUnit;
  return std::ranges::all_of(world.movers(), [](const Body& body) {
    return std::max(std::abs(body.min.x), std::abs(body.min.y)) < kNear;
  });
}

TEST(Neighbours, WhoIsFarAwayOrMeetsNobodyIsNotFelt) {
  AnyStepper stepper;
  int compared = 0;
  for (const std::uint64_t seed : seeds(600)) {
    const Features features;
    PhysicsWorld world = seen(random_world({.seed = seed, .movers_max = 40, .features = features}),
                              {.renamed = true});
    Rng rng{seed};
    Crowd crowd{seed};
    for (int tick = 1; tick <= kTicks && is_near_origin(world); ++tick) {
      PhysicsWorld crowded = crowd.added_to(world);
      const sim::StepReport among = without_added(stepper.step(crowded));
      const sim::StepReport alone = without_added(stepper.step(world));
      const std::string difference =
          first_difference(world, without_added(crowded)) + first_difference(alone, among);
      ASSERT_TRUE(difference.empty()) << "seed " << seed << " tick " << tick
                                      << " (\"fast\" is alone, \"naive\" is among others)\n"
                                      << difference;
      ++compared;
    }
  }
  if (compared == 0) GTEST_SKIP() << "the one world tried is not near the origin";
}

/// Whether a static may be cut on this axis. A one-way body may not be cut so that an inner face
/// becomes solid.
bool may_be_cut(const Body& body, std::size_t axis) {
  using enum sim::OneWay;
  const bool solid_on_x = body.one_way == Left || body.one_way == Right;
  const bool solid_on_y = body.one_way == Up || body.one_way == Down;
  const bool along_solid = axis == 0 ? solid_on_x : solid_on_y;
  return !along_solid && body.size[axis] > 1;
}

/// Cuts every static and fixed body in two at a random place, except those that a body ignores by
/// id and those that may not be cut on the axis that is drawn.
PhysicsWorld with_split_immovables(const PhysicsWorld& world, Rng& rng) {
  constexpr std::uint32_t kFirstNewId = 3'000'000;
  const auto statics = world.statics().bodies();
  std::vector<Body> whole{statics.begin(), statics.end()};
  std::ranges::copy(world.fixed().by_id(), std::back_inserter(whole));
  std::vector<Body> pieces;
  for (const Body& body : whole) {
    const bool is_named = std::ranges::any_of(
        world.movers(), [&](const Body& mover) { return mover.ignores == body.id; });
    const std::size_t axis = rng.below(2);
    pieces.push_back(body);
    if (is_named || !may_be_cut(body, axis)) continue;
    const auto width =
        static_cast<std::int32_t>(1 + rng.below(static_cast<std::uint64_t>(body.size[axis] - 1)));
    Body rest = body;
    rest.min[axis] += width;
    rest.size[axis] -= width;
    rest.id = {kFirstNewId + static_cast<std::uint32_t>(pieces.size())};
    pieces.back().size[axis] = width;
    pieces.push_back(rest);
  }
  const auto fixed = std::ranges::stable_partition(
      pieces, [](const Body& piece) { return piece.kind == sim::Kind::Static; });
  const auto paths = world.statics().paths();
  PhysicsWorld split{world.settings(), std::make_shared<const sim::Statics>(
                                           std::vector<Body>{pieces.begin(), fixed.begin()},
                                           std::vector<sim::Path>{paths.begin(), paths.end()})};
  for (const Body& body : world.movers()) {
    split.add(body);
  }
  for (const Body& body : fixed) {
    split.add(body);
  }
  return split;
}

/// A world with its movers alone.
PhysicsWorld without_fixed(const PhysicsWorld& world) {
  PhysicsWorld bare{world.settings(), world.shared_statics()};
  for (const Body& body : world.movers()) {
    bare.add(body);
  }
  return bare;
}

// The rules make two exceptions. Of contacts at one moment the longest goes first, and a seam makes
// contacts shorter. The way out of an overlap is the shortest for each piece, so this test has no
// overlaps.
TEST(Neighbours, SeamsOfSplitStaticsAndFixedBodiesAreNotFelt) {
  AnyStepper stepper;
  std::size_t compared = 0;
  std::size_t skipped = 0;
  for (const std::uint64_t seed : seeds(1'000)) {
    Features features;
    features.overlaps = false;
    PhysicsWorld world =
        random_world({.seed = seed, .movers_max = 40, .statics_max = 30, .features = features});
    Rng rng{seed};
    for (int tick = 1; tick <= kTicks; ++tick) {
      if (tick % kTicksBetweenDisturbances == 0) disturb(world, rng, features);
      const PhysicsWorld before = world;
      PhysicsWorld split = with_split_immovables(world, rng);
      stepper.step(world);
      const sim::StepReport& report = stepper.step(split);
      const std::string difference = first_difference(without_fixed(world), without_fixed(split));
      if (difference.empty()) {
        ++compared;
      } else if (ties_in_tick(before).of_moments || !report.overlaps.empty()) {
        ++skipped;
      } else {
        FAIL() << "seed " << seed << " tick " << tick
               << " (\"fast\" is whole, \"naive\" is split)\n"
               << difference;
      }
    }
  }
  EXPECT_GT(compared, 20 * skipped);
}

}  // namespace
}  // namespace tickbox::test::neighbours_test
