#pragma once
// The velocities with which a tick begins.

#include "sim/step/movers.h"

namespace tickbox::sim {

/// Rule 1. Adds gravity to the velocities of dynamic bodies, and gives kinematic bodies on a path
/// the velocity that takes them to their next place. Lists the kinematic bodies, the layers of
/// all movers but ghosts, and whether there is a ghost.
/// Requires: every mover within ±kWorldLimit.
void integrate(const Environment& environment, Movers& movers);

}  // namespace tickbox::sim
