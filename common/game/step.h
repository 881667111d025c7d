#pragma once
// One tick of a match: the same function on the server, in every client's prediction, and in every
// replay.

#include "game/rules.h"
#include "game/world.h"
#include "sim/step.h"

#include <span>
#include <vector>

namespace tickbox::game {

/// The commands that enter a tick from outside. Each list is sorted by player id and has each
/// player at most once, unless noted.
struct TickCommands {
  std::span<const PlayerId> leaves;
  std::span<const PlayerId> joins;
  std::span<const PlayerInput> inputs;
  std::span<const Strike> strikes = {};      ///< on the server and in its replays; in any order
  std::span<const Teleport> teleports = {};  ///< at a client: server decisions, in any order
};

/// Scratch memory and the report of the last tick. Serves any number of worlds, one after the
/// other.
struct Stepper {
  sim::Stepper physics;
  TickEvents events;
  std::vector<bool> has_fired;  ///< by seat: a ray in this tick
  std::vector<bool> is_hit;     ///< by seat: a ray has hit its player in this tick
};

/// Moves `world` from tick t to t + 1: leaves, joins, inputs, strikes, physics, consequences,
/// teleports.
/// Returns the physics' report; the rules' events are in stepper.events. Both are valid until the
/// stepper's next step.
const sim::StepReport& step(World& world, const Rules& rules, const TickCommands& commands,
                            Authority authority, Stepper& stepper);

// Validates untrusted commands against the preconditions of step().

/// Returns whether every seat exists, rays hit players of such seats, and a free place exists for
/// every player that appears. Only present players may leave; only absent or leaving players may
/// join.
[[nodiscard]] bool is_valid(const World& world, const TickCommands& commands);

}  // namespace tickbox::game
