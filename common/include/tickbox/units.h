#pragma once
// Lengths and places as whole numbers of sub-units (Q16.16): their only form in the simulation.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tickbox {

/// 1 world unit = 65,536 sub-units.
inline constexpr std::int32_t kUnit = 65'536;

/// A pair of sub-unit quantities, indexed by axis (0 is x, to the right; 1 is y, down).
struct Vec2 {
  std::int32_t x = 0;
  std::int32_t y = 0;

  constexpr std::int32_t& operator[](std::size_t axis) { return axis == 0 ? x : y; }

  constexpr std::int32_t operator[](std::size_t axis) const { return axis == 0 ? x : y; }

  friend constexpr bool operator==(Vec2 a, Vec2 b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }
};

}  // namespace tickbox
