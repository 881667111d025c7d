#pragma once
// Which bodies have influenced each other since a tick: islands, as a forest whose roots stand for
// them.
//
// Each island is a ring as well, so that its members can be walked.

#include "server/room/lives.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tickbox::server {

class Islands {
 public:
  void reserve(std::size_t lives) { nodes_.reserve(lives); }

  /// Forgets everything: lives up to `lives` are each alone.
  void clear(std::size_t lives);

  /// A life that begins is alone, whoever had its number before.
  void begin(LifeId life);

  void join(LifeId a, LifeId b);

  /// Which stands for its whole island.   Cost: amortised, next to nothing.
  [[nodiscard]] LifeId root_of(LifeId life);

  /// The next member of the same island, round and round.
  [[nodiscard]] LifeId next(LifeId life) const { return nodes_[life].next; }

 private:
  struct Node {
    LifeId parent;
    LifeId next;
    std::uint32_t members;  ///< of a root
  };

  std::vector<Node> nodes_;
};

}  // namespace tickbox::server
