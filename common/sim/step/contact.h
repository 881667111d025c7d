#pragma once
// One event of a tick: two bodies that meet, the velocities that both get, and what follows from
// them.

#include "sim/step/impacts.h"

#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// Adds the contact of two movers to those of the report. `low` is the one on the side of smaller
/// coordinates. Requires: the contact has not changed their velocities yet.
void add_mover_contact(const Impact& impact, std::uint32_t low, std::uint32_t high,
                       const Movers& movers, std::vector<Contact>& contacts);

/// The same for a mover and a wall or the border, towards which it moves. Returns which side of the
/// contact the mover is.
End add_wall_contact(const Impact& impact, std::uint32_t mover, BodyId wall, const Movers& movers,
                     std::vector<Contact>& contacts);

/// Applies rules 5 to 7 of RULES.md: changes the velocities of the bodies that `event` concerns,
/// and adds to `impacts.changed` the movers whose impacts have to be searched again.
void handle_event(const ImpactEvent& event, const Environment& environment, Movers& movers,
                  Impacts& impacts, StepReport& report);

/// The same for a dynamic body that meets an immovable one or the border: only its own impacts
/// change.
void handle_wall_event(const ImpactEvent& event, const Environment& environment, Movers& movers,
                       StepReport& report);

}  // namespace tickbox::sim
