#pragma once
// A recorded tick as JSON: the world after it, and what entered it. Lengths in units, exact;
// velocities in units per tick.

#include "game/world.h"
#include "record/recorded.h"

#include <string>

namespace tickbox::commands {

/// `"bodies":[…]`: id, kind, min, velocity, move and timer of each, by id.
void append_bodies(std::string& out, const game::World& world);

/// `"leaves":[…],"joins":[…],"inputs":[…],"strikes":[…]`.
void append_commands(std::string& out, const record::RecordedTick& tick);

}  // namespace tickbox::commands
