#pragma once
// Random whole numbers for scenes. Draw several only in braces, as in Vec2{draw, draw}: there they
// come from left to right; the order of a function's arguments is the compiler's own.

#include "core/fixed.h"
#include "core/rng.h"

#include <cstdint>

namespace tickbox::golden {

/// From low to high, both included. Requires: low <= high.
[[nodiscard]] inline std::int32_t between(Rng& rng, std::int32_t low, std::int32_t high) {
  const auto count = static_cast<std::uint64_t>(std::int64_t{high} - low + 1);
  return static_cast<std::int32_t>(low + static_cast<std::int64_t>(rng.below(count)));
}

/// Each component from −range to range.
[[nodiscard]] inline Vec2 draw_vec(Rng& rng, std::int32_t range) {
  return Vec2{between(rng, -range, range), between(rng, -range, range)};
}

}  // namespace tickbox::golden
