#pragma once
// The bodies that never move, sorted into a grid once and shared, unchanged, by every world on the same map.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/body.h"

namespace tickbox::sim {

/// Owns a map's static bodies.   Thread: immutable, so free to share.
class Statics {
 public:
  /// Requires: every body Static, ids unique, positions within ±kWorldLimit, sizes 1 to 2^30.
  explicit Statics(std::vector<Body> bodies);

  /// In the order of their ids.
  [[nodiscard]] std::span<const Body> bodies() const { return bodies_; }

 private:
  std::vector<Body> bodies_;
};

using SharedStatics = std::shared_ptr<const Statics>;

}  // namespace tickbox::sim
