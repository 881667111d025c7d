#pragma once
// Which impacts a one-way body answers: those on its solid side.

#include "sim/body.h"
#include "sim/step/sweep.h"

namespace tickbox::sim {

/// Whether `other` hits the one-way body on the side called `solid`, which is not None.
[[nodiscard]] constexpr bool is_from_solid_side(OneWay solid, const Impact& impact,
                                                const Motion& other, const Motion& one_way) {
  const Axis axis = solid == OneWay::Left || solid == OneWay::Right ? 0 : 1;
  if (impact.axis != axis) return false;
  const FineTime now = impact.at.whole;
  const bool other_is_low = other.low(axis, now) < one_way.low(axis, now);
  return other_is_low == (solid == OneWay::Left || solid == OneWay::Up);
}

}  // namespace tickbox::sim
