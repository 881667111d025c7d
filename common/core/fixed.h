#pragma once
// Lengths and speeds as whole numbers of sub-units (Q16.16): the only numbers in the simulation.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace tickbox {

/// 1 world unit = 65,536 sub-units.
inline constexpr std::int32_t kUnit = 65'536;

/// The limit of every coordinate, ±16,384 units. Maximum corners and differences then fit easily
/// into 64 bits of fine position.
inline constexpr std::int32_t kWorldLimit = 1 << 30;

/// The largest speed per axis, in sub-units per tick: 4,096 units, a quarter of the coordinate
/// limit.
inline constexpr std::int32_t kSpeedLimit = 1 << 28;

/// A pair of sub-unit quantities, indexed by axis (0 is x, to the right; 1 is y, down).
struct Vec2 {
  std::int32_t x = 0;
  std::int32_t y = 0;

  constexpr std::int32_t& operator[](std::size_t axis) { return axis == 0 ? x : y; }

  constexpr std::int32_t operator[](std::size_t axis) const { return axis == 0 ? x : y; }

  friend constexpr bool operator==(Vec2, Vec2) = default;
};

/// Returns the larger of the distances along x and y, in sub-units.
[[nodiscard]] inline std::int64_t axis_distance(Vec2 a, Vec2 b) {
  return std::max(std::abs(std::int64_t{a.x} - b.x), std::abs(std::int64_t{a.y} - b.y));
}

}  // namespace tickbox
