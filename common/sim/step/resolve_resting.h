#pragma once
// Resolves the contacts at the exact start of a tick, before anything has moved.
//
// At fine time 0 boxes are on whole sub-units, so to touch is to be equal, and no body can reach
// another. All contacts of that moment are among the pairs that touch already, and need no division
// and no search. A mover that touches no other mover needs no queue either: only its own contacts
// matter to it. The others go in the order of the queue: longer contact first, then lower ids.

#include "sim/step/contact.h"

namespace tickbox::sim {

/// Finds the walls on the path of every mover, and reports those that it overlaps. A mover that
/// touches no other mover has its contacts with walls at the tick's start resolved at once, and its
/// first impact on a wall found. The others are listed in `impacts`.
void meet_walls(const Environment& environment, Movers& movers, Candidates& candidates,
                Impacts& impacts, StepReport& report);

/// Resolves the contacts at the tick's start of movers that touch movers. Requires: meet_walls().
void resolve_resting(const Environment& environment, Movers& movers, Candidates& candidates,
                     Impacts& impacts, StepReport& report);

}  // namespace tickbox::sim
