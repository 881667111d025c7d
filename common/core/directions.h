#pragma once
// Unit vectors in whole numbers, in 1,024 directions.

#include "core/fixed.h"

#include <cstdint>

namespace tickbox {

/// The number of directions. Direction 0 is +x, direction 256 is +y (down).
inline constexpr std::int32_t kDirectionCount = 1'024;

/// Returns the vector of `length` sub-units in a direction, modulo kDirectionCount. Mirrored
/// directions give exactly mirrored vectors. Requires: 0 ≤ length ≤ kSpeedLimit.
[[nodiscard]] Vec2 aimed(std::int32_t direction, std::int32_t length);

}  // namespace tickbox
