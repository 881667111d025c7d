#pragma once
// Positions and moments on the time lattice: whole numbers that are exact at every fine step of a
// tick.

#include "core/fixed.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace tickbox::sim {

/// Fine steps in one tick. The number is odd, so that no exact half exists and rounding is the same
/// in a mirror.
inline constexpr std::int64_t kFineSteps = (std::int64_t{1} << 30) - 1;

/// A whole number of fine steps since the tick began, 0 to kFineSteps.
using FineTime = std::int64_t;

/// A length in fine units; a sub-unit has kFineSteps of them. A speed of v sub-units per tick is v
/// fine units per fine step, so that `position · kFineSteps + velocity · s` is exact.
using Fine = std::int64_t;

using Axis = std::size_t;
inline constexpr Axis kAxes = 2;
static_assert(std::int64_t{kWorldLimit} <= (kFineSteps + 1) && kSpeedLimit <= kWorldLimit / 4,
              "differences of fine positions, extrapolated by a tick, must stay below 2^63");

/// The speed of a body on one axis, limited to ±kSpeedLimit.
[[nodiscard]] constexpr std::int64_t clamped_speed(std::int64_t velocity) {
  return std::clamp(velocity, -std::int64_t{kSpeedLimit}, std::int64_t{kSpeedLimit});
}

[[nodiscard]] constexpr Axis other_axis(Axis axis) {
  return 1 - axis;
}

/// An exact moment inside a tick: whole + rest / divisor fine steps, 0 <= rest < divisor <= 2^29.
struct Moment {
  FineTime whole = 0;
  std::int64_t rest = 0;
  std::int64_t divisor = 1;

  friend constexpr std::strong_ordering operator<=>(const Moment& a, const Moment& b) {
    if (a.whole != b.whole) return a.whole <=> b.whole;
    return a.rest * b.divisor <=> b.rest * a.divisor;
  }

  friend constexpr bool operator==(const Moment& a, const Moment& b) { return (a <=> b) == 0; }
};

/// A box in straight motion. `base` is where its minimum corner would have been at fine time 0 with
/// its present velocity.
struct Motion {
  std::array<Fine, kAxes> base{};
  std::array<Fine, kAxes> size{};
  std::array<std::int64_t, kAxes> velocity{};  ///< fine units per fine step

  [[nodiscard]] constexpr Fine low(Axis axis, FineTime s) const {
    return base[axis] + velocity[axis] * s;
  }

  [[nodiscard]] constexpr Fine high(Axis axis, FineTime s) const {
    return low(axis, s) + size[axis];
  }

  /// Changes the velocity from `s` on. The position at `s` does not change.
  constexpr void turn(Axis axis, std::int64_t new_velocity, FineTime s) {
    base[axis] += (velocity[axis] - new_velocity) * s;
    velocity[axis] = new_velocity;
  }
};

[[nodiscard]] constexpr bool is_at_rest(const Motion& motion) {
  return (motion.velocity[0] | motion.velocity[1]) == 0;
}

/// The velocity in sub-units per tick.
[[nodiscard]] constexpr Vec2 velocity_of(const Motion& motion) {
  return {static_cast<std::int32_t>(motion.velocity[0]),
          static_cast<std::int32_t>(motion.velocity[1])};
}

[[nodiscard]] constexpr Motion motion_of(Vec2 min, Vec2 size, Vec2 velocity) {
  Motion motion;
  for (Axis axis = 0; axis < kAxes; ++axis) {
    motion.base[axis] = min[axis] * kFineSteps;
    motion.size[axis] = size[axis] * kFineSteps;
    motion.velocity[axis] = velocity[axis];
  }
  return motion;
}

/// Whether the open interiors meet on one axis at `s`.
[[nodiscard]] constexpr bool overlap_on(const Motion& a, const Motion& b, Axis axis, FineTime s) {
  return a.low(axis, s) < b.high(axis, s) && b.low(axis, s) < a.high(axis, s);
}

/// Whether the open interiors meet at `s`: touching is not overlapping.
[[nodiscard]] constexpr bool overlap(const Motion& a, const Motion& b, FineTime s) {
  return overlap_on(a, b, 0, s) && overlap_on(a, b, 1, s);
}

/// The last whole sub-unit not above `fine`.
[[nodiscard]] constexpr std::int64_t floor_to_sub_unit(Fine fine) {
  return fine / kFineSteps - (fine % kFineSteps < 0 ? 1 : 0);
}

/// The nearest whole sub-unit. There is no tie to break: kFineSteps is odd.
[[nodiscard]] constexpr std::int64_t round_to_sub_unit(Fine fine) {
  return floor_to_sub_unit(fine + (kFineSteps - 1) / 2);
}

}  // namespace tickbox::sim
