#pragma once
// A small game that uses nearly every part of the game interface: lifts with riders, coins that are
// fixed sensors, bricks that are fixed and break, and bombs that begin inside the walker that lays
// them. Its players have up to three entities, or none. It has secret, room and seat state,
// outcomes, rays, and each query of Step but first_in().

#include "tickbox/game_table.h"

namespace tickbox::tests {

[[nodiscard]] const GameTable& menagerie();

}  // namespace tickbox::tests
