#pragma once
// A second step, written from common/sim/RULES.md. It tries every pair against every other: slow
// and plain, to judge the fast step. It shares no code with common/sim except the types of
// PhysicsWorld and of the report, and Path::place_at.
//
// Read it beside the rules: step.cpp is the tick as a whole (rules 1, 4 and 8), depenetrate.cpp is
// rule 2, riders.cpp rules 3 and 8, events.cpp rules 5 to 7, ghosts.cpp rule 10.

#include "sim/step.h"
#include "sim/world.h"

namespace tickbox::test {

/// Whether a tie was broken by a preference of the rules alone.
struct Ties {
  bool of_ways = false;  ///< rule 2: two ways out of equal length
  bool of_axes = false;  ///< rule 4: an exact corner at equal speeds
  bool of_moments =
      false;  ///< rule 4: a body met two others at once, and the longer contact went first
};

/// Moves `world` by one tick and returns the report, as sim::PhysicsStepper does.
sim::StepReport naive_step(sim::PhysicsWorld& world);

/// Returns the ties that decide the next tick of `world`.
[[nodiscard]] Ties ties_in_tick(sim::PhysicsWorld world);

}  // namespace tickbox::test
