#pragma once
// The limits of lengths and speeds, which are whole numbers of sub-units (tickbox/units.h).

#include "tickbox/units.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace tickbox {

/// The limit of every coordinate of a minimum corner, ±16,384 units. Maximum corners and
/// differences then fit easily into 64 bits of fine position.
inline constexpr std::int32_t kWorldLimit = 1 << 30;

/// The largest speed per axis, in sub-units per tick: 4,096 units, a quarter of the coordinate
/// limit.
inline constexpr std::int32_t kSpeedLimit = 1 << 28;

/// Returns the larger of the distances along x and y, in sub-units.
[[nodiscard]] inline std::int64_t axis_distance(Vec2 a, Vec2 b) {
  return std::max(std::abs(std::int64_t{a.x} - b.x), std::abs(std::int64_t{a.y} - b.y));
}

}  // namespace tickbox
