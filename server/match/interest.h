#pragma once
// Interest: which entities a client sees. These are the ones around the place that its view is
// centred on. An entity is seen if its box meets the rectangle of the view.

#include "core/fixed.h"
#include "server/match/match.h"
#include "views/sight.h"

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
  /// Cost: grows with the entities within the view's width.
  void query(const Eye& eye, std::size_t enough, std::vector<Found>& found) const;

 private:
  /// Entities, sorted by x.
  struct Columns {
    void clear();
    void add(const engine::World& world, std::size_t row, SlotId slot);
    void sort();

    /// Returns the entities whose middles are within `reach` sub-units along x.
    [[nodiscard]] std::span<const Found> near(Vec2 centre, std::int64_t reach) const;

    std::vector<Found> by_x;
    std::int64_t half_width_max = 0;  ///< of the bodies
  };

  /// The entities that can be within a width along x: those at rest, and active ones.
  struct Near {
    std::span<const Found> resting;
    std::span<const Found> active;

    [[nodiscard]] std::size_t size() const { return resting.size() + active.size(); }
  };

  [[nodiscard]] Near near(Vec2 centre, std::int64_t width) const;

  Columns resting_;
  Columns active_;
};

}  // namespace tickbox::server
