#pragma once
// Judges one tick by the worlds before and after it, every body against every other. It knows the
// meaning of the fields, but neither the lattice nor the order of events.

#include "sim/step.h"
#include "sim/world.h"

#include <string>

namespace tickbox::test {

/// Returns the errors of the tick that led from `before` to `after`; empty if there are none.
///
/// I1: bodies that must stay apart, and did, still do. I2: bodies that moved straight met no body
/// on the way (exact, in rationals), and no body sinks into the solid side of a one-way body. I5: a
/// body that a static stopped touches it. I7: events stay within the budget. Ghosts: every begin
/// and end of an overlap is reported once. Kinematic bodies are where their paths say, if they did
/// not wait.
[[nodiscard]] std::string what_is_wrong(const sim::PhysicsWorld& before,
                                        const sim::PhysicsWorld& after,
                                        const sim::StepReport& report);

}  // namespace tickbox::test
