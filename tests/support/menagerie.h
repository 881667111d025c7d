#pragma once
// A small game that uses nearly every part of the game interface: lifts with riders, coins that are
// fixed sensors, bricks that are fixed and break, bombs that begin under their layer, players with
// three entities or with none, secret, room and seat state, outcomes, rays, and each query of Step.

#include "tickbox/game_table.h"

namespace tickbox::tests {

[[nodiscard]] const GameTable& menagerie();

}  // namespace tickbox::tests
