#pragma once
// One box of the world, with every field that the step reads.

#include "core/fixed.h"
#include "core/ids.h"
#include "tickbox/body.h"

#include <cstdint>

namespace tickbox::sim {

enum class Kind : std::uint8_t {
  Static,     ///< never moves
  Dynamic,    ///< moves, and contacts change its velocity
  Kinematic,  ///< moves by its path or its own velocity; nothing pushes it
  Fixed,      ///< as a static, but of one world: it can be added and removed between steps
};

using tickbox::OneWay;
using tickbox::Response;
using tickbox::Squeeze;

/// The unit of friction is 1/256. A body has at most 255 of them.
inline constexpr int kFrictionWhole = 256;

/// The unit of restitution is 1/256: a bounce with 256 loses no speed.
inline constexpr std::uint16_t kFullRestitution = 256;

/// The unit of gravity_scale is 1/256: 256 is the world's full gravity.
inline constexpr std::uint16_t kFullGravity = 256;

/// The largest size on either axis.
inline constexpr std::int32_t kSizeLimit = 1 << 30;

/// No body: the value of `ignores` and `carrier` of a body that ignores none and rides on none.
inline constexpr BodyId kNoBody{0xffff'ffff'ffff'ffff};

/// The id of the world's border in contacts. No body may have this id or a larger one.
inline constexpr BodyId kWorldBorder{0xffff'ffff'ffff'fffe};

/// No path: a kinematic body moves by its velocity.
inline constexpr std::uint16_t kNoPath = 0xffff;

/// An axis-aligned box. Positions and sizes are in sub-units, velocities in sub-units per tick.
struct Body {
  BodyId id{};
  Kind kind = Kind::Dynamic;
  Response response = Response::Slide;
  Vec2 min{};                     ///< the corner with the least x and the least y
  Vec2 size{};                    ///< 1 to kSizeLimit each
  Vec2 velocity{};                ///< each within ±kSpeedLimit; (0, 0) for fixed bodies
  std::uint16_t mass = 1;         ///< 1 to 65,535; all but dynamic bodies have infinite mass
  std::uint16_t restitution = 0;  ///< 0 to kFullRestitution; only for Response::Bounce
  std::uint8_t friction = 0;      ///< in 1/kFrictionWhole; the larger of two bodies counts
  std::uint16_t gravity_scale = kFullGravity;  ///< share of the world's gravity, in 1/256
  std::uint16_t layers = 1;
  std::uint16_t collides_with = 0xffff;
  BodyId ignores = kNoBody;            ///< a body that it never meets: the one that spawned it
  bool sensor = false;                 ///< reports the bodies that overlap it, and stops none
  OneWay one_way = OneWay::None;       ///< always None for dynamic bodies
  Squeeze squeeze = Squeeze::Blocked;  ///< for kinematic bodies
  std::uint16_t path = kNoPath;        ///< for kinematic bodies: an index into Statics::paths()
  std::uint32_t path_ticks = 0;        ///< completed ticks of its path
  BodyId carrier = kNoBody;  ///< for dynamic bodies: the body it rode on when the last tick ended

  friend bool operator==(const Body&, const Body&) = default;
};

/// Visits every field in the order of the hash. Only ids have 64 bits.
template <class Visit>
constexpr void for_each_field(const Body& body, Visit&& visit) {
  visit(body.id.value);
  visit(static_cast<std::uint8_t>(body.kind));
  visit(static_cast<std::uint8_t>(body.response));
  visit(body.min.x);
  visit(body.min.y);
  visit(body.size.x);
  visit(body.size.y);
  visit(body.velocity.x);
  visit(body.velocity.y);
  visit(body.mass);
  visit(body.restitution);
  visit(body.friction);
  visit(body.gravity_scale);
  visit(body.layers);
  visit(body.collides_with);
  visit(body.ignores.value);
  visit(static_cast<std::uint8_t>(body.sensor));
  visit(static_cast<std::uint8_t>(body.one_way));
  visit(static_cast<std::uint8_t>(body.squeeze));
  visit(body.path);
  visit(body.path_ticks);
  visit(body.carrier.value);
}

/// The bytes of all fields that for_each_field() visits.
inline constexpr std::size_t kBodyFieldBytes = 70;

/// Whether each body has a layer among those that the other collides with, and neither ignores the
/// other.
[[nodiscard]] constexpr bool may_meet(const Body& a, const Body& b) {
  return (a.layers & b.collides_with) != 0 && (b.layers & a.collides_with) != 0 &&
         a.ignores != b.id && b.ignores != a.id;
}

/// Whether a body stops no other body: the step only reports the bodies that overlap it.
[[nodiscard]] constexpr bool is_ghost(const Body& body) {
  return body.sensor || body.response == Response::Pass;
}

/// Whether two bodies stop each other: they may meet, one is dynamic, and neither is a ghost.
/// A one-way body stops others on its solid side only.
[[nodiscard]] constexpr bool may_collide(const Body& a, const Body& b) {
  return (a.kind == Kind::Dynamic || b.kind == Kind::Dynamic) && !is_ghost(a) && !is_ghost(b) &&
         may_meet(a, b);
}

/// Whether the step keeps two bodies apart: they collide on all sides.
[[nodiscard]] constexpr bool stay_apart(const Body& a, const Body& b) {
  return may_collide(a, b) && a.one_way == OneWay::None && b.one_way == OneWay::None;
}

/// Whether a body moves on through the bodies that it would squeeze.
[[nodiscard]] constexpr bool crushes(const Body& body) {
  return body.kind == Kind::Kinematic && body.squeeze == Squeeze::Crush;
}

/// Whether every number of `body` is within the limits of the step.
[[nodiscard]] constexpr bool is_within_limits(const Body& body) {
  const auto between = [](std::int32_t value, std::int32_t low, std::int32_t high) {
    return low <= value && value <= high;
  };
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (!between(body.min[axis], -kWorldLimit, kWorldLimit)) return false;
    if (!between(body.size[axis], 1, kSizeLimit)) return false;
    if (std::int64_t{body.min[axis]} + body.size[axis] > INT32_MAX) return false;
    if (!between(body.velocity[axis], -kSpeedLimit, kSpeedLimit)) return false;
  }
  if (body.kind == Kind::Dynamic && body.one_way != OneWay::None) return false;
  if (body.kind != Kind::Kinematic && body.path != kNoPath) return false;
  if (body.kind == Kind::Fixed && body.velocity != Vec2{}) return false;
  return body.mass >= 1 && body.restitution <= kFullRestitution && body.id < kWorldBorder;
}

}  // namespace tickbox::sim
