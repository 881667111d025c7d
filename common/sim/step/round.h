#pragma once
// Takes all movers to the end of the tick, back on whole sub-units.

#include "sim/step/movers.h"

namespace tickbox::sim {

/// Rule 8 without riders: rounds positions, takes over velocities, and marks the movers that left
/// the world. Every dynamic body loses its carrier. Fills `events_max`, `frozen` and `left` of the
/// report.
void round_positions(const Environment& environment, Movers& movers, StepReport& report);

}  // namespace tickbox::sim
