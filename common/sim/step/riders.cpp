// Who stands on a platform goes where it goes.
//
// In waves: first the kinematic bodies, then who stands on them, then who stands on those, and so
// on. Each is given the displacement of the kinematic body at the bottom, as a velocity for this
// tick, and is swept with it like any other. So a rider's own velocity is relative to what it rides
// on. Where it lands on a platform or leaves it, the one kind of velocity is turned into the other.

#include "sim/step/step_run.h"

#include <algorithm>

namespace tickbox::sim {
namespace {

/// `velocity` less `given`, but never beyond zero: an event has had its say since.
std::int64_t towards_zero(std::int64_t velocity, std::int64_t given) {
  if (velocity > 0 && given > 0) return std::max(std::int64_t{0}, velocity - given);
  if (velocity < 0 && given < 0) return std::min(std::int64_t{0}, velocity - given);
  return velocity;
}

/// Whether the side of a body that looks against gravity is a solid one.
bool carries_on(OneWay solid, Axis axis, bool gravity_is_positive) {
  switch (solid) {
    case OneWay::None:
      return true;
    case OneWay::Up:
      return axis == 1 && gravity_is_positive;
    case OneWay::Down:
      return axis == 1 && !gravity_is_positive;
    case OneWay::Left:
      return axis == 0 && gravity_is_positive;
    case OneWay::Right:
      return axis == 0 && !gravity_is_positive;
  }
  return false;
}

}  // namespace

bool StepRun::find_riders(RideAt when, std::vector<Ride>& rides) {
  if (movers_.kinematics.empty() || environment_.settings.gravity == Vec2{}) return false;
  rides.assign(movers_.bodies.size(), {});
  rides_.wave.clear();
  for (const std::uint32_t kinematic : movers_.kinematics) {
    if (movers_.roles[kinematic] == Role::Ghost ||
        (when == RideAt::End && movers_.states[kinematic].has_left)) {
      continue;
    }
    const auto& velocity = movers_.states[kinematic].motion.velocity;
    rides[kinematic] = {
        .wave = 0,
        .root = kinematic,
        .given = {static_cast<std::int32_t>(velocity[0]), static_cast<std::int32_t>(velocity[1])}};
    rides_.wave.push_back(kinematic);
  }
  bool found = false;
  while (!rides_.wave.empty()) {
    rides_.next_wave.clear();
    for (const std::uint32_t carrier : rides_.wave) {
      find_standing_on(carrier, when, rides);
    }
    for (const std::uint32_t rider : rides_.next_wave) {
      rides[rider].root = rides[rides[rider].on].root;
      rides[rider].given = rides[rides[rider].on].given;
    }
    found = found || !rides_.next_wave.empty();
    rides_.wave.swap(rides_.next_wave);
  }
  return found;
}

void StepRun::find_standing_on(std::uint32_t carrier, RideAt when, std::vector<Ride>& rides) {
  const Body& below = movers_.bodies[carrier];
  const std::uint32_t wave = rides[carrier].wave + 1;
  candidates_.grid.visit_near(rect_of(box_of(below.min, below.size)), [&](std::uint32_t rider) {
    const Body& body = movers_.bodies[rider];
    Ride& ride = rides[rider];
    if (body.kind != Kind::Dynamic || ride.wave < wave || !may_collide(body, below)) return;
    if (when == RideAt::End && movers_.states[rider].has_left) return;
    for (Axis axis = 0; axis < kAxes; ++axis) {
      const std::int64_t length = standing_length(body, below, axis);
      if (length <= 0 || !moves_along(rider, carrier, axis, when)) continue;
      if (ride.wave == kNoMover) {
        rides_.next_wave.push_back(rider);
      } else if (length < ride.length ||
                 (length == ride.length && movers_.bodies[ride.on].id < below.id)) {
        continue;
      }
      ride.wave = wave;
      ride.on = carrier;
      ride.length = length;
    }
  });
}

/// Of the contact between `rider` and the side of `carrier` against gravity; 0 where there is none.
std::int64_t StepRun::standing_length(const Body& rider, const Body& carrier, Axis axis) const {
  const std::int32_t gravity = environment_.settings.gravity[axis];
  if (gravity == 0 || !carries_on(carrier.one_way, axis, gravity > 0)) return 0;
  const Box above = box_of(rider.min, rider.size);
  const Box below = box_of(carrier.min, carrier.size);
  const bool touches =
      gravity > 0 ? above.max[axis] == below.min[axis] : above.min[axis] == below.max[axis];
  if (!touches) return 0;
  const Axis across = other_axis(axis);
  return std::min(above.max[across], below.max[across]) -
         std::max(above.min[across], below.min[across]);
}

bool StepRun::moves_along(std::uint32_t rider, std::uint32_t carrier, Axis axis,
                          RideAt when) const {
  const std::int64_t apart = own_velocity(rider, axis, when) - own_velocity(carrier, axis, when);
  const bool is_leaving = environment_.settings.gravity[axis] > 0 ? apart < 0 : apart > 0;
  return !is_leaving ||
         (when == RideAt::Start && movers_.bodies[rider].carrier == movers_.bodies[carrier].id);
}

std::int64_t StepRun::own_velocity(std::uint32_t mover, Axis axis, RideAt when) const {
  if (when == RideAt::End) return movers_.states[mover].motion.velocity[axis];
  return movers_.bodies[mover].kind == Kind::Kinematic ? 0 : movers_.bodies[mover].velocity[axis];
}

void StepRun::carry() {
  for (std::uint32_t i = 0; i < movers_.bodies.size(); ++i) {
    Ride& ride = rides_.at_start[i];
    if (ride.wave == kNoMover || ride.wave == 0) continue;
    rides_.riders.push_back({ride.root, i});
    note_influence(movers_.bodies[i], movers_.bodies[ride.on], report_);
    for (Axis axis = 0; axis < kAxes; ++axis) {
      const std::int32_t own = movers_.bodies[i].velocity[axis];
      const std::int64_t carried = clamped_speed(std::int64_t{own} + ride.given[axis]);
      movers_.states[i].motion.velocity[axis] = carried;
      ride.given[axis] = static_cast<std::int32_t>(carried - own);
    }
  }
  std::sort(rides_.riders.begin(), rides_.riders.end());
}

// What somebody was given ends with the tick, or with its platform's motion.
std::int64_t StepRun::without_given(std::uint32_t mover, Axis axis) const {
  const std::int64_t velocity = movers_.states[mover].motion.velocity[axis];
  const std::int64_t given = rides_.at_start[mover].given[axis];
  return movers_.states[mover].has_changed(axis) ? towards_zero(velocity, given) : velocity - given;
}

void StepRun::drop_riders_of(std::uint32_t kinematic, FineTime now) {
  const auto first =
      std::lower_bound(rides_.riders.begin(), rides_.riders.end(), Rider{kinematic, 0});
  for (auto one = first; one != rides_.riders.end() && one->root == kinematic; ++one) {
    const std::uint32_t rider = one->mover;
    for (Axis axis = 0; axis < kAxes; ++axis) {
      turn(movers_, rider, axis, without_given(rider, axis), now);
    }
    rides_.at_start[rider].given = {};
    mark_turned(movers_, rider);
    impacts_.changed.push_back(rider);
  }
}

// At the end, who still stands on something is set down: its velocity is its own again.
void StepRun::set_down() {
  if (!find_riders(RideAt::End, rides_.at_end)) return;
  for (std::uint32_t i = 0; i < movers_.bodies.size(); ++i) {
    const Ride& ride = rides_.at_end[i];
    if (ride.wave == kNoMover || ride.wave == 0) continue;
    const bool was_riding = !rides_.at_start.empty() && rides_.at_start[i].wave != kNoMover;
    Body& body = movers_.bodies[i];
    body.carrier = movers_.bodies[ride.on].id;
    note_influence(body, movers_.bodies[ride.on], report_);
    for (Axis axis = 0; axis < kAxes; ++axis) {
      const std::int64_t velocity =
          was_riding ? without_given(i, axis)
                     : towards_zero(movers_.states[i].motion.velocity[axis], ride.given[axis]);
      body.velocity[axis] = static_cast<std::int32_t>(clamped_speed(velocity));
    }
  }
}

}  // namespace tickbox::sim
