#pragma once
// A second step, written straight from common/sim/RULES.md with every pair tried against every
// other: slow, plain, and the judge of the fast one. It shares no code with common/sim but the
// types of World and of the report, and Path::place_at.
//
// Read it beside the rules: naive_step.cpp is the tick as a whole (rules 1, 4 and 8),
// naive_parting.cpp is rule 2, naive_riders.cpp rules 3 and 8, naive_events.cpp rules 5 to 7,
// naive_ghosts.cpp rule 10.

#include "sim/step.h"
#include "sim/world.h"

namespace tickbox::test {

/// Moves `world` by one tick and says what happened, as sim::Stepper does.
sim::StepReport naive_step(sim::World& world);

}  // namespace tickbox::test
