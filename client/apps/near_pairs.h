#pragma once
// Which boxes of a list share a point: sorted along x and swept, for tools that look at a whole
// world once a tick.

#include "sim/box.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace tickbox::apps {

/// Calls `visit(i, j)` for every two of `boxes` that share a point, be it on their edges, once.
template <class Visit>
void visit_near_pairs(std::span<const sim::Box> boxes, Visit&& visit) {
  std::vector<std::size_t> from_the_left(boxes.size());
  std::iota(from_the_left.begin(), from_the_left.end(), std::size_t{0});
  std::ranges::sort(from_the_left, {}, [&](std::size_t i) { return boxes[i].min[0]; });
  for (std::size_t first = 0; first < from_the_left.size(); ++first) {
    const std::size_t i = from_the_left[first];
    for (std::size_t second = first + 1; second < from_the_left.size(); ++second) {
      const std::size_t j = from_the_left[second];
      if (boxes[j].min[0] > boxes[i].max[0]) break;
      if (sim::touch(boxes[i], boxes[j])) visit(i, j);
    }
  }
}

}  // namespace tickbox::apps
