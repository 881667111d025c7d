#pragma once
// A bomber: players lay bombs in a field of pillars and bricks; the last who is left wins the
// round.

#include "tickbox/game_table.h"

namespace tickbox::games {

[[nodiscard]] const GameTable& bomber();

}  // namespace tickbox::games
