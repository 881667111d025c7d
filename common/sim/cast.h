#pragma once
// Raycasts and box casts: the bodies that a box meets on its way through a resting world, by the
// same exact time of impact as the step.
//
// A ray is the smallest box, one sub-unit wide, so that a ray and a small mover meet the same
// bodies. A size of 0 is allowed too and gives a true point or segment. It meets the open interiors
// of bodies. So it passes along the seam between two adjacent bodies, where a box of any width is
// stopped. As in the step, touching is not a hit: a cast along an edge is free. A cast from an edge
// inwards hits at once. A cast straight into a corner hits too. A body that is reached exactly at
// the end of the way is not hit.
//
// The index over the movers is one level of a packed R-tree. The movers are sorted along a
// space-filling curve and cut into blocks of equal size, each with its bounds. Source: Kamel and
// Faloutsos, On packing R-trees (1993).

#include "sim/box.h"
#include "sim/world.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::sim {

/// The longest way of a cast on either axis: 4,096 units, the longest way of a body in one tick.
inline constexpr std::int32_t kCastWayLimit = kSpeedLimit;

/// Whether a cast hits ghosts, the bodies that stop no other body.
enum class CastGhosts : std::uint8_t { Skipped, Counted };

/// Whether a cast hits the bodies that overlap the box at its start. By default it does: a ray that
/// begins inside a wall must not pass through it.
enum class CastStart : std::uint8_t { Counted, Skipped };

/// A box, its way in sub-units, and the bodies that it may meet.
struct Cast {
  Vec2 from;                             ///< the minimum corner; within ±kWorldLimit
  Vec2 size = {1, 1};                    ///< 0 to kSizeLimit each
  Vec2 way;                              ///< within ±kCastWayLimit; (0, 0) finds overlaps at `from`
  std::uint16_t layers = 1;              ///< as Body::layers
  std::uint16_t collides_with = 0xffff;  ///< as Body::collides_with
  BodyId ignores = kNoBody;              ///< normally the body that casts
  CastGhosts ghosts = CastGhosts::Skipped;
  CastStart start = CastStart::Counted;
};

/// One body on the way of a cast.
struct CastHit {
  BodyId body;      ///< kWorldBorder for a solid side of the world
  Moment at;        ///< share of the way: kFineSteps is all of it
  Fine length = 0;  ///< length of the common edge at the floor of `at`
  Vec2 place;       ///< the minimum corner at the hit: exact along the normal, else rounded
  std::int8_t normal_x = 0;  ///< from the body to the box; (0, 0) for an overlap at the start
  std::int8_t normal_y = 0;

  friend bool operator==(const CastHit&, const CastHit&) = default;
};

/// Orders hits: earlier moment, overlap at the start, longer contact, lower id. Two sides of the
/// world have one id: the side of larger speed goes first, then y.
[[nodiscard]] bool is_before(const CastHit& a, const CastHit& b);

/// The hit on one body, whatever else is on the way. The first of the hits on all bodies, in the
/// order of is_before(), is that of Caster::nearest(). Requires: as Caster::nearest().
[[nodiscard]] std::optional<CastHit> hit_on(const Cast& cast, const Body& body);

/// Answers casts against movers at their positions, statics and fixed bodies. One index serves many
/// casts.
///
/// One-way bodies are hit from their solid side only, and never from within. A box at the nearest
/// hit's `place` overlaps no body that the cast may meet, except one-way bodies and bodies that it
/// overlapped at the start. Cost: no allocation once warm.
class Caster {
 public:
  /// Reserves memory for `movers` movers.
  void reserve(std::size_t movers);

  /// Indexes a world, in place of the one before.
  /// Requires: `world` stays unchanged while casts are answered. Cost: sorts the movers.
  void rebuild(const PhysicsWorld& world);

  /// Indexes movers outside any world, such as the past movers of lag compensation.
  /// Requires: all bodies stay unchanged while casts are answered.
  void rebuild(const Immovables& immovables, Border border, std::span<const Body> movers);

  /// The first hit, or nothing. Requires: rebuild(); `cast` within the limits of Cast.
  [[nodiscard]] std::optional<CastHit> nearest(const Cast& cast) const;

  /// Replaces `hits` with all hits in order: one per body, and one per side of the border.
  /// Requires: as nearest().
  void all(const Cast& cast, std::vector<CastHit>& hits) const;

 private:
  /// Consecutive movers of `order_`.
  struct Block {
    Box bounds;
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };

  template <class Visit>
  void visit_movers(const Cast& cast, const Box& hull, Visit&& visit) const;
  template <class Visit, class IsOver>
  void visit_immovables(const Cast& cast, const Motion& motion, const Box& hull, Visit&& visit,
                        IsOver&& is_over) const;
  template <class Visit>
  void visit_border(const Cast& cast, const Motion& motion, Visit&& visit) const;

  std::optional<Immovables> immovables_;
  Border border_ = Border::Solid;
  std::span<const Body> movers_;
  std::vector<std::uint64_t> order_;  ///< key on the curve (high bits), index of the mover
  std::vector<Block> blocks_;
};

}  // namespace tickbox::sim
