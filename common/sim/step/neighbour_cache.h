#pragma once
// The statics around each mover, remembered from tick to tick.
//
// What is remembered depends on the statics only: a region somewhat larger than a mover's path, and
// every static that touches it. It holds whoever asks, and for as long as the statics are the same,
// so that nothing has to be told of movers that are changed, added or taken out between ticks: a
// path that lies in the region finds its statics among the few remembered, any other is looked up.

#include "sim/box.h"
#include "sim/statics.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// A static as the step looks at it again and again; the rest of it lies far away in memory.
struct Wall {
  Rect rect;
  std::uint32_t index = 0;  ///< in Statics::bodies()
  BodyId id{};
  BodyId ignores{};
  std::uint16_t layers = 0;
  std::uint16_t collides_with = 0;
  OneWay one_way = OneWay::None;
  bool is_dull = false;  ///< neither rubs nor throws back
};

[[nodiscard]] Wall wall_of(const Body& body, std::uint32_t index);

[[nodiscard]] constexpr bool may_meet(const Body& body, const Wall& wall) {
  return (body.layers & wall.collides_with) != 0 && (wall.layers & body.collides_with) != 0 &&
         body.ignores != wall.id && wall.ignores != body.id;
}

class NeighbourCache {
 public:
  /// Makes room for so many movers in advance.
  void reserve(std::size_t movers);

  /// To be called where the statics are others than before.
  void forget() {
    regions_.clear();
    clear_.clear();
  }

  /// Readies for a tick.  Cost: nothing once warm.
  void start(const Statics& statics, std::size_t movers);

  /// Whether `hull` is known to lie where nothing is near: no static touches it, and it is as far
  /// from the world's border as it is long.
  [[nodiscard]] bool is_clear(std::uint32_t mover, const Rect& hull) const {
    return contains(clear_[mover], hull);
  }

  /// Calls visit(wall) for every static that is no ghost and whose closed box touches `hull`, some
  /// of them more than once.  Requires: `extent` is that of the hull; mover < movers.
  template <class Visit>
  void visit(std::uint32_t mover, const Rect& hull, std::int64_t extent, Visit&& visit);

 private:
  static constexpr std::uint8_t kMost = 4;      ///< statics to remember for one mover
  static constexpr std::uint8_t kCrowd = 0xff;  ///< in place of a number: more than that

  static constexpr Rect kNowhere = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};

  template <class Visit>
  void visit_all(const Rect& area, std::int64_t extent, Visit&& visit) const {
    statics_->grid().visit_entries(area, extent, [&](const StaticGrid::Entry& entry) {
      visit(wall_of(statics_->bodies()[entry.index], entry.index));
    });
  }

  void look_around(std::uint32_t mover, const Rect& hull, std::int64_t extent);

  const Statics* statics_ = nullptr;
  std::vector<Rect> regions_;  ///< by mover, as the next
  std::vector<Rect> clear_;    ///< the same where nothing is near; else nowhere
  std::vector<std::uint8_t> counts_;
  std::vector<std::array<Wall, kMost>> walls_;
};

template <class Visit>
void NeighbourCache::visit(std::uint32_t mover, const Rect& hull, std::int64_t extent,
                           Visit&& visit) {
  if (!contains(regions_[mover], hull)) look_around(mover, hull, extent);
  const std::uint8_t count = counts_[mover];
  if (count == kCrowd) {
    visit_all(hull, extent, visit);
    return;
  }
  for (std::uint8_t i = 0; i < count; ++i) {
    const Wall& wall = walls_[mover][i];
    if (touch(wall.rect, hull)) visit(wall);
  }
}

}  // namespace tickbox::sim
