// The search for too many bodies in one place.

#include "sim/crowding.h"

#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace tickbox::test {
namespace {

using sim::Crowding;

constexpr sim::CrowdingLimits kNoPairLimit{.pairs = SIZE_MAX, .overlaps_per_body = 2};

/// `count` boxes of one unit at the same place, with ids from 1.
std::vector<sim::Body> heap_of(std::uint32_t count) {
  std::vector<sim::Body> bodies;
  for (std::uint32_t i = 1; i <= count; ++i) {
    bodies.push_back(box(i, at(0, 0), at(1, 1)));
  }
  return bodies;
}

std::optional<sim::CrowdedBody> crowded_in(const std::vector<sim::Body>& bodies,
                                           const sim::CrowdingLimits& limits = kNoPairLimit,
                                           const sim::MayOverlap& may_overlap = {}) {
  return sim::find_crowded_body(Scene::make_world({}, bodies), limits, may_overlap);
}

TEST(Crowding, CountsTheBodiesThatOneBodyOverlaps) {
  EXPECT_FALSE(crowded_in(heap_of(3)));
  const auto crowded = crowded_in(heap_of(4));
  ASSERT_TRUE(crowded);
  EXPECT_EQ(crowded->id, BodyId{1});
  EXPECT_EQ(crowded->limit, Crowding::Overlaps);
}

TEST(Crowding, BodiesThatTouchDoNotOverlap) {
  EXPECT_FALSE(crowded_in({box(1, at(0, 0), at(1, 1)), box(2, at(1, 0), at(1, 1))},
                          {.pairs = 9, .overlaps_per_body = 0}));
}

// Large bodies are found in several cells of the grid of statics.
TEST(Crowding, CountsEachStaticOnce) {
  std::vector<sim::Body> bodies{box(1, at(0, 0), at(500, 500)), wall(2, at(10, 10), at(300, 1)),
                                wall(3, at(10, 20), at(300, 1))};
  EXPECT_FALSE(crowded_in(bodies));
  bodies.push_back(wall(4, at(10, 30), at(300, 1)));
  EXPECT_TRUE(crowded_in(bodies));
}

TEST(Crowding, CountsNoBodiesThatMayOverlap) {
  std::vector<sim::Body> sensors = heap_of(9);
  for (std::size_t i = 1; i < sensors.size(); ++i) {
    sensors[i].sensor = true;
  }
  EXPECT_FALSE(crowded_in(sensors));
  std::vector<sim::Body> of_other_layers = heap_of(9);
  for (sim::Body& body : of_other_layers) {
    body.collides_with = 2;
  }
  EXPECT_FALSE(crowded_in(of_other_layers));
  const auto any = [](const sim::Body&, const sim::Body&) { return true; };
  EXPECT_FALSE(crowded_in(heap_of(9), kNoPairLimit, any));
}

// A platform under a crowd of riders that are half inside it: each rider overlaps one body.
TEST(Crowding, CountsTheOverlapsOfDynamicBodiesOnly) {
  std::vector<sim::Body> bodies{platform(1, at(0, 1), at(50, 1))};
  for (std::uint32_t i = 0; i < 20; ++i) {
    bodies.push_back(box(2 + i, at(2 * i, 0.5), at(1, 1)));
  }
  EXPECT_FALSE(crowded_in(bodies));
}

// Pairs without a common layer count too, and pairs whose paths only touch: a step spends time on
// both.
TEST(Crowding, CountsThePairsWhosePathsTouch) {
  std::vector<sim::Body> bodies;
  for (std::uint32_t i = 1; i <= 5; ++i) {
    sim::Body body = moving(box(i, at(0, 2 * i), at(1, 1)), at(0, 20));
    body.collides_with = 2;
    bodies.push_back(body);
  }
  EXPECT_FALSE(crowded_in(bodies, {.pairs = 10}));
  const auto crowded = crowded_in(bodies, {.pairs = 9});
  ASSERT_TRUE(crowded);
  EXPECT_EQ(crowded->limit, Crowding::Pairs);
  for (sim::Body& body : bodies) {
    body.velocity = {};
  }
  EXPECT_FALSE(crowded_in(bodies, {.pairs = 0}));
}

}  // namespace
}  // namespace tickbox::test
