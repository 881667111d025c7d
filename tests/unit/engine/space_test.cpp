#include "engine/tick/space.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::engine {
namespace {

sim::Box random_box(Rng& dice) {
  const auto place = [&dice] {
    return static_cast<std::int32_t>(dice.below(80 * std::uint64_t{kUnit})) - 40 * kUnit;
  };
  const auto size = [&dice] {
    const std::uint64_t most = dice.chance(1, 20) ? 60 * std::uint64_t{kUnit} : 2 * kUnit;
    return static_cast<std::int32_t>(1 + dice.below(most));
  };
  const Vec2 min{place(), place()};
  const Vec2 extent{size(), size()};
  return sim::box_of(min, extent);
}

constexpr std::uint8_t kKinds = 3;

bool wants_all(std::uint8_t /*number*/, const Space::Kind& /*kind*/) {
  return true;
}

TEST(Space, FindsWhatAWalkOverAllFindsEachOnce) {
  Rng dice{7};
  Space space;
  std::vector<std::optional<sim::Box>> boxes(60);
  space.clear(boxes.size(), kKinds);
  for (int step = 0; step < 4'000; ++step) {
    const auto key = static_cast<Space::Key>(dice.below(boxes.size()));
    space.remove(key);
    boxes[key].reset();
    if (dice.chance(3, 4)) {
      boxes[key] = random_box(dice);
      space.add(key, *boxes[key], static_cast<std::uint8_t>(key % kKinds));
    }
    const sim::Box query = random_box(dice);
    const auto wanted = static_cast<unsigned>(dice.below(1U << kKinds));
    const auto wants = [wanted](std::uint8_t number, const Space::Kind&) {
      return (wanted >> number & 1U) != 0;
    };
    std::vector<Space::Key> found;
    space.visit(query, wants, [&found](Space::Key at) { found.push_back(at); });
    std::ranges::sort(found);
    std::vector<Space::Key> expected;
    for (Space::Key at = 0; at < boxes.size(); ++at) {
      const bool is_wanted = (wanted >> at % kKinds & 1U) != 0;
      if (is_wanted && boxes[at] && sim::overlap(*boxes[at], query)) expected.push_back(at);
    }
    ASSERT_EQ(found, expected) << "step " << step;
  }
}

TEST(Space, TouchingIsNotOverlapping) {
  Space space;
  space.clear(1, 1);
  space.add(0, sim::box_of({0, 0}, {4 * kUnit, 4 * kUnit}), 0);
  int found = 0;
  space.visit(sim::box_of({4 * kUnit, 0}, {kUnit, kUnit}), wants_all,
              [&found](Space::Key) { ++found; });
  EXPECT_EQ(found, 0);
  space.visit(sim::box_of({4 * kUnit - 1, 0}, {kUnit, kUnit}), wants_all,
              [&found](Space::Key) { ++found; });
  EXPECT_EQ(found, 1);
}

TEST(Space, AKindHasTheLayersOfAllThatWereNoted) {
  Space space;
  space.clear(1, 2);
  space.add_layers(1, 2, 4);
  space.add(0, sim::box_of({0, 0}, {kUnit, kUnit}), 1);
  const auto counted = [&space](std::uint16_t layers, std::uint16_t collides_with) {
    int found = 0;
    space.visit(
        sim::box_of({0, 0}, {kUnit, kUnit}),
        [&](std::uint8_t, const Space::Kind& kind) { return kind.may_meet(layers, collides_with); },
        [&found](Space::Key) { ++found; });
    return found;
  };
  EXPECT_EQ(counted(4, 2), 1);
  EXPECT_EQ(counted(4, 1), 0);
  EXPECT_EQ(counted(8, 2), 0);
  space.add_layers(1, 1, 8);
  EXPECT_EQ(counted(8, 1), 1);
}

}  // namespace
}  // namespace tickbox::engine
