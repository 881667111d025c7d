#pragma once
// What of a map never changes: its static bodies, sorted into a grid once, and the paths of its
// kinematic ones; shared by every world on the same map.

#include "sim/body.h"
#include "sim/path.h"
#include "sim/static_grid.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tickbox::sim {

/// Owns a map's static bodies.   Thread: immutable, so free to share.
class Statics {
 public:
  /// Requires: every body Static, ids unique and below kWorldBorder, corners within ±kWorldLimit,
  /// sizes 1 to 2^30.
  explicit Statics(std::vector<Body> bodies, std::vector<Path> paths = {});

  /// In the order of their ids.
  [[nodiscard]] std::span<const Body> bodies() const { return bodies_; }

  /// By Body::path.
  [[nodiscard]] std::span<const Path> paths() const { return paths_; }

  /// The static called `id`, or nullptr.  Cost: one binary search.
  [[nodiscard]] const Body* find(BodyId id) const;

  /// Of those that stop somebody.
  [[nodiscard]] const StaticGrid& grid() const { return grid_; }

  /// Of those that only report who overlaps them.
  [[nodiscard]] const StaticGrid& ghosts() const { return ghosts_; }

  /// Of every field of every static, and of every path: what they add to the hash of a world.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::vector<Body> bodies_;
  std::vector<Path> paths_;
  StaticGrid grid_;
  StaticGrid ghosts_;
  std::uint64_t hash_ = 0;
};

using SharedStatics = std::shared_ptr<const Statics>;

/// Whether a box would overlap any static that is no ghost, whatever their layers; touching is not
/// overlapping. Requires: a size of at least 1 on both axes.
[[nodiscard]] bool overlaps_any(const Statics& statics, Vec2 min, Vec2 size);

}  // namespace tickbox::sim
