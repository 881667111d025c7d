#pragma once
// The part of a map that never changes: its static bodies, sorted into a grid once, and the paths
// of its kinematic bodies. All worlds on one map share it.

#include "sim/body.h"
#include "sim/path.h"
#include "sim/static_grid.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tickbox::sim {

/// The static bodies and paths of a map. Thread: immutable, so threads may share it.
class Statics {
 public:
  /// Requires: every body Static and is_within_limits(), ids unique, at most kNoPath paths.
  explicit Statics(std::vector<Body> bodies, std::vector<Path> paths = {});

  /// The static bodies in the order of their ids.
  [[nodiscard]] std::span<const Body> bodies() const { return bodies_; }

  /// The paths, indexed by Body::path.
  [[nodiscard]] std::span<const Path> paths() const { return paths_; }

  /// The static with this id, or nullptr. Cost: one binary search.
  [[nodiscard]] const Body* find(BodyId id) const;

  /// The grid of the statics that are no ghosts.
  [[nodiscard]] const StaticGrid& grid() const { return grid_; }

  /// The grid of the ghosts: the statics that only report overlaps.
  [[nodiscard]] const StaticGrid& ghosts() const { return ghosts_; }

  /// The hash of every field of every static and of every path; a part of a world's hash.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::vector<Body> bodies_;
  std::vector<Path> paths_;
  StaticGrid grid_;
  StaticGrid ghosts_;
  std::uint64_t hash_ = 0;
};

using SharedStatics = std::shared_ptr<const Statics>;

/// Whether a box would overlap any static that is no ghost, on any layer. Touching is not
/// overlapping. Requires: a size of at least 1 on both axes.
[[nodiscard]] bool overlaps_any(const Statics& statics, Vec2 min, Vec2 size);

}  // namespace tickbox::sim
