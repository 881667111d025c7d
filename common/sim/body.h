#pragma once
// A box of the world and everything the step has to know of it.

#include <cstdint>

#include "core/fixed.h"
#include "core/ids.h"

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

/// No body: the default of `Body::ignores`.
inline constexpr BodyId kNoBody{0xffff'ffff};

/// An axis-aligned box. Positions and sizes are in sub-units, velocities in sub-units per tick.
struct Body {
  BodyId id;
  Kind kind = Kind::Dynamic;
  Response response = Response::Slide;
  Vec2 min;             ///< the corner with the least x and the least y
  Vec2 size;            ///< 1 to 2^30 each
  Vec2 velocity;        ///< each component within ±kSpeedLimit
  std::uint16_t mass = 1;         ///< 1 to 65,535; statics weigh infinitely much whatever stands here
  std::uint16_t restitution = 0;  ///< 0 to kFullRestitution; only of Bounce
  std::uint16_t gravity_scale = 256;  ///< share of the world's gravity, in 1/256
  std::uint16_t layers = 1;
  std::uint16_t collides_with = 0xffff;
  BodyId ignores = kNoBody;  ///< one body it never meets: a bullet and who fired it

  friend bool operator==(const Body&, const Body&) = default;
};

}  // namespace tickbox::sim
