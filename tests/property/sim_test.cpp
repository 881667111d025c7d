// What must hold in every world: the fast step equals the naive one, nothing overlaps, and no
// direction is special.

#include "sim/box.h"
#include "sim/step.h"
#include "tests/property/random_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::test {
namespace {

using sim::Body;
using sim::World;

std::vector<sim::BodyPair> overlapping_pairs(const World& world) {
  std::vector<Body> bodies{world.statics().bodies().begin(), world.statics().bodies().end()};
  bodies.insert(bodies.end(), world.movers().begin(), world.movers().end());
  std::vector<sim::BodyPair> pairs;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      const Body& a = bodies[i];
      const Body& b = bodies[j];
      const bool both_static = a.kind == sim::Kind::Static && b.kind == sim::Kind::Static;
      if (both_static || !may_meet(a, b)) continue;
      if (overlap(sim::box_of(a.min, a.size), sim::box_of(b.min, b.size))) {
        pairs.push_back(sim::ordered_pair(a.id, b.id));
      }
    }
  }
  return pairs;
}

TEST(Step, LeavesNoOverlapInAnyWorld) {
  sim::Stepper stepper;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    World world =
        random_world({.seed = seed, .movers_max = 120, .statics_max = 40, .features = kPlain});
    Rng kicks{seed};
    for (int tick = 1; tick <= 30; ++tick) {
      if (tick % 7 == 0) disturb(world, kicks, kPlain);
      const sim::StepReport& report = stepper.step(world);
      ASSERT_TRUE(overlapping_pairs(world).empty()) << "seed " << seed << " tick " << tick;
      ASSERT_TRUE(report.overlaps.empty()) << "seed " << seed << " tick " << tick;
    }
  }
}

/// Up to 8 units per tick, 480 per second: what games have. Faster in a tight room, bodies may
/// bounce more often in one tick than their budget of events allows.
void slow_down(World& world) {
  constexpr std::int32_t kFast = 8 * kUnit;
  for (Body& body : world.movers()) {
    body.velocity = {std::clamp(body.velocity.x, -kFast, kFast),
                     std::clamp(body.velocity.y, -kFast, kFast)};
  }
}

TEST(Step, FreezesNobodyAtTheSpeedsOfGames) {
  sim::Stepper stepper;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    World world =
        random_world({.seed = seed, .movers_max = 80, .statics_max = 30, .features = kPlain});
    slow_down(world);
    for (int tick = 1; tick <= 20; ++tick) {
      ASSERT_TRUE(stepper.step(world).frozen.empty()) << "seed " << seed << " tick " << tick;
    }
  }
}

/// A way to look at a world from elsewhere, applied to everything that has a direction.
struct Outlook {
  const char* name;
  std::function<void(Body&)> body;
  std::function<void(Vec2&)> direction;
};

World seen_by(const World& world, const Outlook& outlook) {
  sim::WorldSettings settings = world.settings();
  outlook.direction(settings.gravity);
  std::vector<Body> statics{world.statics().bodies().begin(), world.statics().bodies().end()};
  for (Body& body : statics) {
    outlook.body(body);
  }
  World seen{settings, std::make_shared<const sim::Statics>(std::move(statics))};
  for (Body body : world.movers()) {
    outlook.body(body);
    seen.add(body);
  }
  return seen;
}

void expect_same_from(const Outlook& outlook, const std::function<bool(const World&)>& applies) {
  sim::Stepper stepper;
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    World here =
        random_world({.seed = seed, .movers_max = 60, .statics_max = 30, .features = kPlain});
    slow_down(here);
    if (!applies(here)) continue;
    World there = seen_by(here, outlook);
    for (int tick = 1; tick <= 15; ++tick) {
      stepper.step(here);
      stepper.step(there);
      ASSERT_EQ(state_hash(seen_by(here, outlook)), state_hash(there))
          << outlook.name << " seed " << seed << " tick " << tick;
    }
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

bool any_world(const World& /*world*/) {
  return true;
}

TEST(Step, IsTheSameInAMirror) {
  expect_same_from({"left for right",
                    [](Body& body) {
                      body.min.x = -(body.min.x + body.size.x);
                      body.velocity.x = -body.velocity.x;
                    },
                    [](Vec2& direction) { direction.x = -direction.x; }},
                   any_world);
  expect_same_from({"up for down",
                    [](Body& body) {
                      body.min.y = -(body.min.y + body.size.y);
                      body.velocity.y = -body.velocity.y;
                    },
                    [](Vec2& direction) { direction.y = -direction.y; }},
                   any_world);
}

// On whole units exact corners at equal speeds are common, and these go to y by the rules: such a
// world has a direction.
bool has_no_exact_corners(const World& world) {
  for (const Body& body : world.movers()) {
    if (body.min.x % kUnit != 0 || body.min.y % kUnit != 0) return true;
  }
  return false;
}

TEST(Step, IsTheSameWithTheAxesExchanged) {
  expect_same_from({"transposed",
                    [](Body& body) {
                      std::swap(body.min.x, body.min.y);
                      std::swap(body.size.x, body.size.y);
                      std::swap(body.velocity.x, body.velocity.y);
                    },
                    [](Vec2& direction) { std::swap(direction.x, direction.y); }},
                   has_no_exact_corners);
}

bool is_far_from_the_border(const World& world) {
  constexpr std::int32_t kFar = kWorldLimit / 2;
  const auto is_far = [](const Body& body) {
    return std::abs(body.min.x) < kFar && std::abs(body.min.y) < kFar;
  };
  return std::ranges::all_of(world.movers(), is_far) &&
         std::ranges::all_of(world.statics().bodies(), is_far);
}

TEST(Step, IsTheSameElsewhere) {
  expect_same_from({"translated",
                    [](Body& body) {
                      body.min.x += 123'456'789;
                      body.min.y -= 98'765'431;
                    },
                    [](Vec2& /*direction*/) {}},
                   is_far_from_the_border);
}

/// Every static cut in two, at a place of its own.
World with_split_statics(const World& world, Rng& rng) {
  std::vector<Body> halves;
  std::uint32_t next_id = 1'000'000;
  for (const Body& body : world.statics().bodies()) {
    const std::size_t axis = rng.below(2);
    Body first = body;
    Body second = body;
    first.size[axis] = body.size[axis] / 2;
    second.min[axis] += first.size[axis];
    second.size[axis] -= first.size[axis];
    second.id = {next_id++};
    if (first.size[axis] > 0) halves.push_back(first);
    halves.push_back(second);
  }
  World split{world.settings(), std::make_shared<const sim::Statics>(std::move(halves))};
  for (const Body& body : world.movers()) {
    split.add(body);
  }
  return split;
}

// On whole units many impacts happen at the same moment, and then the longer goes first: there
// lengths matter.
TEST(Step, DoesNotFeelTheSeamsOfSplitStatics) {
  sim::Stepper stepper;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng{seed};
    World whole = random_world({.seed = seed, .statics_max = 30, .features = kPlain});
    for (Body& body : whole.movers()) {
      body.ignores = sim::kNoBody;  // the halves have ids of their own
    }
    if (!has_no_exact_corners(whole) || !overlapping_pairs(whole).empty()) continue;
    World split = with_split_statics(whole, rng);
    for (int tick = 1; tick <= 15; ++tick) {
      stepper.step(split);
      stepper.step(whole);
      ASSERT_TRUE(std::ranges::equal(split.movers(), whole.movers()))
          << "seed " << seed << " tick " << tick;
    }
  }
}

}  // namespace
}  // namespace tickbox::test
