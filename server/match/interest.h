#pragma once
// Interest: which entities a client sees. These are the ones around the place that its view is
// centred on. An entity is seen if its box meets the rectangle of the view.

#include "core/fixed.h"
#include "server/match/match.h"
#include "views/sight.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace tickbox::server {

using views::kSight;

/// An entity in view stays in view until it is this much further away, in sub-units. A player that
/// walks along the edge then does not enter and leave all the time.
inline constexpr std::int32_t kViewHysteresis = 4 * kUnit;

/// Where a body is: the middle of its box, and half its size.
struct Extent {
  Vec2 middle;
  Vec2 half;
};

/// Returns the minimum corner.
[[nodiscard]] constexpr Vec2 min_of(const Extent& extent) {
  return {extent.middle.x - extent.half.x, extent.middle.y - extent.half.y};
}

/// Where a client looks.
struct Eye {
  Vec2 centre;
  Vec2 sight = kSight;
};

/// Returns where a player looks: around its focus, as far as its first avatar sees.
[[nodiscard]] Eye eye_of(const engine::World& world, Player player);

/// Returns whether a body's box meets the rectangle of a view that is wider by `margin` on each
/// side.
[[nodiscard]] inline bool is_in_sight(const Eye& eye, const Extent& body, std::int64_t margin) {
  const auto meets = [margin](std::int32_t a, std::int32_t b, std::int64_t sight,
                              std::int64_t half) {
    return std::abs(std::int64_t{a} - b) <= sight + half + margin;
  };
  return meets(body.middle.x, eye.centre.x, eye.sight.x, body.half.x) &&
         meets(body.middle.y, eye.centre.y, eye.sight.y, body.half.y);
}

/// Returns whether a body in view stays in view.
[[nodiscard]] inline bool keeps_seeing(const Eye& eye, const Extent& body) {
  return is_in_sight(eye, body, kViewHysteresis);
}

class Interest {
 public:
  struct Found {
    Extent extent;
    SlotId slot = kNoSlot;
  };

  /// Reads the entities once, for all views of this tick. `slots`: of the world's rows.
  void rebuild(const engine::World& world, std::span<const SlotId> slots);

  /// Reads the active entities alone. Requires: those at rest are as in the last rebuild().
  void rebuild_active(const engine::World& world, std::span<const SlotId> slots);

  /// Fills `found` with the entities in sight, in no order. In a crowd these are only the entities
  /// in a smaller rectangle, at least `enough`.
  /// Cost: grows with the entities around the view; no allocation once warm.
  void query(const Eye& eye, std::size_t enough, std::vector<Found>& found) const;

  /// Returns whether `matches(slot)` is true of an entity in sight. Cost: grows with the entities
  /// around the view.
  template <class Matches>
  [[nodiscard]] bool any_in_sight(const Eye& eye, Matches matches) const {
    bool has_match = false;
    const auto check = [&](std::span<const Found> range) {
      for (const Found& each : range) {
        has_match |= is_in_sight(eye, each.extent, 0) && matches(each.slot);
      }
    };
    resting_.visit_around(eye, check);
    active_.visit_around(eye, check);
    return has_match;
  }

 private:
  /// Entities by the cells that their middles are in. The cells of a column are consecutive in
  /// memory. So the entities of neighbouring columns are one range, and those around a view are one
  /// range for each column.
  class Grid {
   public:
    void clear();
    void add(const engine::World& world, std::size_t row, SlotId slot);

    /// Ends the adding: sorts by cell, by counting.
    void sort();

    /// Returns how far an entity may be from its middle along x, in sub-units.
    [[nodiscard]] std::int64_t half_width_max() const { return half_max_.x; }

    /// Returns entities of whole columns, at least those whose middles are within `reach` sub-units
    /// along x.
    [[nodiscard]] std::span<const Found> columns_near(std::int64_t x, std::int64_t reach) const;

    /// Calls visit(range) for ranges of entities, which have at least those in sight.
    template <class Visit>
    void visit_around(const Eye& eye, Visit visit) const {
      if (sorted_.empty()) return;
      const std::int64_t width = std::int64_t{eye.sight.x} + half_max_.x;
      const std::int64_t height = std::int64_t{eye.sight.y} + half_max_.y;
      const std::size_t top = line_of(eye.centre.y - height);
      const std::size_t bottom = line_of(eye.centre.y + height);
      const std::size_t last = column_of(eye.centre.x + width);
      for (std::size_t column = column_of(eye.centre.x - width); column <= last; ++column) {
        visit(cells(column * lines_ + top, column * lines_ + bottom));
      }
    }

   private:
    /// Returns the column of a coordinate; the outer columns have all beyond them.
    [[nodiscard]] std::size_t column_of(std::int64_t x) const {
      return index_of(x - min_.x, columns_);
    }

    [[nodiscard]] std::size_t line_of(std::int64_t y) const { return index_of(y - min_.y, lines_); }

    [[nodiscard]] std::size_t index_of(std::int64_t from_first, std::size_t count) const {
      return static_cast<std::size_t>(std::clamp<std::int64_t>(
          from_first >> cell_bits_, 0, static_cast<std::int64_t>(count) - 1));
    }

    [[nodiscard]] std::size_t cell_of(Vec2 middle) const {
      return column_of(middle.x) * lines_ + line_of(middle.y);
    }

    /// Returns the entities from one cell to another, both included.
    [[nodiscard]] std::span<const Found> cells(std::size_t from, std::size_t to) const {
      return std::span{sorted_}.subspan(first_[from], first_[to + 1] - first_[from]);
    }

    std::vector<Found> added_;
    std::vector<Found> sorted_;
    std::vector<std::uint32_t> first_;  ///< in sorted_, of each cell, and the end
    Vec2 half_max_{};                   ///< of the entities
    Vec2 min_{};                        ///< where the first cell begins
    int cell_bits_ = 0;                 ///< a cell is 2^cell_bits_ sub-units wide
    std::size_t columns_ = 0;
    std::size_t lines_ = 0;
  };

  [[nodiscard]] bool is_crowded(const Eye& eye, std::size_t enough) const;

  Grid resting_;
  Grid active_;
};

}  // namespace tickbox::server
