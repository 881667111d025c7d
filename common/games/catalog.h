#pragma once
// The list of games.

#include "tickbox/game_table.h"

#include <span>

namespace tickbox::games {

/// Returns all games that the programs play.
[[nodiscard]] std::span<const GameTable* const> all_games();

}  // namespace tickbox::games
