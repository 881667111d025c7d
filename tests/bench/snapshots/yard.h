#pragma once
// A small walled yard without crates, with enough bodies that each soon runs into another.

#include "game/map.h"

#include <cstdint>

namespace tickbox::bench {

/// `side` units wide and high; a place to appear at on every second unit.
[[nodiscard]] game::SharedMap make_yard(std::int32_t side, std::uint32_t seats);

}  // namespace tickbox::bench
