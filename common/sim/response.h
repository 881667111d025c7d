#pragma once
// The response to a contact on its normal axis: which body is immovable, the rebound, and whether
// both bodies share one velocity.

#include "core/assert.h"
#include "core/fixed.h"
#include "sim/body.h"
#include "sim/step/impact.h"

#include <algorithm>
#include <cstdint>

namespace tickbox::sim {

/// The numbers of events after which a body no longer bounces off dynamic bodies, and off all
/// others. Without these limits, bodies between bodies rattle ever faster inside one tick.
inline constexpr std::uint32_t kBounceBudgetAmongMovers = 8;
inline constexpr std::uint32_t kBounceBudgetAtStatics = 48;

/// One of the two bodies of a contact, reduced to the axis of the contact.
struct Side {
  std::int64_t velocity = 0;
  std::int64_t mass = 1;
  std::uint32_t events = 0;      ///< events of the body so far in this tick
  std::uint16_t bounciness = 0;  ///< its restitution, 0 unless it bounces
  bool stops = false;
  Kind kind = Kind::Static;
  bool spent = false;      ///< has used up its budget of events
  bool immovable = false;  ///< does not yield to the other: static, kinematic, spent, or blocked
};

/// The normal velocities after a contact. Invariant: low <= high, so the two do not approach.
struct Exchange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool shared = false;  ///< both move and nothing bounced: the whole touching block takes part
};

[[nodiscard]] constexpr std::uint16_t bounciness_of(const Body& body) {
  return body.response == Response::Bounce ? body.restitution : std::uint16_t{0};
}

/// Whether a body no longer bounces off a body of kind `met` in this tick.
[[nodiscard]] constexpr bool is_over_bounce_budget(std::uint32_t events, Kind met) {
  return events >= (met == Kind::Dynamic ? kBounceBudgetAmongMovers : kBounceBudgetAtStatics);
}

/// The speed with which the two bodies separate again.
[[nodiscard]] constexpr std::int64_t rebound_speed(const Side& low, const Side& high,
                                                   std::int64_t calm) {
  const std::int64_t approach = low.velocity - high.velocity;
  const bool inelastic = approach <= calm || low.stops || high.stops ||
                         is_over_bounce_budget(low.events, high.kind) ||
                         is_over_bounce_budget(high.events, low.kind);
  return inelastic ? 0 : approach * std::max(low.bounciness, high.bounciness) / kFullRestitution;
}

/// The velocity of an immovable side: 0 for statics and spent bodies. A blocked or kinematic body
/// keeps its velocity.
[[nodiscard]] constexpr std::int64_t own_velocity(const Side& side) {
  return side.spent ? 0 : side.velocity;
}

/// The velocities after a contact of `low` with `high`, the body on the side of larger coordinates.
/// `calm` is the approach speed up to which nothing bounces: twice the world's gravity.
/// Requires: low.velocity > high.velocity.
[[nodiscard]] constexpr Exchange exchange(const Side& low, const Side& high, std::int64_t calm) {
  TICKBOX_ASSERT(low.velocity > high.velocity);
  const std::int64_t rebound = rebound_speed(low, high, calm);
  if (low.immovable && high.immovable) return {};
  if (low.immovable) return {own_velocity(low), own_velocity(low) + rebound};
  if (high.immovable) return {own_velocity(high) - rebound, own_velocity(high)};

  const std::int64_t mass = low.mass + high.mass;
  const std::int64_t momentum = low.mass * low.velocity + high.mass * high.velocity;
  return {(momentum - high.mass * rebound) / mass, (momentum + low.mass * rebound) / mass,
          rebound == 0};
}

/// Whether `other` hits a one-way body on its `solid` side. Requires: `solid` is not None.
[[nodiscard]] constexpr bool is_from_solid_side(OneWay solid, const Impact& impact,
                                                const Motion& other, const Motion& one_way) {
  const Axis axis = solid == OneWay::Left || solid == OneWay::Right ? 0 : 1;
  if (impact.axis != axis) return false;
  const FineTime now = impact.at.whole;
  const bool other_is_low = other.low(axis, now) < one_way.low(axis, now);
  return other_is_low == (solid == OneWay::Left || solid == OneWay::Up);
}

}  // namespace tickbox::sim
