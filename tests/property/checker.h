#pragma once
// Judges one tick by what was before and after it, every body against every other. It knows of the
// meaning of the fields and of no step: neither the lattice nor the order of events.

#include "sim/step.h"
#include "sim/world.h"

#include <string>

namespace tickbox::test {

/// What is wrong with the tick that led from `before` to `after`; empty where nothing is.
///
/// I1: who must stay apart and was, is. I2: who went straight met nobody on the way (exact, in
/// rationals); nobody sinks into the solid side of a one-way body. I5: who was stopped by a static
/// touches it. I7: events stay within the budget. Ghosts: what begins to overlap and what ends is
/// reported, no more and no less. Kinematic bodies are where their paths say, if they did not wait.
[[nodiscard]] std::string what_is_wrong(const sim::World& before, const sim::World& after,
                                        const sim::StepReport& report);

}  // namespace tickbox::test
