#include "sim/step/carry.h"

#include "sim/step/velocity.h"

#include <algorithm>

namespace tickbox::sim {
namespace {

/// Riders are searched twice in a tick: to be carried, and to be released.
enum class RideAt : std::uint8_t { Start, End };

/// What a search for riders reads.
struct RiderSearch {
  RideAt when = RideAt::Start;
  Vec2 gravity;
  const Movers& movers;
};

/// `velocity` less `given`, but not beyond zero.
std::int64_t towards_zero(std::int64_t velocity, std::int64_t given) {
  if (velocity > 0 && given > 0) return std::max(std::int64_t{0}, velocity - given);
  if (velocity < 0 && given < 0) return std::min(std::int64_t{0}, velocity - given);
  return velocity;
}

/// Whether the side of a body against gravity is a solid one.
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

/// The length of the contact between `rider` and the side of `carrier` against gravity; at most 0
/// where there is none.
std::int64_t standing_length(const Body& rider, const Body& carrier, Axis axis, Vec2 gravity) {
  const bool is_positive = gravity[axis] > 0;
  if (gravity[axis] == 0 || !carries_on(carrier.one_way, axis, is_positive)) return 0;
  const Box above = box_of(rider.min, rider.size);
  const Box below = box_of(carrier.min, carrier.size);
  const bool touches =
      is_positive ? above.max[axis] == below.min[axis] : above.min[axis] == below.max[axis];
  if (!touches) return 0;
  const Axis across = other_axis(axis);
  return std::min(above.max[across], below.max[across]) -
         std::max(above.min[across], below.min[across]);
}

std::int64_t own_velocity(std::uint32_t mover, Axis axis, const RiderSearch& search) {
  if (search.when == RideAt::End) return search.movers.states[mover].motion.velocity[axis];
  const Body& body = search.movers.bodies[mover];
  return body.kind == Kind::Kinematic ? 0 : body.velocity[axis];
}

bool moves_along(std::uint32_t rider, std::uint32_t carrier, Axis axis, const RiderSearch& search) {
  const std::int64_t apart =
      own_velocity(rider, axis, search) - own_velocity(carrier, axis, search);
  const bool is_leaving = search.gravity[axis] > 0 ? apart < 0 : apart > 0;
  const auto& bodies = search.movers.bodies;
  return !is_leaving ||
         (search.when == RideAt::Start && bodies[rider].carrier == bodies[carrier].id);
}

/// Adds the bodies that stand on `carrier` to the next wave.
void find_standing_on(std::uint32_t carrier, const RiderSearch& search, std::vector<Ride>& rides,
                      std::vector<std::uint32_t>& next_wave) {
  const Movers& movers = search.movers;
  const Body& below = movers.bodies[carrier];
  const std::uint32_t wave = rides[carrier].wave + 1;
  movers.visit_near(rect_of(box_of(below.min, below.size)), [&](std::uint32_t rider) {
    const Body& body = movers.bodies[rider];
    Ride& ride = rides[rider];
    if (body.kind != Kind::Dynamic || ride.wave < wave || !may_collide(body, below)) return;
    if (movers.states[rider].has_left) return;
    for (Axis axis = 0; axis < kAxes; ++axis) {
      const std::int64_t length = standing_length(body, below, axis, search.gravity);
      if (length <= 0 || !moves_along(rider, carrier, axis, search)) continue;
      if (ride.wave == kNoMover) {
        next_wave.push_back(rider);
      } else if (length < ride.length ||
                 (length == ride.length && movers.bodies[ride.on].id < below.id)) {
        continue;
      }
      ride.wave = wave;
      ride.on = carrier;
      ride.length = length;
    }
  });
}

/// Fills `found` with all rides, and returns whether there is any.
bool find_riders(const RiderSearch& search, Rides& rides, std::vector<Ride>& found) {
  const Movers& movers = search.movers;
  if (movers.kinematics.empty() || search.gravity == Vec2{}) return false;
  found.assign(movers.bodies.size(), {});
  rides.wave.clear();
  for (const std::uint32_t kinematic : movers.kinematics) {
    const MoverState& state = movers.states[kinematic];
    if (movers.roles[kinematic] == Role::Ghost || state.has_left) continue;
    found[kinematic] = {.wave = 0, .root = kinematic, .given = velocity_of(state.motion)};
    rides.wave.push_back(kinematic);
  }
  bool any = false;
  while (!rides.wave.empty()) {
    rides.next_wave.clear();
    for (const std::uint32_t carrier : rides.wave) {
      find_standing_on(carrier, search, found, rides.next_wave);
    }
    for (const std::uint32_t rider : rides.next_wave) {
      found[rider].root = found[found[rider].on].root;
      found[rider].given = found[found[rider].on].given;
    }
    any = any || !rides.next_wave.empty();
    rides.wave.swap(rides.next_wave);
  }
  return any;
}

bool is_rider(const Ride& ride) {
  return ride.wave != kNoMover && ride.wave != 0;
}

/// The velocity of a mover without what it was given at the tick's start.
std::int64_t without_given(std::uint32_t mover, Axis axis, const Movers& movers) {
  const MoverState& state = movers.states[mover];
  const std::int64_t velocity = state.motion.velocity[axis];
  const std::int64_t given = movers.rides.at_start[mover].given[axis];
  return state.has_changed(axis) ? towards_zero(velocity, given) : velocity - given;
}

}  // namespace

bool carry_riders(const Environment& environment, Movers& movers, StepReport& report) {
  Rides& rides = movers.rides;
  rides.riders.clear();
  const RiderSearch search{RideAt::Start, environment.settings.gravity, movers};
  if (!find_riders(search, rides, rides.at_start)) return false;
  for (std::uint32_t i = 0; i < movers.bodies.size(); ++i) {
    Ride& ride = rides.at_start[i];
    if (!is_rider(ride)) continue;
    rides.riders.push_back({ride.root, i});
    record_influence(movers.bodies[i], movers.bodies[ride.on], report);
    for (Axis axis = 0; axis < kAxes; ++axis) {
      const std::int32_t own = movers.bodies[i].velocity[axis];
      const std::int64_t carried = clamped_speed(std::int64_t{own} + ride.given[axis]);
      movers.states[i].motion.velocity[axis] = carried;
      ride.given[axis] = static_cast<std::int32_t>(carried - own);
    }
  }
  std::sort(rides.riders.begin(), rides.riders.end());
  return true;
}

void drop_riders(std::uint32_t kinematic, FineTime now, Movers& movers,
                 std::vector<std::uint32_t>& changed) {
  Rides& rides = movers.rides;
  const auto end = rides.riders.end();
  auto rider = std::lower_bound(rides.riders.begin(), end, Rider{kinematic, 0});
  for (; rider != end && rider->root == kinematic; ++rider) {
    const std::uint32_t mover = rider->mover;
    for (Axis axis = 0; axis < kAxes; ++axis) {
      turn(movers, mover, axis, without_given(mover, axis, movers), now);
    }
    rides.at_start[mover].given = {};
    mark_turned(movers, mover);
    changed.push_back(mover);
  }
}

void release_riders(const Environment& environment, Movers& movers, StepReport& report) {
  Rides& rides = movers.rides;
  const RiderSearch search{RideAt::End, environment.settings.gravity, movers};
  if (!find_riders(search, rides, rides.at_end)) return;
  for (std::uint32_t i = 0; i < movers.bodies.size(); ++i) {
    const Ride& ride = rides.at_end[i];
    if (!is_rider(ride)) continue;
    const bool was_riding = rides.at_start[i].wave != kNoMover;
    Body& body = movers.bodies[i];
    body.carrier = movers.bodies[ride.on].id;
    record_influence(body, movers.bodies[ride.on], report);
    for (Axis axis = 0; axis < kAxes; ++axis) {
      const std::int64_t velocity =
          was_riding ? without_given(i, axis, movers)
                     : towards_zero(movers.states[i].motion.velocity[axis], ride.given[axis]);
      body.velocity[axis] = static_cast<std::int32_t>(clamped_speed(velocity));
    }
  }
}

}  // namespace tickbox::sim
