#pragma once
// The bodies of a world that nothing moves: the statics of its map, and its own fixed bodies. The
// step and the casts see both as one list with one broadphase.

#include "sim/fixed_bodies.h"
#include "sim/statics.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tickbox::sim {

/// Whether a body stops others, or only reports those that overlap it.
enum class Solidity : std::uint8_t { Solid, Ghost };

/// A box in motion from a moment to the tick's end. Requires: `hull` covers that path.
struct PathOfBox {
  const Motion& motion;
  FineTime from = 0;
  const Rect& hull;
};

/// A view, valid while the statics and the fixed bodies exist and stay the same. A body's index is
/// that of Statics::bodies(), or the number of statics plus the slot of a fixed body.
class Immovables {
 public:
  /// Without bodies.
  Immovables() = default;

  Immovables(const Statics& statics, const FixedBodies* fixed)
      : statics_(&statics),
        fixed_(fixed != nullptr && !fixed->empty() ? fixed : nullptr),
        static_bodies_(statics.bodies()) {
    for (const Solidity solidity : {Solidity::Solid, Solidity::Ghost}) {
      std::int64_t& extent = long_extents_[static_cast<std::size_t>(solidity)];
      extent = static_grid(solidity).long_extent();
      if (fixed_ != nullptr) extent = std::min(extent, fixed_grid(solidity).long_extent());
    }
  }

  [[nodiscard]] const Body& operator[](std::uint32_t index) const {
    return index < static_bodies_.size() ? static_bodies_[index]
                                         : fixed_->in_slot(index - static_count());
  }

  /// The body with this id, or nullptr. Cost: at most two binary searches.
  [[nodiscard]] const Body* find(BodyId id) const {
    const Body* found = statics_->find(id);
    return found == nullptr && fixed_ != nullptr ? fixed_->find(id) : found;
  }

  [[nodiscard]] bool has(Solidity solidity) const {
    return !static_grid(solidity).empty() || (fixed_ != nullptr && !fixed_grid(solidity).empty());
  }

  /// The extent of a path above which a query in parts (visit_path()) is cheaper than one query.
  [[nodiscard]] std::int64_t long_extent(Solidity solidity) const {
    return long_extents_[static_cast<std::size_t>(solidity)];
  }

  /// Calls visit(index) for every body of `solidity` whose closed box touches `area`, for some of
  /// them more than once. Requires: `extent` is extent_of(area).
  template <class Visit>
  void visit(Solidity solidity, const Rect& area, std::int64_t extent, Visit&& visit) const {
    static_grid(solidity).visit_entries(
        area, extent, [&](const StaticGrid::Entry& entry) { visit(entry.index); });
    if (fixed_ == nullptr) return;
    fixed_grid(solidity).visit(area, [&](std::uint32_t slot) { visit(static_count() + slot); });
  }

  template <class Visit>
  void visit(Solidity solidity, const Rect& area, Visit&& visit_one) const {
    visit(solidity, area, extent_of(area), visit_one);
  }

  /// Calls visit(index) for every body of `solidity` that the box of `path` may touch, for some of
  /// them more than once. Ends as visit_path() of the grids does.
  template <class Visit, class IsOver>
  void visit_path(Solidity solidity, const PathOfBox& path, Visit&& visit_one,
                  IsOver&& is_over) const {
    static_grid(solidity).visit_path(path.motion, path.from, path.hull, visit_one, is_over);
    if (fixed_ == nullptr) return;
    fixed_grid(solidity).visit_path(
        path.motion, path.from, path.hull,
        [&](std::uint32_t slot) { visit_one(static_count() + slot); }, is_over);
  }

 private:
  [[nodiscard]] std::uint32_t static_count() const {
    return static_cast<std::uint32_t>(static_bodies_.size());
  }

  [[nodiscard]] const StaticGrid& static_grid(Solidity solidity) const {
    return solidity == Solidity::Solid ? statics_->grid() : statics_->ghosts();
  }

  [[nodiscard]] const FixedGrid& fixed_grid(Solidity solidity) const {
    return solidity == Solidity::Solid ? fixed_->solids() : fixed_->ghosts();
  }

  const Statics* statics_ = nullptr;
  const FixedBodies* fixed_ = nullptr;  ///< nullptr where there are none
  std::span<const Body> static_bodies_;
  std::array<std::int64_t, 2> long_extents_ = {};  ///< by Solidity
};

}  // namespace tickbox::sim
