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
  if (kinematics_.empty() || settings_.gravity == Vec2{}) return false;
  rides.assign(bodies_.size(), {});
  wave_.clear();
  for (const std::uint32_t kinematic : kinematics_) {
    if (parts_[kinematic] == Part::Ghost || (when == RideAt::End && has_left_[kinematic] != 0)) {
      continue;
    }
    const auto& velocity = flights_[kinematic].motion.velocity;
    rides[kinematic] = {
        .wave = 0,
        .root = kinematic,
        .given = {static_cast<std::int32_t>(velocity[0]), static_cast<std::int32_t>(velocity[1])}};
    wave_.push_back(kinematic);
  }
  bool found = false;
  while (!wave_.empty()) {
    next_wave_.clear();
    for (const std::uint32_t carrier : wave_) {
      find_standing_on(carrier, when, rides);
    }
    for (const std::uint32_t rider : next_wave_) {
      rides[rider].root = rides[rides[rider].on].root;
      rides[rider].given = rides[rides[rider].on].given;
    }
    found = found || !next_wave_.empty();
    wave_.swap(next_wave_);
  }
  return found;
}

void StepRun::find_standing_on(std::uint32_t carrier, RideAt when, std::vector<Ride>& rides) {
  const Body& below = bodies_[carrier];
  const std::uint32_t wave = rides[carrier].wave + 1;
  grid_.visit_near(rect_of(box_of(below.min, below.size)), [&](std::uint32_t rider) {
    const Body& body = bodies_[rider];
    Ride& ride = rides[rider];
    if (body.kind != Kind::Dynamic || ride.wave < wave || !may_collide(body, below)) return;
    if (when == RideAt::End && has_left_[rider] != 0) return;
    for (Axis axis = 0; axis < kAxes; ++axis) {
      const std::int64_t length = standing_length(body, below, axis);
      if (length <= 0 || !moves_along(rider, carrier, axis, when)) continue;
      if (ride.wave == kNobody) {
        next_wave_.push_back(rider);
      } else if (length < ride.length ||
                 (length == ride.length && bodies_[ride.on].id < below.id)) {
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
  const std::int32_t gravity = settings_.gravity[axis];
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
  const bool is_leaving = settings_.gravity[axis] > 0 ? apart < 0 : apart > 0;
  return !is_leaving || (when == RideAt::Start && bodies_[rider].carrier == bodies_[carrier].id);
}

std::int64_t StepRun::own_velocity(std::uint32_t mover, Axis axis, RideAt when) const {
  if (when == RideAt::End) return flights_[mover].motion.velocity[axis];
  return bodies_[mover].kind == Kind::Kinematic ? 0 : bodies_[mover].velocity[axis];
}

void StepRun::carry() {
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    Ride& ride = rides_[i];
    if (ride.wave == kNobody || ride.wave == 0) continue;
    riders_.push_back({ride.root, i});
    note_influence(bodies_[i], bodies_[ride.on]);
    for (Axis axis = 0; axis < kAxes; ++axis) {
      const std::int32_t own = bodies_[i].velocity[axis];
      const std::int64_t carried = clamped_speed(std::int64_t{own} + ride.given[axis]);
      flights_[i].motion.velocity[axis] = carried;
      ride.given[axis] = static_cast<std::int32_t>(carried - own);
    }
  }
  std::sort(riders_.begin(), riders_.end());
}

// What somebody was given ends with the tick, or with its platform's motion.
std::int64_t StepRun::without_given(std::uint32_t mover, Axis axis) const {
  const std::int64_t velocity = flights_[mover].motion.velocity[axis];
  const std::int64_t given = rides_[mover].given[axis];
  return flights_[mover].has_changed(axis) ? towards_zero(velocity, given) : velocity - given;
}

void StepRun::drop_riders_of(std::uint32_t kinematic, FineTime now) {
  const auto first = std::lower_bound(riders_.begin(), riders_.end(), Rider{kinematic, 0});
  for (auto one = first; one != riders_.end() && one->root == kinematic; ++one) {
    const std::uint32_t rider = one->mover;
    for (Axis axis = 0; axis < kAxes; ++axis) {
      turn(rider, axis, without_given(rider, axis), now);
    }
    rides_[rider].given = {};
    mark_turned(rider);
    unsettled_.push_back(rider);
  }
}

// At the end, who still stands on something is set down: its velocity is its own again.
void StepRun::set_down() {
  if (!find_riders(RideAt::End, rides_at_end_)) return;
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    const Ride& ride = rides_at_end_[i];
    if (ride.wave == kNobody || ride.wave == 0) continue;
    const bool was_riding = !rides_.empty() && rides_[i].wave != kNobody;
    Body& body = bodies_[i];
    body.carrier = bodies_[ride.on].id;
    note_influence(body, bodies_[ride.on]);
    for (Axis axis = 0; axis < kAxes; ++axis) {
      const std::int64_t velocity =
          was_riding ? without_given(i, axis)
                     : towards_zero(flights_[i].motion.velocity[axis], ride.given[axis]);
      body.velocity[axis] = static_cast<std::int32_t>(clamped_speed(velocity));
    }
  }
}

}  // namespace tickbox::sim
