#pragma once
// What a box that is pushed through a resting world would meet: raycasts and box casts, by the same
// exact time of impact as the step.
//
// A ray is the smallest box there is, one sub-unit wide: what a ray meets, a bullet meets. A size
// of 0 is allowed too, and is then a true point or segment: it meets the open interiors of bodies,
// so it passes along the seam between two that abut, where a box of any width does not. In
// everything else touching is no hit, as in the step: along an edge is free, from an edge inwards
// is a hit at once, and so is straight into a corner; to reach a body exactly at the end of the way
// is none.
//
// The index over the movers is one level of a packed R-tree: they are sorted along a space-filling
// curve, and cut into blocks of equal number, each with its bounds. Source: Kamel and Faloutsos, On
// packing R-trees (1993).

#include "sim/box.h"
#include "sim/world.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::sim {

/// Longest way of a cast on either axis, 4,096 units: what a body can go in one tick.
inline constexpr std::int32_t kCastWayLimit = kSpeedLimit;

/// Whether bodies that stop nobody are hit.
enum class CastGhosts : std::uint8_t { Skipped, Counted };

/// Whether bodies that overlap the box where it starts are hit there. They are by default: who puts
/// a gun's muzzle into a wall must not shoot through it.
enum class CastStart : std::uint8_t { Counted, Skipped };

/// A box and the way it is pushed, in sub-units, and what it may meet.
struct Cast {
  Vec2 from;                             ///< the minimum corner; within ±kWorldLimit
  Vec2 size = {1, 1};                    ///< 0 to kSizeLimit each
  Vec2 way;                              ///< within ±kCastWayLimit; (0, 0) asks who is there
  std::uint16_t layers = 1;              ///< as of a body
  std::uint16_t collides_with = 0xffff;  ///< as of a body
  BodyId ignores = kNoBody;              ///< who casts, as a rule
  CastGhosts ghosts = CastGhosts::Skipped;
  CastStart start = CastStart::Counted;
};

/// One body on the way of a cast.
struct CastHit {
  BodyId body;               ///< kWorldBorder where a solid side of the world is met
  Moment at;                 ///< share of the way: all of it is kFineSteps
  Fine length = 0;           ///< of the common edge at the floor of `at`
  Vec2 place;                ///< the minimum corner there: exact along the normal, else rounded
  std::int8_t normal_x = 0;  ///< points from the body to the box; (0, 0) of one that is overlapped
  std::int8_t normal_y = 0;  ///< at the start

  friend bool operator==(const CastHit&, const CastHit&) = default;
};

/// Sooner; at the same moment overlapped at the start, longer contact, lower id. (Of two sides of
/// the world the one of larger speed, then y.)
[[nodiscard]] bool is_before(const CastHit& a, const CastHit& b);

/// Answers casts against movers where they are and the statics around them. Built once for many.
///
/// One-way bodies are hit from their solid side only, and never from within. A box put at the
/// nearest hit's `place` overlaps nothing that the cast may meet, one-way bodies apart, unless it
/// did so at the start. Cost: no allocation once warm.
class Caster {
 public:
  /// Makes room for so many movers.
  void reserve(std::size_t movers);

  /// Takes the place of what it was shown before.
  /// Requires: `world` stays unchanged while casts are answered.   Cost: sorts the movers.
  void look_at(const World& world);

  /// The same for movers that are not in any world, such as the past ones of lag compensation.
  /// Requires: `statics` and `movers` stay unchanged while casts are answered.
  void look_at(const Statics& statics, Border border, std::span<const Body> movers);

  /// The first hit, or nothing.
  [[nodiscard]] std::optional<CastHit> nearest(const Cast& cast) const;

  /// All hits in order, one per body (of the border one per side), in place of what `hits` held.
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
  void visit_statics(const Cast& cast, const Motion& motion, const Box& hull, Visit&& visit,
                     IsOver&& is_over) const;
  template <class Visit>
  void visit_border(const Cast& cast, const Motion& motion, Visit&& visit) const;

  const Statics* statics_ = nullptr;
  Border border_ = Border::Solid;
  std::span<const Body> movers_;
  std::vector<std::uint64_t> order_;  ///< key of the curve, then index of mover
  std::vector<Block> blocks_;
};

}  // namespace tickbox::sim
