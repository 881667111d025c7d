#pragma once
// Cells of square grids of several sizes. A hash finds them, so no array grows with the size of the
// world.

#include "sim/box.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tickbox::sim {

/// A cell of level n is 2^n sub-units wide. The finest is a quarter of a unit wide. From one level
/// to the next, cells are four times as wide, so that few levels hold anything.
inline constexpr int kFinestLevel = 14;
inline constexpr int kLevelStep = 2;

/// The bucket of a cell, one of 2^bits. Cells of one row have neighbouring buckets, so that a query
/// reads along memory. Rows are scattered. Different cells may share a bucket.
/// Requires: bits from 1 to 63.
[[nodiscard]] constexpr std::size_t bucket_of(int level, std::int64_t x, std::int64_t y, int bits) {
  constexpr std::uint64_t kScatter = 0x9e3779b97f4a7c15ULL;  // 2^64 divided by the golden ratio
  const std::uint64_t row =
      static_cast<std::uint64_t>(y) + (static_cast<std::uint64_t>(level) << 32);
  const std::uint64_t start = row * kScatter >> (64 - bits);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  return static_cast<std::size_t>((start + static_cast<std::uint64_t>(x)) & mask);
}

/// A rectangle of cells of one level, including x1 and y1.
struct CellRange {
  std::int64_t x0 = 0;
  std::int64_t y0 = 0;
  std::int64_t x1 = 0;
  std::int64_t y1 = 0;

  [[nodiscard]] constexpr std::int64_t count() const { return (x1 - x0 + 1) * (y1 - y0 + 1); }
};

/// Returns the cells of `level` that can hold the middle of a box that reaches `area`, if no box is
/// larger than a cell.
[[nodiscard]] constexpr CellRange cells_around(const Rect& area, int level) {
  const std::int64_t half = std::int64_t{1} << (level - 1);
  return {(area.x0 - half) >> level, (area.y0 - half) >> level, (area.x1 + half) >> level,
          (area.y1 + half) >> level};
}

/// The finest level whose cells are at least `width` wide. Requires: width >= 1.
[[nodiscard]] constexpr int level_for(std::int64_t width) {
  static_assert(kLevelStep == 2 && kFinestLevel % kLevelStep == 0);
  const auto bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(width) - 1));
  return std::max(kFinestLevel, static_cast<int>((bits + 1) & ~1U));
}

}  // namespace tickbox::sim
