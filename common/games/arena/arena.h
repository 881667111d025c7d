#pragma once
// The arena as a game of the public interface: players run in eight directions, push crates and
// each other, and shoot. A player that is hit appears elsewhere.

#include "tickbox/game_table.h"

namespace tickbox::games {

[[nodiscard]] const GameTable& arena();

}  // namespace tickbox::games
