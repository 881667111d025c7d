// The step against the exact solution, for one mover among statics: the same contacts at the same
// times, and a position within the bounds of single_mover.h.

#include "tests/reference/single_mover.h"

#include "core/rng.h"
#include "sim/box.h"
#include "sim/step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::test::single_mover_test {
namespace {

using sim::Body;

constexpr std::int64_t kOne = kUnit;

/// The sizes of a scene, in sub-units.
struct Scale {
  std::int64_t extent = 0;
  std::int64_t size_max = 0;
  std::int64_t speed_max = 0;
};

/// From a few sub-units, where corners, edges and ties are frequent, to an eighth of the world.
constexpr std::array<Scale, 5> kScales = {{{12, 8, 30},
                                           {40, 30, 400},
                                           {4 * kOne, 2 * kOne, 8 * kOne},
                                           {30 * kOne, 10 * kOne, kSpeedLimit},
                                           {kWorldLimit / 8, kWorldLimit / 16, kSpeedLimit}}};

std::int32_t between(Rng& rng, std::int64_t low, std::int64_t high) {
  return static_cast<std::int32_t>(
      low + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(high - low + 1))));
}

Vec2 draw_pair(Rng& rng, std::int64_t low, std::int64_t high) {
  const std::int32_t x = between(rng, low, high);
  return {x, between(rng, low, high)};
}

void draw_response(Rng& rng, Body& body, std::uint64_t bouncy_percent) {
  if (rng.below(100) < bouncy_percent) {
    body.response = sim::Response::Bounce;
    body.restitution =
        rng.chance(1, 2) ? sim::kFullRestitution : static_cast<std::uint16_t>(rng.below(257));
  } else if (rng.chance(1, 5)) {
    body.response = rng.chance(1, 5) ? sim::Response::Pass : sim::Response::Stop;
  }
}

/// A mover and walls. The mover overlaps no wall from which it stays apart.
class SceneDraft {
 public:
  explicit SceneDraft(Rng& rng) : rng_(rng), scale_(kScales[rng.below(kScales.size())]) {
    if (rng.chance(1, 6)) {
      const std::int64_t edge = kWorldLimit - scale_.extent - scale_.size_max;
      centre_ = {static_cast<std::int32_t>(between(rng, -1, 1) * edge),
                 static_cast<std::int32_t>(edge)};
    }
    bouncy_percent_ = rng.chance(1, 3) ? 60 : 0;
    mover_ = placed_anywhere({.id = {kMoverId}});
    mover_.velocity = draw_pair(rng, -scale_.speed_max, scale_.speed_max);
    if (rng.chance(1, 8)) mover_.velocity.y = mover_.velocity.x;
    if (rng.chance(1, 4)) mover_.gravity_scale = 128;
    draw_response(rng, mover_, bouncy_percent_);
  }

  void add_walls() {
    for (std::uint64_t left = 1 + rng_.below(10); left > 0; --left) {
      Body wall = placed_anywhere({});
      if (rng_.chance(1, 4)) wall.size[rng_.below(2)] = 1;
      if (rng_.chance(1, 3) && !walls_.empty()) {
        const std::size_t axis = rng_.below(2);  // in line with the last wall, edge to edge
        wall.min = walls_.back().min;
        wall.min[axis] += walls_.back().size[axis];
      }
      add(wall);
    }
  }

  /// Four walls around the scene.
  void add_room() {
    const auto extent = static_cast<std::int32_t>(scale_.extent + scale_.size_max);
    const std::int32_t thick = between(rng_, 1, scale_.size_max);
    for (const std::int32_t start : {-extent, extent - thick}) {
      add({.min = {centre_.x + start, centre_.y - extent}, .size = {thick, 2 * extent}});
      add({.min = {centre_.x - extent, centre_.y + start}, .size = {2 * extent, thick}});
    }
  }

  [[nodiscard]] sim::PhysicsWorld finish() {
    sim::WorldSettings settings;
    if (rng_.chance(1, 2)) {
      settings.gravity = draw_pair(rng_, -scale_.speed_max / 8, scale_.speed_max / 8);
    }
    settings.border = rng_.chance(1, 2) ? sim::Border::Solid : sim::Border::Remove;
    sim::PhysicsWorld world{settings, std::make_shared<const sim::Statics>(std::move(walls_))};
    world.add(mover_);
    return world;
  }

 private:
  static constexpr std::uint32_t kMoverId = 50;

  [[nodiscard]] Body placed_anywhere(Body body) {
    const Vec2 offset = draw_pair(rng_, -scale_.extent, scale_.extent);
    body.min = {centre_.x + offset.x, centre_.y + offset.y};
    body.size = draw_pair(rng_, 1, scale_.size_max);
    return body;
  }

  void add(Body wall) {
    const auto number = static_cast<std::uint32_t>(walls_.size());
    wall.id = {number < 5 ? kMoverId - 5 + number : kMoverId + number};
    wall.kind = sim::Kind::Static;
    draw_response(rng_, wall, bouncy_percent_);
    if (wall.response == sim::Response::Stop && rng_.chance(3, 4)) wall.response = {};
    if (rng_.chance(1, 8)) wall.one_way = static_cast<sim::OneWay>(1 + rng_.below(4));
    wall.sensor = rng_.chance(1, 16);
    const bool overlaps =
        overlap(sim::box_of(wall.min, wall.size), sim::box_of(mover_.min, mover_.size));
    if (overlaps && stay_apart(wall, mover_)) return;
    if (is_within_limits(wall)) walls_.push_back(wall);
  }

  Rng& rng_;
  Scale scale_;
  Vec2 centre_;
  std::uint64_t bouncy_percent_ = 0;
  Body mover_;
  std::vector<Body> walls_;
};

sim::PhysicsWorld draw_scene(Rng& rng) {
  SceneDraft scene{rng};
  if (rng.chance(2, 3)) scene.add_room();
  scene.add_walls();
  return scene.finish();
}

/// The number of compared things, so that a test that compares nothing fails.
struct Tally {
  int scenes = 0;
  int unsure = 0;
  std::size_t contacts = 0;
  std::size_t later_contacts = 0;
  std::size_t led_contacts = 0;
  std::size_t contacts_max = 0;  ///< in one scene
  int overlapping = 0;  ///< scenes in which the mover starts inside a ghost or a one-way wall

  void add(const Comparison& compared) {
    ++scenes;
    unsure += compared.unsure ? 1 : 0;
    contacts += compared.contacts;
    later_contacts += compared.contacts > 0 ? compared.contacts - 1 : 0;
    led_contacts += compared.led_contacts;
    contacts_max = std::max(contacts_max, compared.contacts);
  }
};

bool starts_in_a_wall(const sim::PhysicsWorld& world) {
  const Body& mover = world.movers().front();
  return std::ranges::any_of(world.statics().bodies(), [&](const Body& wall) {
    return overlap(sim::box_of(wall.min, wall.size), sim::box_of(mover.min, mover.size));
  });
}

TEST(SingleMover, MovesAsTheExactSolutionDoes) {
  constexpr int kScenes = 100'000;
  sim::PhysicsStepper stepper;
  Tally tally;
  for (std::uint64_t seed = 1; seed <= kScenes; ++seed) {
    Rng rng{seed};
    const sim::PhysicsWorld before = draw_scene(rng);
    sim::PhysicsWorld world = before;
    const sim::StepReport& report = stepper.step(world);
    if (!report.left.empty()) continue;
    const Comparison compared = compare_with_exact(before, report, world.movers().front());
    ASSERT_EQ(compared.difference, "") << "seed " << seed;
    ASSERT_TRUE(report.frozen.empty()) << "seed " << seed;
    tally.add(compared);
    tally.overlapping += starts_in_a_wall(before) ? 1 : 0;
  }
  EXPECT_GT(tally.scenes, kScenes * 9 / 10);
  EXPECT_LT(tally.unsure, kScenes / 100);
  EXPECT_GT(tally.contacts, 100'000U);
  EXPECT_GT(tally.later_contacts, 30'000U);
  EXPECT_GT(tally.led_contacts, 10'000U);
  EXPECT_GT(tally.overlapping, kScenes / 50);
  EXPECT_GT(tally.contacts_max, 48U) << "nobody was tired";
}

}  // namespace
}  // namespace tickbox::test::single_mover_test
