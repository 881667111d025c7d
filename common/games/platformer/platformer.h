#pragma once
// A platformer: players run and jump through two courses with lifts, crates, enemies and coins.

#include "tickbox/game_table.h"

namespace tickbox::games {

[[nodiscard]] const GameTable& platformer();

}  // namespace tickbox::games
