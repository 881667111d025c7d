#pragma once
// The ways to change the velocity of a mover: a turn, an event, and friction.

#include "sim/response.h"
#include "sim/step/movers.h"

#include <algorithm>
#include <cstdint>

namespace tickbox::sim {

/// Makes all impacts stale that were found for `mover` before.
inline void mark_turned(Movers& movers, std::uint32_t mover) {
  if (movers.states[mover].version++ == 0) movers.turned.push_back(mover);
}

/// Changes the velocity on one axis from `now` on, which is no event. The velocity is clamped.
inline void turn(Movers& movers, std::uint32_t mover, Axis axis, std::int64_t velocity,
                 FineTime now) {
  const std::int64_t clamped = clamped_speed(velocity);
  MoverState& state = movers.states[mover];
  if (clamped == state.motion.velocity[axis]) return;
  if (movers.has_ghosts && now > 0) movers.pieces.push_back({mover, now, state.motion});
  state.motion.turn(axis, clamped, now);
  state.is_bent = state.is_bent || now > 0;
  state.unblock(axis);
}

/// Counts an event of `mover` and gives it the velocity that the event leaves it on `axis`. A spent
/// body freezes instead. A body that stops loses its tangential velocity at its first event.
inline void set_velocity(Movers& movers, std::uint32_t mover, Axis axis, std::int64_t velocity,
                         FineTime now) {
  MoverState& state = movers.states[mover];
  const bool is_first = state.events == 0;
  const bool freezes = state.is_spent();
  const auto change = [&](Axis changed, std::int64_t to) {
    const std::int64_t before = state.motion.velocity[changed];
    turn(movers, mover, changed, to, now);
    if (state.motion.velocity[changed] != before) state.mark_changed(changed);
  };
  ++state.events;
  mark_turned(movers, mover);
  change(axis, freezes ? 0 : velocity);
  if (freezes || (is_first && movers.bodies[mover].response == Response::Stop)) {
    change(other_axis(axis), 0);
  }
}

/// Two bodies that meet on one axis.
struct Touch {
  std::uint32_t low = kNoMover;   ///< kNoMover: a wall
  std::uint32_t high = kNoMover;  ///< kNoMover: a wall
  std::int64_t change = 0;        ///< of their relative normal velocity
  int friction = 0;               ///< in 1/kFrictionWhole
  bool low_is_fixed = false;
  bool high_is_fixed = false;
};

/// The friction of two movers before they have an event: none if one of them is over its bounce
/// budget. Turns along one axis would otherwise reopen contacts on the other again and again.
[[nodiscard]] inline int friction_of(std::uint32_t a, std::uint32_t b, const Movers& movers) {
  for (const std::uint32_t mover : {a, b}) {
    const bool is_dynamic = movers.bodies[mover].kind == Kind::Dynamic;
    if (is_dynamic && is_over_bounce_budget(movers.states[mover].events, Kind::Dynamic)) return 0;
  }
  return std::max(movers.bodies[a].friction, movers.bodies[b].friction);
}

/// Takes from the tangential velocity between two bodies at most the share of friction in the
/// change of the normal velocity. `axis` is the axis of the normal.
inline void apply_friction(const Touch& touch, Axis axis, FineTime now, Movers& movers) {
  if (touch.friction == 0) return;
  const Axis along = other_axis(axis);
  const auto velocity_of = [&](std::uint32_t mover) {
    return mover == kNoMover ? 0 : movers.states[mover].motion.velocity[along];
  };
  const auto mass_of = [&](std::uint32_t mover, bool is_fixed) {
    return is_fixed || mover == kNoMover ? 0 : std::int64_t{movers.bodies[mover].mass};
  };
  const std::int64_t low = velocity_of(touch.low);
  const std::int64_t high = velocity_of(touch.high);
  const std::int64_t most = touch.change * touch.friction / kFrictionWhole;
  const std::int64_t taken = std::clamp(low - high, -most, most);
  if (taken == 0) return;
  const std::int64_t low_mass = mass_of(touch.low, touch.low_is_fixed);
  const std::int64_t high_mass = mass_of(touch.high, touch.high_is_fixed);
  if (high_mass == 0) {
    turn(movers, touch.low, along, low - taken, now);
  } else if (low_mass == 0) {
    turn(movers, touch.high, along, high + taken, now);
  } else {
    const std::int64_t mass = low_mass + high_mass;
    turn(movers, touch.low, along, low - taken * high_mass / mass, now);
    turn(movers, touch.high, along, high + taken * low_mass / mass, now);
  }
}

}  // namespace tickbox::sim
