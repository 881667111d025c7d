#pragma once
// Keeps the immovable bodies around each mover from tick to tick.
//
// An entry is a region around a mover's path, with room for dozens of ticks, and the bodies that
// touch the region, if they are few. The entry depends on nothing else. So an entry stays valid
// while no such body is added or removed there, even if movers are changed, added or removed
// between ticks. A path within the region finds its bodies in the entry, or in the grids if they
// are many. Any other path replaces the entry.

#include "sim/box.h"
#include "sim/immovables.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// The fields of an immovable body that the step reads often, together in memory.
struct Wall {
  Rect rect;
  std::uint32_t index = 0;  ///< in the immovables
  BodyId id{};
  BodyId ignores{};
  std::uint16_t layers = 0;
  std::uint16_t collides_with = 0;
  OneWay one_way = OneWay::None;
  bool is_dull = false;  ///< has neither friction nor restitution
};

[[nodiscard]] Wall wall_of(const Body& body, std::uint32_t index);

[[nodiscard]] constexpr bool may_meet(const Body& body, const Wall& wall) {
  return (body.layers & wall.collides_with) != 0 && (wall.layers & body.collides_with) != 0 &&
         body.ignores != wall.id && wall.ignores != body.id;
}

class NeighbourCache {
 public:
  /// For the bodies that stop others, or for the ghosts.
  explicit NeighbourCache(Solidity solidity) : solidity_(solidity) {}

  /// Reserves memory for `movers` movers.
  void reserve(std::size_t movers);

  /// Removes all entries. To be called when the immovables are not those of the tick before.
  void invalidate() {
    regions_.clear();
    clear_.clear();
  }

  /// Removes the entries whose region touches `area`, where a body was added or removed.
  void invalidate_near(const Rect& area);

  /// Begins a tick. Cost: no allocation once warm.
  void start(const Immovables& immovables, std::size_t movers);

  /// Whether `hull` is known to have nothing near it: no body touches it, and it is at least twice
  /// as far from the world's border as it is long.
  [[nodiscard]] bool is_clear(std::uint32_t mover, const Rect& hull) const {
    return contains(clear_[mover], hull);
  }

  /// Calls visit(wall) for every body whose closed box touches `hull`, for some of them more than
  /// once. Requires: `extent` is that of the hull; mover < movers.
  template <class Visit>
  void visit(std::uint32_t mover, const Rect& hull, std::int64_t extent, Visit&& visit);

 private:
  static constexpr std::uint8_t kWallsMax = 4;    ///< in one entry
  static constexpr std::uint8_t kTooMany = 0xff;  ///< in place of a number: more than kWallsMax

  static constexpr Rect kNowhere = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};

  template <class Visit>
  void visit_all(const Rect& area, std::int64_t extent, Visit&& visit) const {
    immovables_.visit(solidity_, area, extent,
                      [&](std::uint32_t index) { visit(wall_of(immovables_[index], index)); });
  }

  void refill(std::uint32_t mover, const Rect& hull, std::int64_t extent);

  Solidity solidity_;
  Immovables immovables_;
  std::vector<Rect> regions_;  ///< by mover, as the three lists below
  std::vector<Rect> clear_;    ///< the region if nothing is near it; else nowhere
  std::vector<std::uint8_t> counts_;
  std::vector<std::array<Wall, kWallsMax>> walls_;
};

template <class Visit>
void NeighbourCache::visit(std::uint32_t mover, const Rect& hull, std::int64_t extent,
                           Visit&& visit) {
  if (!contains(regions_[mover], hull)) refill(mover, hull, extent);
  const std::uint8_t count = counts_[mover];
  if (count == kTooMany) {
    visit_all(hull, extent, visit);
    return;
  }
  for (std::uint8_t i = 0; i < count; ++i) {
    const Wall& wall = walls_[mover][i];
    if (touch(wall.rect, hull)) visit(wall);
  }
}

}  // namespace tickbox::sim
