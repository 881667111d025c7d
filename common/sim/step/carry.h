#pragma once
// Carries bodies that stand on a kinematic body, directly or in a stack.
//
// Riders are found in waves: the kinematic bodies, then the bodies that stand on them, then the
// bodies that stand on those. Each is given the displacement of the kinematic body at the bottom,
// as a velocity for this tick. It is swept like any other body, and loses that velocity if it still
// stands there at the end.
// So a rider's own velocity is relative to its platform. When a body lands on a platform, its
// velocity becomes relative to the platform. When it leaves, its velocity becomes relative to the
// world.

#include "sim/step/movers.h"

#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// Rule 3. Gives every rider its platform's velocity, and returns whether there is any.
[[nodiscard]] bool carry_riders(const Environment& environment, Movers& movers, StepReport& report);

/// Takes from all riders of `kinematic`, which waits from `now` on, the velocity that it gave them.
/// Adds them to `changed`.
void drop_riders(std::uint32_t kinematic, FineTime now, Movers& movers,
                 std::vector<std::uint32_t>& changed);

/// Rule 8 for riders: sets the carrier of every body that stands on a platform, and makes the
/// velocity of that body relative to the platform. Requires: positions are rounded.
void release_riders(const Environment& environment, Movers& movers, StepReport& report);

}  // namespace tickbox::sim
