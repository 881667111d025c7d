#pragma once
// Islands: the bodies that have influenced each other since a tick, as a union-find forest. The
// root of a tree represents its island.
//
// The members of each island are also linked in a ring, so that they can be walked.

#include "server/room/body_slots.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tickbox::server {

class Islands {
 public:
  void reserve(std::size_t lives) { nodes_.reserve(lives); }

  /// Makes each life below `lives` an island of its own.
  void clear(std::size_t lives);

  /// Makes a new life an island of its own, whichever body had its number before.
  void begin(LifeId life);

  void join(LifeId a, LifeId b);

  /// Returns the member that represents the whole island.   Cost: amortised, next to nothing.
  [[nodiscard]] LifeId root_of(LifeId life);

  /// Returns the next member of the same island, in an endless cycle.
  [[nodiscard]] LifeId next(LifeId life) const { return nodes_[life].next; }

 private:
  struct Node {
    LifeId parent;
    LifeId next;
    std::uint32_t members;  ///< size of the island; valid in a root
  };

  std::vector<Node> nodes_;
};

}  // namespace tickbox::server
