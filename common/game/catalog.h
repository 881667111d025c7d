#pragma once
// The games that a program has. The program passes the list; server, client and recordings find
// rules and maps in it.

#include "game/map.h"
#include "game/rules.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace tickbox::game {

/// The range of ticks per second that every game supports.
inline constexpr std::uint32_t kTickRateMin = 10;
inline constexpr std::uint32_t kTickRateMax = 240;

/// A function that returns the rules with a name, as options, handshakes and recordings write it,
/// for `rate` ticks per second. It returns nullptr if no rules have this name or if they do not
/// support this rate.
using MakeRules =
    std::function<std::shared_ptr<const Rules>(std::string_view name, std::uint32_t rate)>;

/// A function that returns the built-in map for `seats` seats. Requires: 1 ≤ seats ≤ kSeatsMax.
using MakeMap = std::function<SharedMap(std::uint32_t seats)>;

struct Catalog {
  MakeRules make_rules;
  MakeMap make_map;
};

}  // namespace tickbox::game
