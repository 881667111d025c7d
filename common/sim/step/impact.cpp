#include "sim/step/impact.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tickbox::sim {
namespace {

/// The motion of b as a point in the frame of a, on one axis. (low, high) is the open interval of
/// the Minkowski difference.
struct Approach {
  Fine start = 0;  ///< at fine time 0
  std::int64_t velocity = 0;
  Fine low = 0;
  Fine high = 0;
  bool outside = false;  ///< at `now`
  Fine distance = 0;     ///< from `start` to the interval, where outside

  [[nodiscard]] std::int64_t speed() const { return std::abs(velocity); }

  [[nodiscard]] Moment entry() const { return {distance / speed(), distance % speed(), speed()}; }
};

/// Whether the point is inside the interval or enters it before the tick ends. Fills `outside` and
/// `distance`.
bool can_enter(Approach& approach, FineTime now) {
  const Fine from = approach.start + approach.velocity * now;
  const Fine to = approach.start + approach.velocity * kFineSteps;
  if (from >= approach.high) {
    approach.outside = true;
    approach.distance = approach.start - approach.high;
    return to < approach.high;
  }
  if (from <= approach.low) {
    approach.outside = true;
    approach.distance = approach.low - approach.start;
    return to > approach.low;
  }
  return true;
}

/// Whether the point has left the interval again by `moment`.
bool left_by(const Approach& approach, const Moment& moment) {
  const Fine to = approach.start + approach.velocity * kFineSteps;
  if (to > approach.low && to < approach.high) return false;
  const Fine way =
      approach.velocity > 0 ? approach.high - approach.start : approach.start - approach.low;
  return Moment{way / approach.speed(), way % approach.speed(), approach.speed()} <= moment;
}

/// The axis that is entered last, which is the contact's. Of two at the same moment it is the axis
/// of larger speed, then y.
Axis last_entered(const std::array<Approach, kAxes>& approaches) {
  if (!approaches[1].outside) return 0;
  if (!approaches[0].outside) return 1;
  const auto order = approaches[0].entry() <=> approaches[1].entry();
  if (order != 0) return order > 0 ? 0 : 1;
  return approaches[0].speed() > approaches[1].speed() ? 0 : 1;
}

}  // namespace

std::optional<Impact> time_of_impact(const Motion& a, const Motion& b, FineTime now) {
  std::array<Approach, kAxes> approaches;
  for (Axis axis = 0; axis < kAxes; ++axis) {
    Approach& approach = approaches[axis];
    approach.start = b.base[axis] - a.base[axis];
    approach.velocity = b.velocity[axis] - a.velocity[axis];
    approach.low = -b.size[axis];
    approach.high = a.size[axis];
    if (!can_enter(approach, now)) return std::nullopt;
  }
  if (!approaches[0].outside && !approaches[1].outside) return std::nullopt;

  const Axis axis = last_entered(approaches);
  const Moment entry = approaches[axis].entry();
  const Approach& across = approaches[other_axis(axis)];
  if (left_by(across, entry)) return std::nullopt;

  const Fine offset = across.start + across.velocity * entry.whole;
  const Fine length = std::min(across.high, offset - across.low) - std::max(Fine{0}, offset);
  return Impact{entry, std::max(Fine{0}, length), axis};
}

std::optional<Impact> time_to_border(const Motion& motion, Axis axis, FineTime now) {
  constexpr Fine kLimit = Fine{kWorldLimit} * kFineSteps;
  const std::int64_t velocity = motion.velocity[axis];
  if (velocity == 0) return std::nullopt;

  const std::int64_t speed = std::abs(velocity);
  const Fine distance =
      velocity < 0 ? motion.base[axis] + kLimit : kLimit - motion.base[axis] - motion.size[axis];
  const Fine length = motion.size[other_axis(axis)];
  if (distance <= speed * now) return Impact{{now, 0, speed}, length, axis};
  if (distance >= speed * kFineSteps) return std::nullopt;
  return Impact{{distance / speed, distance % speed, speed}, length, axis};
}

}  // namespace tickbox::sim
