#pragma once
// A game whose matches are short: it closes its room every second, or with more seats than
// kShortMatchSeats every ten seconds.

#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>

namespace tickbox::tests {

/// Its entities: what players control, and gems, which lie there when a match opens.
inline constexpr std::size_t kShortMatchPawn = 0;
inline constexpr std::size_t kShortMatchGem = 1;

inline constexpr std::uint32_t kShortMatchSeats = 8;

/// The gems of a match when it opens.
inline constexpr std::size_t kShortMatchGems = 9;

[[nodiscard]] const GameTable& short_match();

}  // namespace tickbox::tests
