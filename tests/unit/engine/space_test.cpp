#include "engine/space.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Space, FindsWhatAWalkOverAllFindsEachOnce) {
  Rng dice{7};
  Space space;
  std::vector<std::optional<sim::Box>> boxes(60);
  space.clear(boxes.size());
  for (int step = 0; step < 4'000; ++step) {
    const auto key = static_cast<Space::Key>(dice.below(boxes.size()));
    space.remove(key);
    boxes[key].reset();
    if (dice.chance(3, 4)) {
      boxes[key] = random_box(dice);
      space.add(key, *boxes[key]);
    }
    const sim::Box query = random_box(dice);
    std::vector<Space::Key> found;
    space.visit(query, [&found](Space::Key at) { found.push_back(at); });
    std::ranges::sort(found);
    std::vector<Space::Key> expected;
    for (Space::Key at = 0; at < boxes.size(); ++at) {
      if (boxes[at] && sim::overlap(*boxes[at], query)) expected.push_back(at);
    }
    ASSERT_EQ(found, expected) << "step " << step;
  }
}

TEST(Space, TouchingIsNotOverlapping) {
  Space space;
  space.clear(1);
  space.add(0, sim::box_of({0, 0}, {4 * kUnit, 4 * kUnit}));
  int found = 0;
  space.visit(sim::box_of({4 * kUnit, 0}, {kUnit, kUnit}), [&found](Space::Key) { ++found; });
  EXPECT_EQ(found, 0);
  space.visit(sim::box_of({4 * kUnit - 1, 0}, {kUnit, kUnit}), [&found](Space::Key) { ++found; });
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace tickbox::engine
