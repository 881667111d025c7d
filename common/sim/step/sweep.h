#pragma once
// Moves all bodies through the tick, from impact to impact, in the exact order of time.

#include "sim/step/contact.h"

namespace tickbox::sim {

/// Rule 4. Finds the first impacts, and handles one event after the other until none is left.
/// After an event, only the impacts of the bodies that it changed are searched again. Where there
/// are ghosts, the hulls of `candidates` grow to cover the whole course of each mover. Requires:
/// contacts at the tick's start are resolved.
void sweep(const Environment& environment, Movers& movers, Candidates& candidates, Impacts& impacts,
           StepReport& report);

}  // namespace tickbox::sim
