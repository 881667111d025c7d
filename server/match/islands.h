#pragma once
// Islands: bodies that have influenced each other.

#include "server/match/body_slots.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tickbox::server {

/// The bodies that have influenced each other since a tick, as a union-find forest. The root of a
/// tree represents its island. The members of each island are also linked in a ring, to visit all
/// of them.
class Islands {
 public:
  void reserve(std::size_t slots) {
    nodes_.reserve(slots);
    linked_.reserve(slots);
  }

  /// Makes each slot below `slots` an island of its own. Cost: linear in those that are not.
  void clear(std::size_t slots) {
    for (const SlotId slot : linked_) {
      nodes_[slot] = alone(slot);
    }
    linked_.clear();
    grow(slots);
  }

  /// Makes the islands of both slots one.
  void link(SlotId a, SlotId b) {
    a = root_of(a);
    b = root_of(b);
    if (a == b) return;
    for (const SlotId root : {a, b}) {
      if (nodes_[root].members == 1) linked_.push_back(root);
    }
    if (nodes_[a].members < nodes_[b].members) std::swap(a, b);
    nodes_[b].parent = a;
    nodes_[a].members += nodes_[b].members;
    std::swap(nodes_[a].next, nodes_[b].next);
  }

  /// Returns the root of the island. Cost: amortised, almost constant.
  [[nodiscard]] SlotId root_of(SlotId slot) {
    while (nodes_[slot].parent != slot) {
      nodes_[slot].parent = nodes_[nodes_[slot].parent].parent;
      slot = nodes_[slot].parent;
    }
    return slot;
  }

  /// Returns the next member of the same island; after the last, the first.
  [[nodiscard]] SlotId next(SlotId slot) const { return nodes_[slot].next; }

 private:
  struct Node {
    SlotId parent;
    SlotId next;
    std::uint32_t members;  ///< size of the island; valid in a root
  };

  static Node alone(SlotId slot) { return {.parent = slot, .next = slot, .members = 1}; }

  void grow(std::size_t slots) {
    while (nodes_.size() < slots) {
      nodes_.push_back(alone(static_cast<SlotId>(nodes_.size())));
    }
  }

  std::vector<Node> nodes_;
  std::vector<SlotId> linked_;  ///< the slots that are not alone, or were not
};

}  // namespace tickbox::server
