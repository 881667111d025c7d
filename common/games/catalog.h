#pragma once
// The games there are.

#include "game/catalog.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace tickbox::game {

/// Nothing, when no rules have that name or the rate is outside kTickRateMin to kTickRateMax.
[[nodiscard]] std::shared_ptr<const Rules> make_rules(std::string_view name,
                                                      std::uint32_t ticks_per_second);

/// All of them, and the built-in map.
[[nodiscard]] Catalog all_games();

}  // namespace tickbox::game
