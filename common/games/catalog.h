#pragma once
// The list of games.

#include "game/catalog.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace tickbox::game {

/// Returns nullptr if no rules have this name, or if the rate is outside kTickRateMin to
/// kTickRateMax.
[[nodiscard]] std::shared_ptr<const Rules> make_rules(std::string_view name,
                                                      std::uint32_t ticks_per_second);

/// Returns the catalog of all games, with the built-in map.
[[nodiscard]] Catalog all_games();

}  // namespace tickbox::game
