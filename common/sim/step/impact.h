#pragma once
// Time of impact: the swept box against the Minkowski difference, exact on the time lattice.
//
// Seen from box a, box b is a point that moves by their relative velocity, and a is a rectangle
// inflated by b's size. On each axis the point is inside the rectangle's open interval between an
// entry and an exit time, both fractions of whole numbers. The boxes overlap where both axes are
// inside at once, so they hit when the later entry comes before the earlier exit. As fractions are
// compared by cross products, "before" is decided exactly: a box as thin as one sub-unit is not
// missed at any speed, and a graze along an edge is not a hit.

#include "sim/step/motion.h"

#include <optional>

namespace tickbox::sim {

/// A first touch. Both boxes are still apart at `at.whole`, the last fine step before it.
struct Impact {
  Moment at;
  Fine length = 0;  ///< of the common edge; 0 for an exact corner
  Axis axis = 0;    ///< the contact's normal lies along it
};

/// When, and on which axis, two moving boxes first touch within this tick.
///
/// Fine times in [now, kFineSteps); nothing for boxes that slide along each other, part, or overlap
/// already at `now`. A corner hit goes to the axis of larger relative speed, then to y, so that it
/// is the same on every machine. Cost: no division for most misses, one for most hits, at most
/// three. Source: the ray against the Minkowski difference (Hamaluik 2014), on a time lattice.
[[nodiscard]] std::optional<Impact> time_of_impact(const Motion& a, const Motion& b, FineTime now);

/// When a box that moves towards one of the world's four sides reaches it; at once where it is at
/// it or past it.
///
/// Fine times in [now, kFineSteps); nothing for a box that does not move along `axis` or stays
/// inside.
[[nodiscard]] std::optional<Impact> time_to_border(const Motion& motion, Axis axis, FineTime now);

}  // namespace tickbox::sim
