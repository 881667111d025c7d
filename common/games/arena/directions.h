#pragma once
// Unit vectors in whole numbers, in 1,024 directions for shots.

#include "core/fixed.h"

#include <cstdint>

namespace tickbox::game {

/// Returns the vector of `length` sub-units in a direction; direction 0 is +x, 256 is +y (down).
/// Mirrored directions give exactly mirrored vectors.  Requires: direction < kAimDirections, 0 ≤
/// length ≤ kSpeedLimit.
[[nodiscard]] Vec2 aimed(std::uint16_t direction, std::int32_t length);

}  // namespace tickbox::game
