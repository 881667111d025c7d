#pragma once
// Whether two boxes share more than an edge. Touching is contact, not overlap.

#include "core/fixed.h"

#include <cstddef>
#include <cstdint>

namespace tickbox::sim {

struct Box {
  Vec2 min;
  Vec2 size;
};

/// Whether the open interiors of two boxes meet.
[[nodiscard]] constexpr bool overlap(const Box& a, const Box& b) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (std::int64_t{a.min[axis]} + a.size[axis] <= b.min[axis] ||
        std::int64_t{b.min[axis]} + b.size[axis] <= a.min[axis]) {
      return false;
    }
  }
  return true;
}

}  // namespace tickbox::sim
