#pragma once
// A bomber. Players lay bombs in a field of pillars and bricks. The last player who is left wins
// the round.

#include "tickbox/game_table.h"

namespace tickbox::games {

[[nodiscard]] const GameTable& bomber();

}  // namespace tickbox::games
