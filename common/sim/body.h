#pragma once
// A box of the world and everything the step has to know of it.

#include "core/fixed.h"
#include "core/ids.h"

#include <cstdint>

namespace tickbox::sim {

enum class Kind : std::uint8_t { Static, Dynamic };

/// What a body does at a contact; each body follows its own.
enum class Response : std::uint8_t {
  Slide,   ///< keeps its tangential velocity, and shares one normal velocity with what it met
  Stop,    ///< as Slide, and its tangential velocity becomes zero at its first event of the tick
  Bounce,  ///< its normal velocity is reflected, with restitution
};

/// Restitution is counted in 1/256, so that 256 loses nothing.
inline constexpr std::uint16_t kFullRestitution = 256;

/// The whole of the world's gravity: gravity_scale is counted in 1/256.
inline constexpr std::uint16_t kFullGravity = 256;

/// The largest size on either axis.
inline constexpr std::int32_t kSizeLimit = 1 << 30;

/// No body: the default of `Body::ignores`.
inline constexpr BodyId kNoBody{0xffff'ffff};

/// How contacts name the world's border. No body may have this id or a larger one.
inline constexpr BodyId kWorldBorder{0xffff'fffe};

/// An axis-aligned box. Positions and sizes are in sub-units, velocities in sub-units per tick.
struct Body {
  BodyId id{};
  Kind kind = Kind::Dynamic;
  Response response = Response::Slide;
  Vec2 min{};                                  ///< the corner with the least x and the least y
  Vec2 size{};                                 ///< 1 to kSizeLimit each
  Vec2 velocity{};                             ///< each component within ±kSpeedLimit
  std::uint16_t mass = 1;                      ///< 1 to 65,535; statics weigh infinitely much
  std::uint16_t restitution = 0;               ///< 0 to kFullRestitution; only of Bounce
  std::uint16_t gravity_scale = kFullGravity;  ///< share of the world's gravity, in 1/256
  std::uint16_t layers = 1;
  std::uint16_t collides_with = 0xffff;
  BodyId ignores = kNoBody;  ///< one body it never meets: a bullet and who fired it

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
  visit(body.gravity_scale);
  visit(body.layers);
  visit(body.collides_with);
  visit(body.ignores.value);
}

/// What for_each_field() hands out, in bytes.
inline constexpr std::size_t kBodyFieldBytes = 44;

/// Whether two bodies collide at all: each one's layers meet what the other collides with, and
/// neither ignores the other.
[[nodiscard]] constexpr bool may_meet(const Body& a, const Body& b) {
  return (a.layers & b.collides_with) != 0 && (b.layers & a.collides_with) != 0 &&
         a.ignores != b.id && b.ignores != a.id;
}

/// Whether every number of `body` is one the step can work with.
[[nodiscard]] constexpr bool is_within_limits(const Body& body) {
  const auto between = [](std::int32_t value, std::int32_t low, std::int32_t high) {
    return low <= value && value <= high;
  };
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (!between(body.min[axis], -kWorldLimit, kWorldLimit)) return false;
    if (!between(body.size[axis], 1, kSizeLimit)) return false;
    if (!between(body.velocity[axis], -kSpeedLimit, kSpeedLimit)) return false;
  }
  return body.mass >= 1 && body.restitution <= kFullRestitution && body.id < kWorldBorder;
}

}  // namespace tickbox::sim
