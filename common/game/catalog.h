#pragma once
// Which games a program knows. The list is the program's to hand over: server, client and
// recordings find rules and maps by it.

#include "game/map.h"
#include "game/rules.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace tickbox::game {

/// Ticks per second that every kind of game can be played at.
inline constexpr std::uint32_t kTickRateMin = 10;
inline constexpr std::uint32_t kTickRateMax = 240;

/// The rules of this name, as options, handshakes and recordings have it, at so many ticks per
/// second. Nothing, where there are none of it, or not at this rate.
using MakeRules =
    std::function<std::shared_ptr<const Rules>(std::string_view name, std::uint32_t rate)>;

/// The built-in map for so many seats.  Requires: 1 ≤ seats ≤ kSeatsMax.
using MakeMap = std::function<SharedMap(std::uint32_t seats)>;

struct Catalog {
  MakeRules make_rules;
  MakeMap make_map;
};

}  // namespace tickbox::game
