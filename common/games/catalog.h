#pragma once
// The kinds of game there are, by the names that options, handshakes and recordings use.

#include "game/rules.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace tickbox::game {

/// Ticks per second that every kind of game can be played at.
inline constexpr std::uint32_t kTickRateMin = 10;
inline constexpr std::uint32_t kTickRateMax = 240;

/// Nothing, when no rules have that name or the rate is outside kTickRateMin to kTickRateMax.
[[nodiscard]] std::shared_ptr<const Rules> make_rules(std::string_view name,
                                                      std::uint32_t ticks_per_second);

}  // namespace tickbox::game
