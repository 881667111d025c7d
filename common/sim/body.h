#pragma once
// A box of the world and everything the step has to know of it.

#include "core/fixed.h"
#include "core/ids.h"

#include <cstdint>

namespace tickbox::sim {

enum class Kind : std::uint8_t {
  Static,     ///< never moves
  Dynamic,    ///< moves, and is moved by what it meets
  Kinematic,  ///< moves by its path or its own velocity; nothing pushes it
};

/// What a body does at a contact; each body follows its own.
enum class Response : std::uint8_t {
  Slide,   ///< keeps its tangential velocity, and shares one normal velocity with what it met
  Stop,    ///< as Slide, and its tangential velocity becomes zero at its first event of the tick
  Bounce,  ///< its normal velocity is reflected, with restitution
  Pass,    ///< goes through everything but the world's border, and is reported as a sensor is
};

/// The one side of a static or kinematic body that is solid, as seen by those who come from there.
enum class OneWay : std::uint8_t { None, Up, Down, Left, Right };

/// What a kinematic body does when it would squeeze somebody against something immovable.
enum class Squeeze : std::uint8_t {
  Blocked,  ///< waits for the rest of the tick
  Crush,    ///< goes on, and reports whom it crushes
};

/// Friction is counted in 1/256, and never all of it.
inline constexpr int kFrictionWhole = 256;

/// Restitution is counted in 1/256, so that 256 loses nothing.
inline constexpr std::uint16_t kFullRestitution = 256;

/// The whole of the world's gravity: gravity_scale is counted in 1/256.
inline constexpr std::uint16_t kFullGravity = 256;

/// The largest size on either axis.
inline constexpr std::int32_t kSizeLimit = 1 << 30;

/// No body: who ignores nobody, and rides on nothing.
inline constexpr BodyId kNoBody{0xffff'ffff};

/// How contacts name the world's border. No body may have this id or a larger one.
inline constexpr BodyId kWorldBorder{0xffff'fffe};

/// No path: a kinematic body moves by its velocity.
inline constexpr std::uint16_t kNoPath = 0xffff;

/// An axis-aligned box. Positions and sizes are in sub-units, velocities in sub-units per tick.
struct Body {
  BodyId id{};
  Kind kind = Kind::Dynamic;
  Response response = Response::Slide;
  Vec2 min{};                     ///< the corner with the least x and the least y
  Vec2 size{};                    ///< 1 to kSizeLimit each
  Vec2 velocity{};                ///< each component within ±kSpeedLimit
  std::uint16_t mass = 1;         ///< 1 to 65,535; statics weigh infinitely much
  std::uint16_t restitution = 0;  ///< 0 to kFullRestitution; only of Bounce
  std::uint8_t friction = 0;      ///< in 1/kFrictionWhole; of two bodies, the larger counts
  std::uint16_t gravity_scale = kFullGravity;  ///< share of the world's gravity, in 1/256
  std::uint16_t layers = 1;
  std::uint16_t collides_with = 0xffff;
  BodyId ignores = kNoBody;            ///< one body it never meets: a bullet and who fired it
  bool sensor = false;                 ///< reports who overlaps it, and stops nobody
  OneWay one_way = OneWay::None;       ///< not of dynamic bodies
  Squeeze squeeze = Squeeze::Blocked;  ///< of kinematic bodies
  std::uint16_t path = kNoPath;        ///< of kinematic bodies: an index into Statics::paths()
  std::uint32_t path_ticks = 0;        ///< ticks of its path that it has completed
  BodyId carrier = kNoBody;  ///< of dynamic bodies: on what it rode when the last tick ended

  friend bool operator==(const Body&, const Body&) = default;
};

/// Visits every field, in the order in which they are hashed.
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

/// What for_each_field() hands out, in bytes.
inline constexpr std::size_t kBodyFieldBytes = 58;

/// Whether two bodies collide at all: each one's layers meet what the other collides with, and
/// neither ignores the other.
[[nodiscard]] constexpr bool may_meet(const Body& a, const Body& b) {
  return (a.layers & b.collides_with) != 0 && (b.layers & a.collides_with) != 0 &&
         a.ignores != b.id && b.ignores != a.id;
}

/// Whether it stops nobody: what overlaps it is reported, and that is all.
[[nodiscard]] constexpr bool is_ghost(const Body& body) {
  return body.sensor || body.response == Response::Pass;
}

/// Whether the two stop each other: they may meet, one of them is dynamic, and neither is a ghost.
/// A one-way body does so on its solid side only.
[[nodiscard]] constexpr bool may_collide(const Body& a, const Body& b) {
  return (a.kind == Kind::Dynamic || b.kind == Kind::Dynamic) && !is_ghost(a) && !is_ghost(b) &&
         may_meet(a, b);
}

/// Whether the step keeps the two apart: they collide, on all sides.
[[nodiscard]] constexpr bool stay_apart(const Body& a, const Body& b) {
  return may_collide(a, b) && a.one_way == OneWay::None && b.one_way == OneWay::None;
}

/// Whether it goes on through whom it would squeeze.
[[nodiscard]] constexpr bool crushes(const Body& body) {
  return body.kind == Kind::Kinematic && body.squeeze == Squeeze::Crush;
}

/// Whether every number of `body` is one the step can work with.
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
  return body.mass >= 1 && body.restitution <= kFullRestitution && body.id < kWorldBorder;
}

}  // namespace tickbox::sim
