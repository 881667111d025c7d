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
  for (const std::uint32_t mover : impacts_.changed) {
    if (settling_) {
      push_touching(mover);
    } else {
      look_ahead(mover, now);
    }
  }
  impacts_.changed.clear();
}

void StepRun::handle_wall(const Event& event) {
  const std::uint32_t mover = event.mover;
  const FineTime now = event.whole;
  const Axis axis = event.axis;
  const End end = movers_.states[mover].motion.velocity[axis] > 0 ? End::Low : End::High;
  const bool is_low = end == End::Low;
  const BodyId id = movers_.bodies[mover].id;
  const BodyId wall_id = event.low_id == id ? event.high_id : event.low_id;
  add_contact(event.impact(), is_low ? id : wall_id, is_low ? wall_id : id);
  if (movers_.bodies[mover].kind == Kind::Kinematic) {
    wait(mover, now);
    return;
  }
  const Side mine = mover_side(mover, axis, end);
  const Side wall = wall_side(event);
  const Side& low = is_low ? mine : wall;
  const Side& high = is_low ? wall : mine;
  const Exchange after = exchange(low, high, calm_speed(environment_, axis));

  const std::int64_t velocity = is_low ? after.low : after.high;
  give_velocity(movers_, mover, axis, velocity, now);
  if (velocity == 0) movers_.states[mover].block(axis, opposite(end));
  if (!mine.immovable && !is_tired(mine.events, Kind::Dynamic)) {
    const bool is_border = event.kind == Partner::Border;
    const std::uint8_t of_wall =
        is_border ? std::uint8_t{0} : environment_.statics->bodies()[event.partner].friction;
    rub({.low = is_low ? mover : kNoMover,
         .high = is_low ? kNoMover : mover,
         .change = low.velocity - high.velocity + after.high - after.low,
         .friction = std::max(movers_.bodies[mover].friction, of_wall)},
        axis, now);
  }
  if (!settling_) snap(event, end);
  impacts_.changed.push_back(mover);
}

void StepRun::handle_pair(const Event& event) {
  const Axis axis = event.axis;
  const FineTime now = event.whole;
  const bool is_low = movers_.states[event.mover].motion.low(axis, now) <
                      movers_.states[event.partner].motion.low(axis, now);
  const std::uint32_t low_mover = is_low ? event.mover : event.partner;
  const std::uint32_t high_mover = is_low ? event.partner : event.mover;
  const Side low = mover_side(low_mover, axis, End::Low);
  const Side high = mover_side(high_mover, axis, End::High);
  add_contact(event.impact(), movers_.bodies[low_mover].id, movers_.bodies[high_mover].id);
  if (squeezes(low_mover, low, high_mover, high)) {
    squeeze(low_mover, high_mover, axis, now);
    return;
  }

  Exchange after = exchange(low, high, calm_speed(environment_, axis));
  const std::int64_t approach = low.velocity - high.velocity;
  block_.members.clear();
  block_.touches.clear();
  if (after.shared) {
    after.low = after.high = gather_block(event, low_mover, high_mover, approach);
  } else {
    block_.members.push_back(low_mover);
    block_.members.push_back(high_mover);
    if (!low.immovable || !high.immovable) {
      block_.touches.push_back({.low = low_mover,
                                .high = high_mover,
                                .change = approach + after.high - after.low,
                                .friction = friction_of(low_mover, high_mover),
                                .low_is_fixed = low.immovable,
                                .high_is_fixed = high.immovable});
    }
  }
  for (const std::uint32_t member : block_.members) {
    if (movers_.bodies[member].kind != Kind::Dynamic) continue;
    give_velocity(movers_, member, axis, member == low_mover ? after.low : after.high, now);
    impacts_.changed.push_back(member);
  }
  if (high.immovable && after.low == after.high) movers_.states[low_mover].block(axis, End::High);
  if (low.immovable && after.low == after.high) movers_.states[high_mover].block(axis, End::Low);
  for (const Touch& touch : block_.touches) {
    rub(touch, axis, now);
  }
}

Side StepRun::mover_side(std::uint32_t mover, Axis axis, End pushed_to) const {
  const MoverState& flight = movers_.states[mover];
  const Body& body = movers_.bodies[mover];
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
    const Body& wall = environment_.statics->bodies()[event.partner];
    side.bounciness = bounciness_of(wall);
    side.stops = wall.response == Response::Stop;
  }
  return side;
}

/// Of two movers, before they have this event: nothing any more where one is tired, as turns along
/// one axis would reopen contacts on the other again and again.
int StepRun::friction_of(std::uint32_t a, std::uint32_t b) const {
  if (is_too_tired_to_rub(a) || is_too_tired_to_rub(b)) return 0;
  return std::max(movers_.bodies[a].friction, movers_.bodies[b].friction);
}

bool StepRun::is_too_tired_to_rub(std::uint32_t mover) const {
  return movers_.bodies[mover].kind == Kind::Dynamic &&
         is_tired(movers_.states[mover].events, Kind::Dynamic);
}

// Of the tangential velocity between two bodies, friction takes at most its share of what the
// normal one has changed by.
void StepRun::rub(const Touch& touch, Axis axis, FineTime now) {
  if (touch.friction == 0) return;
  const Axis along = other_axis(axis);
  const auto velocity_of = [&](std::uint32_t mover) {
    return mover == kNoMover ? 0 : movers_.states[mover].motion.velocity[along];
  };
  const auto mass_of = [&](std::uint32_t mover, bool is_fixed) {
    return is_fixed || mover == kNoMover ? 0 : std::int64_t{movers_.bodies[mover].mass};
  };
  const std::int64_t low = velocity_of(touch.low);
  const std::int64_t high = velocity_of(touch.high);
  const std::int64_t most = touch.change * touch.friction / kFrictionWhole;
  const std::int64_t taken = std::clamp(low - high, -most, most);
  const std::int64_t low_mass = mass_of(touch.low, touch.low_is_fixed);
  const std::int64_t high_mass = mass_of(touch.high, touch.high_is_fixed);
  if (taken == 0) return;
  if (high_mass == 0) {
    turn(movers_, touch.low, along, low - taken, now);
  } else if (low_mass == 0) {
    turn(movers_, touch.high, along, high + taken, now);
  } else {
    const std::int64_t mass = low_mass + high_mass;
    turn(movers_, touch.low, along, low - taken * high_mass / mass, now);
    turn(movers_, touch.high, along, high + taken * low_mass / mass, now);
  }
}

// Exact times are fractions of a fine step, so at the last whole one before a hit the body is short
// of the wall by less than its way in one. Without closing that gap a body could not enter an
// opening of exactly its own size.
void StepRun::snap(const Event& event, End end) {
  const Axis axis = event.axis;
  const FineTime now = event.whole;
  MoverState& flight = movers_.states[event.mover];
  Motion& motion = flight.motion;
  Fine face = Fine{end == End::Low ? kWorldLimit : -kWorldLimit} * kFineSteps;
  if (event.kind == Partner::Static) {
    const Body& wall = environment_.statics->bodies()[event.partner];
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
  if (movers_.has_ghosts) movers_.pieces.push_back({event.mover, now, before});
}

/// Whether other movers are where this one is.
bool StepRun::is_hindered(std::uint32_t mover, FineTime now) {
  if (!movers_.meets_movers(mover)) return false;
  const Motion& motion = movers_.states[mover].motion;
  bool found = false;
  candidates_.grid.visit_near(rect_of(hull_of(motion, now, now)), [&](std::uint32_t other) {
    if (other == mover || !stay_apart(movers_.bodies[mover], movers_.bodies[other]) ||
        !overlap(motion, movers_.states[other].motion, now)) {
      return;
    }
    found = true;
    note_influence(movers_.bodies[mover], movers_.bodies[other], report_);
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
