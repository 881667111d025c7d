#pragma once
// What the physics knows of an entity: a pure function of its state. The physics itself uses the
// same words (common/sim/README.md).

#include "tickbox/units.h"

#include <cstdint>

namespace tickbox {

/// How a body moves.
enum class Motion : std::uint8_t {
  Dynamic,  ///< moves, and contacts change its velocity
  /// Moves by its path or its own velocity. Nothing pushes it. Walls and the map's border do not
  /// stop it: rules keep it in its place. A body that it would squeeze may stop it (Squeeze).
  Kinematic,
  /// Never moves, and costs a tick nothing while no callback runs for it: a coin, a brick, a
  /// pellet. Its velocity is (0, 0): what is written to it has no effect. Writing its `min`
  /// teleports it. Two fixed bodies never meet. A body must not become fixed, or cease to be, with
  /// its state: this is asserted. Bodies that touch the same fixed body are one island. So a large
  /// floor that never changes belongs to the map.
  Fixed,
};

/// The response of a body to a contact; each body follows its own.
enum class Response : std::uint8_t {
  Slide,   ///< keeps its tangential velocity, and shares one normal velocity with the other body
  Stop,    ///< as Slide, and its tangential velocity becomes zero at its first contact of the tick
  Bounce,  ///< its normal velocity is reflected, with restitution
  Pass,    ///< moves through everything but the world's border, and is reported like a sensor
};

/// The only solid side of a static, fixed or kinematic body: Up stops bodies that come from above.
enum class OneWay : std::uint8_t { None, Up, Down, Left, Right };

/// The behaviour of a kinematic body that would squeeze a body against an immovable one.
enum class Squeeze : std::uint8_t {
  Blocked,  ///< waits for the rest of the tick
  Crush,    ///< moves on, and reports the bodies that it crushes
};

/// The behaviour of a border.
enum class Border : std::uint8_t {
  Solid,   ///< immovable; bodies slide, stop or bounce there as at any wall
  Remove,  ///< what has crossed it is removed
};

/// The properties of an entity's body. Its place and velocity are the entity's own.
struct Body {
  Vec2 size{kUnit, kUnit};
  Motion motion = Motion::Dynamic;
  Response response = Response::Slide;
  std::uint16_t mass = 1;         ///< 1 to 65,535
  std::uint16_t restitution = 0;  ///< in 1/256, at most 256; only for Response::Bounce
  std::uint8_t friction = 0;      ///< in 1/256; the larger of two bodies counts
  std::uint16_t gravity = 256;    ///< share of the world's gravity, in 1/256
  std::uint16_t layers = 1;       ///< bits: the layers in which the body is
  /// Bits of layers. Two bodies meet if each is in a layer with which the other collides.
  std::uint16_t collides_with = 0xffff;
  bool sensor = false;                 ///< reports the bodies that overlap it, and stops none
  OneWay one_way = OneWay::None;       ///< of a kinematic or fixed body
  Squeeze squeeze = Squeeze::Blocked;  ///< of a kinematic body
};

}  // namespace tickbox
