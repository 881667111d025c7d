#pragma once
// One tick of a match. The same function on the server, in every client's prediction, and in every
// replay.

#include "game/rules.h"
#include "game/world.h"
#include "sim/step.h"

#include <span>

namespace tickbox::game {

/// What enters a tick from outside, each list sorted by player id, each player at most once.
struct TickCommands {
  std::span<const PlayerId> leaves;
  std::span<const PlayerId> joins;
  std::span<const PlayerInput> inputs;
  std::span<const Strike> strikes = {};        ///< of the server and its replays, in any order
  std::span<const Placement> placements = {};  ///< of a replica: what the server decided, in any
                                               ///< order
};

/// Scratch memory and the report of the last tick; serves any number of worlds, one after the
/// other.
struct Stepper {
  sim::Stepper physics;
  TickEvents events;
};

/// Moves `world` from tick t to t + 1: leaves, joins, inputs, strikes, physics, consequences,
/// placements.
/// Returns the physics' report; the rules' events are in stepper.events. Both last until the
/// stepper's next step.
const sim::StepReport& step(World& world, const Rules& rules, const TickCommands& commands,
                            Authority authority, Stepper& stepper);

// Whether a world can take what is said to have entered its tick: what the rules assert of who
// steps them, asked of what came from elsewhere.

/// Whether every seat exists, rays strike players of such, only who is there leaves, only who is
/// not joins, and whoever appears finds a free place.
[[nodiscard]] bool possible(const World& world, const TickCommands& commands);

}  // namespace tickbox::game
