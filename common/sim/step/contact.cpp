// One event of a tick: who is hit from which side, what both do, and what follows from it.

#include "sim/step/step_run.h"

#include <algorithm>

namespace tickbox::sim {

void StepRun::handle(const Event& event) {
  if (event.kind == Partner::Mover) {
    handle_pair(event);
  } else {
    handle_wall(event);
  }
  look_again(event.whole);
}

void StepRun::look_again(FineTime now) {
  for (const std::uint32_t mover : unsettled_) {
    if (settling_) {
      push_touching(mover);
    } else {
      look_ahead(mover, now);
    }
  }
  unsettled_.clear();
}

void StepRun::handle_wall(const Event& event) {
  const std::uint32_t mover = event.mover;
  const FineTime now = event.whole;
  const Axis axis = event.axis;
  const End end = flights_[mover].motion.velocity[axis] > 0 ? End::Low : End::High;
  const bool is_low = end == End::Low;
  const BodyId id = bodies_[mover].id;
  const BodyId wall_id = event.low_id == id ? event.high_id : event.low_id;
  add_contact(event.impact(), is_low ? id : wall_id, is_low ? wall_id : id);
  if (bodies_[mover].kind == Kind::Kinematic) {
    wait(mover, now);
    return;
  }
  const Side mine = mover_side(mover, axis, end);
  const Side wall = wall_side(event);
  const Side& low = is_low ? mine : wall;
  const Side& high = is_low ? wall : mine;
  const Exchange after = exchange(low, high, calm_speed(axis));

  const std::int64_t velocity = is_low ? after.low : after.high;
  give_velocity(mover, axis, velocity, now);
  if (velocity == 0) flights_[mover].block(axis, opposite(end));
  if (!mine.immovable && !is_tired(mine.events, Kind::Dynamic)) {
    const bool is_border = event.kind == Partner::Border;
    const std::uint8_t of_wall =
        is_border ? std::uint8_t{0} : statics_->bodies()[event.partner].friction;
    rub({.low = is_low ? mover : kNobody,
         .high = is_low ? kNobody : mover,
         .change = low.velocity - high.velocity + after.high - after.low,
         .friction = std::max(bodies_[mover].friction, of_wall)},
        axis, now);
  }
  if (!settling_) snap(event, end);
  unsettled_.push_back(mover);
}

void StepRun::handle_pair(const Event& event) {
  const Axis axis = event.axis;
  const FineTime now = event.whole;
  const bool is_low =
      flights_[event.mover].motion.low(axis, now) < flights_[event.partner].motion.low(axis, now);
  const std::uint32_t low_mover = is_low ? event.mover : event.partner;
  const std::uint32_t high_mover = is_low ? event.partner : event.mover;
  const Side low = mover_side(low_mover, axis, End::Low);
  const Side high = mover_side(high_mover, axis, End::High);
  add_contact(event.impact(), bodies_[low_mover].id, bodies_[high_mover].id);
  if (squeezes(low_mover, low, high_mover, high)) {
    squeeze(low_mover, high_mover, axis, now);
    return;
  }

  Exchange after = exchange(low, high, calm_speed(axis));
  const std::int64_t approach = low.velocity - high.velocity;
  members_.clear();
  touches_.clear();
  if (after.shared) {
    after.low = after.high = gather_block(event, low_mover, high_mover, approach);
  } else {
    members_.push_back(low_mover);
    members_.push_back(high_mover);
    if (!low.immovable || !high.immovable) {
      touches_.push_back({.low = low_mover,
                          .high = high_mover,
                          .change = approach + after.high - after.low,
                          .friction = friction_of(low_mover, high_mover),
                          .low_is_fixed = low.immovable,
                          .high_is_fixed = high.immovable});
    }
  }
  for (const std::uint32_t member : members_) {
    if (bodies_[member].kind != Kind::Dynamic) continue;
    give_velocity(member, axis, member == low_mover ? after.low : after.high, now);
    unsettled_.push_back(member);
  }
  if (high.immovable && after.low == after.high) flights_[low_mover].block(axis, End::High);
  if (low.immovable && after.low == after.high) flights_[high_mover].block(axis, End::Low);
  for (const Touch& touch : touches_) {
    rub(touch, axis, now);
  }
}

Side StepRun::mover_side(std::uint32_t mover, Axis axis, End pushed_to) const {
  const Flight& flight = flights_[mover];
  const Body& body = bodies_[mover];
  const bool kinematic = body.kind == Kind::Kinematic;
  const bool spent = !kinematic && flight.is_spent();
  return {.velocity = flight.motion.velocity[axis],
          .mass = body.mass,
          .events = flight.events,
          .bounciness = bounciness_of(body),
          .stops = body.response == Response::Stop,
          .kind = body.kind,
          .spent = spent,
          .immovable = kinematic || spent || flight.is_blocked(axis, pushed_to)};
}

Side StepRun::wall_side(const Event& event) const {
  Side side{.immovable = true};
  if (event.kind == Partner::Static) {
    const Body& wall = statics_->bodies()[event.partner];
    side.bounciness = bounciness_of(wall);
    side.stops = wall.response == Response::Stop;
  }
  return side;
}

void StepRun::give_velocity(std::uint32_t mover, Axis axis, std::int64_t velocity, FineTime now) {
  Flight& flight = flights_[mover];
  const bool is_first = flight.events == 0;
  const bool freezes = flight.is_spent();
  ++flight.events;
  mark_turned(mover);
  change_velocity(mover, axis, freezes ? 0 : velocity, now);
  if (freezes || (is_first && bodies_[mover].response == Response::Stop)) {
    change_velocity(mover, other_axis(axis), 0, now);
  }
}

void StepRun::change_velocity(std::uint32_t mover, Axis axis, std::int64_t velocity, FineTime now) {
  const std::int64_t before = flights_[mover].motion.velocity[axis];
  turn(mover, axis, velocity, now);
  if (flights_[mover].motion.velocity[axis] != before) flights_[mover].mark_changed(axis);
}

void StepRun::turn(std::uint32_t mover, Axis axis, std::int64_t velocity, FineTime now) {
  const std::int64_t clamped = clamped_speed(velocity);
  Flight& flight = flights_[mover];
  if (clamped == flight.motion.velocity[axis]) return;
  if (has_ghosts_) pieces_.push_back({mover, now, flight.motion});
  flight.motion.turn(axis, clamped, now);
  flight.is_bent = flight.is_bent || now > 0;
  flight.unblock(axis);
}

/// Of two movers, before they have this event: nothing any more where one is tired, as turns along
/// one axis would reopen contacts on the other again and again.
int StepRun::friction_of(std::uint32_t a, std::uint32_t b) const {
  if (is_too_tired_to_rub(a) || is_too_tired_to_rub(b)) return 0;
  return std::max(bodies_[a].friction, bodies_[b].friction);
}

bool StepRun::is_too_tired_to_rub(std::uint32_t mover) const {
  return bodies_[mover].kind == Kind::Dynamic && is_tired(flights_[mover].events, Kind::Dynamic);
}

// Of the tangential velocity between two bodies, friction takes at most its share of what the
// normal one has changed by.
void StepRun::rub(const Touch& touch, Axis axis, FineTime now) {
  if (touch.friction == 0) return;
  const Axis along = other_axis(axis);
  const auto velocity_of = [&](std::uint32_t mover) {
    return mover == kNobody ? 0 : flights_[mover].motion.velocity[along];
  };
  const auto mass_of = [&](std::uint32_t mover, bool is_fixed) {
    return is_fixed || mover == kNobody ? 0 : std::int64_t{bodies_[mover].mass};
  };
  const std::int64_t low = velocity_of(touch.low);
  const std::int64_t high = velocity_of(touch.high);
  const std::int64_t most = touch.change * touch.friction / kFrictionWhole;
  const std::int64_t taken = std::clamp(low - high, -most, most);
  const std::int64_t low_mass = mass_of(touch.low, touch.low_is_fixed);
  const std::int64_t high_mass = mass_of(touch.high, touch.high_is_fixed);
  if (taken == 0) return;
  if (high_mass == 0) {
    turn(touch.low, along, low - taken, now);
  } else if (low_mass == 0) {
    turn(touch.high, along, high + taken, now);
  } else {
    const std::int64_t mass = low_mass + high_mass;
    turn(touch.low, along, low - taken * high_mass / mass, now);
    turn(touch.high, along, high + taken * low_mass / mass, now);
  }
}

// Exact times are fractions of a fine step, so at the last whole one before a hit the body is short
// of the wall by less than its way in one. Without closing that gap a body could not enter an
// opening of exactly its own size.
void StepRun::snap(const Event& event, End end) {
  const Axis axis = event.axis;
  const FineTime now = event.whole;
  Flight& flight = flights_[event.mover];
  Motion& motion = flight.motion;
  Fine face = Fine{end == End::Low ? kWorldLimit : -kWorldLimit} * kFineSteps;
  if (event.kind == Partner::Static) {
    const Body& wall = statics_->bodies()[event.partner];
    const std::int64_t size = end == End::Low ? 0 : wall.size[axis];
    face = (wall.min[axis] + size) * kFineSteps;
  }
  const Fine gap = end == End::Low ? face - motion.high(axis, now) : face - motion.low(axis, now);
  const bool is_past = end == End::Low ? gap < 0 : gap > 0;
  if (gap == 0 || is_past) return;

  const Motion before = motion;
  motion.base[axis] += gap;
  if (is_hindered(event.mover, now)) {
    motion = before;
    return;
  }
  flight.is_bent = true;
  if (has_ghosts_) pieces_.push_back({event.mover, now, before});
}

/// Whether other movers are where this one is.
bool StepRun::is_hindered(std::uint32_t mover, FineTime now) {
  if (!meets_movers(mover)) return false;
  const Motion& motion = flights_[mover].motion;
  bool found = false;
  grid_.visit_near(rect_of(hull_of(motion, now, now)), [&](std::uint32_t other) {
    if (other == mover || !stay_apart(bodies_[mover], bodies_[other]) ||
        !overlap(motion, flights_[other].motion, now)) {
      return;
    }
    found = true;
    note_influence(bodies_[mover], bodies_[other]);
  });
  return found;
}

void StepRun::add_contact(const Impact& impact, BodyId low_side, BodyId high_side) {
  const bool a_is_low = low_side < high_side;
  const std::int8_t normal = a_is_low ? -1 : 1;
  report_.contacts.push_back({.a = a_is_low ? low_side : high_side,
                              .b = a_is_low ? high_side : low_side,
                              .normal_x = impact.axis == 0 ? normal : std::int8_t{0},
                              .normal_y = impact.axis == 1 ? normal : std::int8_t{0},
                              .time = impact.at.whole,
                              .time_rest = impact.at.rest,
                              .time_divisor = impact.at.divisor});
}

}  // namespace tickbox::sim
