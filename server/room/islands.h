#pragma once
// Islands: the bodies that have influenced each other since a tick, as a union-find forest. The
// root of a tree represents its island.
//
// The members of each island are also linked in a ring, to visit all of them.

#include "server/room/body_slots.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tickbox::server {

class Islands {
 public:
  void reserve(std::size_t slots) { nodes_.reserve(slots); }

  /// Makes each slot below `slots` an island of its own.
  void clear(std::size_t slots);

  /// Makes a new body's slot an island of its own, also if another body was in the slot before.
  void begin(SlotId slot);

  /// Makes the islands of both slots one.
  void join(SlotId a, SlotId b);

  /// Returns the root of the island.   Cost: amortised, almost constant.
  [[nodiscard]] SlotId root_of(SlotId slot);

  /// Returns the next member of the same island; after the last, the first.
  [[nodiscard]] SlotId next(SlotId slot) const { return nodes_[slot].next; }

 private:
  struct Node {
    SlotId parent;
    SlotId next;
    std::uint32_t members;  ///< size of the island; valid in a root
  };

  std::vector<Node> nodes_;
};

}  // namespace tickbox::server
