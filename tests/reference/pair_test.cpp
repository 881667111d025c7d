// The time of impact of two movers against the exact solution: whether they meet, when, and on
// which axis.

#include "core/rng.h"
#include "sim/step/impact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace tickbox::test {
namespace {

using sim::Axis;
using Rational = boost::multiprecision::cpp_rational;

struct ExactImpact {
  Rational time;  ///< in ticks
  Axis axis = 0;
  bool is_corner = false;  ///< entered on both axes at once
};

/// The interval of time in which b is within a's open interval on one axis.
struct Stay {
  Rational from = -1;  ///< before the tick: always inside
  Rational to = 2;     ///< after it
};

/// Two boxes in straight motion from whole sub-units at the tick's start.
struct Pair {
  std::array<Vec2, 2> min;
  std::array<Vec2, 2> size;
  std::array<Vec2, 2> velocity;

  [[nodiscard]] std::optional<Stay> stay_on(Axis axis) const {
    const std::int64_t start = std::int64_t{min[1][axis]} - min[0][axis];
    const std::int64_t speed = std::int64_t{velocity[1][axis]} - velocity[0][axis];
    const std::int64_t low = -size[1][axis];
    const std::int64_t high = size[0][axis];
    if (speed == 0) return low < start && start < high ? std::optional{Stay{}} : std::nullopt;
    const Rational at_low = Rational{low - start} / speed;
    const Rational at_high = Rational{high - start} / speed;
    return Stay{std::min(at_low, at_high), std::max(at_low, at_high)};
  }

  [[nodiscard]] bool is_faster_along_x() const {
    const auto speed = [&](Axis axis) {
      return std::abs(std::int64_t{velocity[1][axis]} - velocity[0][axis]);
    };
    return speed(0) > speed(1);
  }

  /// The first touch from `now` on, if they are apart at `now`.
  [[nodiscard]] std::optional<ExactImpact> impact_from(const Rational& now) const {
    const auto x = stay_on(0);
    const auto y = stay_on(1);
    if (!x || !y) return std::nullopt;
    const Rational from = std::max(x->from, y->from);
    const Rational to = std::min(x->to, y->to);
    if (from >= to || from < now || from >= 1) return std::nullopt;
    if (x->from == y->from) return ExactImpact{from, is_faster_along_x() ? Axis{0} : Axis{1}, true};
    return ExactImpact{from, x->from > y->from ? Axis{0} : Axis{1}};
  }
};

std::int32_t between(Rng& rng, std::int64_t low, std::int64_t high) {
  return static_cast<std::int32_t>(
      low + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(high - low + 1))));
}

Pair draw_pair(Rng& rng) {
  struct Scale {
    std::int64_t extent;
    std::int64_t size_max;
    std::int64_t speed_max;
  };

  constexpr std::int64_t kOne = kUnit;
  constexpr std::array<Scale, 4> kScales = {{{10, 6, 20},
                                             {3 * kOne, 2 * kOne, 4 * kOne},
                                             {2'000 * kOne, 1'000 * kOne, kSpeedLimit},
                                             {kWorldLimit, kWorldLimit, kSpeedLimit}}};
  const Scale& scale = kScales[rng.below(kScales.size())];
  Pair pair;
  for (std::size_t body = 0; body < 2; ++body) {
    for (Axis axis = 0; axis < 2; ++axis) {
      pair.min[body][axis] = between(rng, -scale.extent, scale.extent);
      pair.size[body][axis] = rng.chance(1, 6) ? 1 : between(rng, 1, scale.size_max);
      pair.velocity[body][axis] = between(rng, -scale.speed_max, scale.speed_max);
    }
  }
  if (rng.chance(1, 4)) pair.velocity[1][rng.below(2)] = 0;
  if (rng.chance(1, 8)) pair.velocity[1].x = pair.velocity[0].x;
  // One heads straight for the other's corner, so that exact corners occur.
  if (rng.chance(1, 8)) {
    const std::int32_t gap = between(rng, 0, 4);
    pair.min[1] = {pair.min[0].x - pair.size[1].x - gap, pair.min[0].y - pair.size[1].y - gap};
    pair.velocity[1] = {pair.velocity[0].x / 2 + 9, pair.velocity[0].y / 2 + 9};
    pair.velocity[0] = {pair.velocity[0].x / 2, pair.velocity[0].y / 2};
  }
  return pair;
}

sim::Motion motion_in(const Pair& pair, std::size_t body) {
  return sim::motion_of(pair.min[body], pair.size[body], pair.velocity[body]);
}

TEST(TimeOfImpact, IsTheExactOneForTwoMovers) {
  constexpr int kPairs = 200'000;
  int hits = 0;
  int misses = 0;
  int corners = 0;
  for (std::uint64_t seed = 1; seed <= kPairs; ++seed) {
    Rng rng{seed};
    const Pair pair = draw_pair(rng);
    const sim::FineTime now =
        rng.chance(1, 2) ? 0 : static_cast<sim::FineTime>(rng.below(sim::kFineSteps));
    const auto found = time_of_impact(motion_in(pair, 0), motion_in(pair, 1), now);
    const auto swapped = time_of_impact(motion_in(pair, 1), motion_in(pair, 0), now);
    const auto expected = pair.impact_from(Rational{now} / sim::kFineSteps);
    ASSERT_EQ(found.has_value(), expected.has_value()) << "seed " << seed;
    ASSERT_EQ(found.has_value(), swapped.has_value()) << "seed " << seed;
    if (!expected) {
      ++misses;
      continue;
    }
    const Rational fine = found->at.whole + Rational{found->at.rest} / found->at.divisor;
    ASSERT_EQ(fine, expected->time * sim::kFineSteps) << "seed " << seed;
    ASSERT_EQ(found->axis, expected->axis) << "seed " << seed;
    ASSERT_TRUE(found->at == swapped->at && found->axis == swapped->axis) << "seed " << seed;
    ASSERT_EQ(found->length, swapped->length) << "seed " << seed;
    ++hits;
    corners += expected->is_corner ? 1 : 0;
  }
  EXPECT_GT(hits, kPairs / 20);
  EXPECT_GT(misses, kPairs / 20);
  EXPECT_GT(corners, 1'000);
}

}  // namespace
}  // namespace tickbox::test
