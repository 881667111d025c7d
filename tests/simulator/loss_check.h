#pragma once
// Links lose as much as they were told to: what a run is said to have stood, it has.

#include "tests/simulator/findings.h"
#include "tests/simulator/plan.h"
#include "tests/support/simulated_network.h"

namespace tickbox::simulator {

void check_loss(const tests::SimulatedNetwork& network, const Plan& plan, Findings& findings);

}  // namespace tickbox::simulator
