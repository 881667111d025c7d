#pragma once
// Which side of a one-way body stops others, told by places alone.

#include "sim/box.h"

namespace tickbox::apps {

/// Whether `other` lies wholly beyond the side of `body` that is solid; anywhere where all are.
[[nodiscard]] constexpr bool is_on_solid_side(sim::OneWay solid, const sim::Box& body,
                                              const sim::Box& other) {
  switch (solid) {
    case sim::OneWay::None:
      return true;
    case sim::OneWay::Up:
      return other.max[1] <= body.min[1];
    case sim::OneWay::Down:
      return other.min[1] >= body.max[1];
    case sim::OneWay::Left:
      return other.max[0] <= body.min[0];
    case sim::OneWay::Right:
      return other.min[0] >= body.max[0];
  }
  return true;
}

/// Whether its solid side, or any, is met along `axis`.
[[nodiscard]] constexpr bool is_solid_along(sim::OneWay solid, sim::Axis axis) {
  const bool along_x = solid == sim::OneWay::Left || solid == sim::OneWay::Right;
  return solid == sim::OneWay::None || along_x == (axis == 0);
}

}  // namespace tickbox::apps
