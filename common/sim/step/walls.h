#pragma once
// What never moves and lies in a mover's way: the immovable bodies near its path, and the world's
// border.

#include "sim/step/impact.h"
#include "sim/step/movers.h"
#include "sim/step/neighbour_cache.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// An impact on an immovable body or on the border.
struct WallHit {
  Impact impact;
  BodyId id;
  std::uint32_t wall = kNoWall;  ///< index of the body
  bool is_dull = false;          ///< see Wall; the border is not
  bool found = false;

  static constexpr std::uint32_t kNoWall = 0xffff'ffff;  ///< the border
};

/// The last contact that put a mover to rest on a wall while it touched no other mover. While the
/// mover begins a tick with the same fields and touches no mover, the contact is the same again.
struct RestMemo {
  struct Rest {
    Body body;
    WallHit on;
  };

  std::vector<Rest> rests;             ///< by mover
  std::vector<std::uint8_t> has_rest;  ///< by mover; 0 or 1

  void reserve(std::size_t movers) { reserve_all(movers, rests, has_rest); }

  void start(std::size_t movers) {
    rests.resize(movers);
    has_rest.resize(movers, 0);
  }

  void invalidate() { has_rest.clear(); }

  /// Drops the rests of movers that may meet something in `area`.
  void invalidate_near(const Rect& area);
};

/// What a step knows of a world's walls from the steps before.
struct KnownWalls {
  NeighbourCache cache{Solidity::Solid};
  NeighbourCache ghosts{Solidity::Ghost};  ///< empty while there are none
  RestMemo memo;
  SharedStatics statics;  ///< those of the last step
  FixedWatch fixed;
  std::size_t capacity = 0;  ///< movers for which memory is reserved

  /// Begins a tick. Forgets what lies near fixed bodies that were added or removed, and everything
  /// where statics or fixed bodies are others. Cost: no allocation once warm.
  void start(const PhysicsWorld& world);
};

/// The walls near the first path of each mover.
struct WallsNear {
  std::vector<Wall> walls;               ///< by mover
  std::vector<std::uint32_t> first;      ///< of each mover in `walls`, and the end
  std::vector<std::uint8_t> is_partial;  ///< by mover: `walls` has not all, its path is walked

  [[nodiscard]] std::span<const Wall> of(std::uint32_t mover) const {
    return std::span{walls}.subspan(first[mover], first[mover + 1] - first[mover]);
  }

  void reserve(std::size_t movers) {
    constexpr std::size_t kWallsPerMover = 8;
    reserve_all(movers, first, is_partial);
    walls.reserve(kWallsPerMover * movers);
  }

  void start(std::size_t movers) {
    first.resize(movers + 1);
    is_partial.resize(movers);
  }
};

/// Whether a mover may get to the border in this tick, as long as nothing makes it faster. `hull`
/// covers its first path.
[[nodiscard]] inline bool is_near_border(const Rect& hull) {
  const std::int64_t reach =
      std::int64_t{hull.x1} - hull.x0 + (std::int64_t{hull.y1} - hull.y0);  // generous
  return !contains(kWholeWorld, grown(box_of(hull), reach));
}

/// Whether the border stops `body`.
[[nodiscard]] inline bool meets_border(const Body& body, const Environment& environment) {
  return environment.settings.border == Border::Solid && body.path == kNoPath;
}

/// Takes an impact on `wall` as the first if it counts and comes before `first`.
void keep_earlier(WallHit& first, const Impact& impact, const Motion& motion, const Wall& wall);

/// Takes the impact on a side of the border as the first if it comes before `first`.
void keep_border(WallHit& first, const Motion& motion, FineTime now);

/// The first wall that a mover meets in the tick, among those listed near its first path. `hull`
/// covers its path. Requires: `hull` is within the hull of its first path.
[[nodiscard]] WallHit first_wall_near(std::uint32_t mover, const Rect& hull,
                                      const Environment& environment, const Movers& movers,
                                      const WallsNear& walls);

/// The first wall that a mover meets from `now` on, searched along its path. `hull` covers that
/// path. Only the first of all walls is needed: any event makes the others stale.
[[nodiscard]] WallHit first_wall_on_path(std::uint32_t mover, const Rect& hull, FineTime now,
                                         const Environment& environment, const Movers& movers);

}  // namespace tickbox::sim
