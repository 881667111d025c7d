#pragma once
// A game's declarations as bytes: enough to read its keyframes and records without the game.
// FORMAT.md is the standard.

#include "core/bytes.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <vector>

namespace tickbox::engine {

/// Writes the descriptor of a game into `out` and replaces its content.
void encode_descriptor(const GameTable& game, std::vector<std::byte>& out);

}  // namespace tickbox::engine
