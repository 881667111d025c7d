#pragma once
// One event of a tick: two bodies that meet, the velocities that both get, and what follows from
// them.

#include "sim/step/impacts.h"

#include <vector>

namespace tickbox::sim {

/// Adds a contact to those of the report. `low` is the body on the side of smaller coordinates.
void add_contact(const Impact& impact, BodyId low, BodyId high, std::vector<Contact>& contacts);

/// Applies rules 5 to 7 of RULES.md: changes the velocities of the bodies that `event` concerns,
/// and adds to `impacts.changed` the movers whose impacts have to be searched again.
void handle_event(const Event& event, const Environment& environment, Movers& movers,
                  Impacts& impacts, StepReport& report);

/// The same for a dynamic body that meets a static or the border: only its own impacts change.
void handle_wall_event(const Event& event, const Environment& environment, Movers& movers,
                       StepReport& report);

}  // namespace tickbox::sim
