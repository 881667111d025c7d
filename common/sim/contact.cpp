// One event of a tick: who is hit from which side, what both do, and what follows from it.

#include "core/assert.h"
#include "sim/step_run.h"

#include <algorithm>

namespace tickbox::sim {
namespace {

constexpr End opposite(End end) {
  return end == End::Low ? End::High : End::Low;
}

}  // namespace

void StepRun::handle(const Event& event) {
  const Axis axis = event.impact.axis;
  const FineTime now = event.impact.at.whole;
  const bool with_mover = event.kind == Partner::Mover;
  const End end = mover_end(event);
  const bool is_low = end == End::Low;
  const Side mine = mover_side(event.mover, axis, end);
  const Side theirs =
      with_mover ? mover_side(event.partner, axis, opposite(end)) : wall_side(event);

  const Side& low = is_low ? mine : theirs;
  const Side& high = is_low ? theirs : mine;
  Exchange after = exchange(low, high, calm_speed(axis));

  const BodyId partner_id = event.low_id == bodies_[event.mover].id ? event.high_id : event.low_id;
  const BodyId mover_id = bodies_[event.mover].id;
  add_contact(event.impact.at, axis, is_low ? mover_id : partner_id,
              is_low ? partner_id : mover_id);

  members_.clear();
  if (after.shared) {
    after.low = after.high = gather_block(event);
  } else {
    members_.push_back(event.mover);
    if (with_mover) members_.push_back(event.partner);
  }
  const std::int64_t my_velocity = is_low ? after.low : after.high;
  const std::int64_t their_velocity = is_low ? after.high : after.low;
  for (const std::uint32_t member : members_) {
    give_velocity(member, axis, member == event.mover ? my_velocity : their_velocity, now);
  }

  if (theirs.immovable && my_velocity == their_velocity) {
    flights_[event.mover].block(axis, opposite(end));
  }
  if (with_mover && mine.immovable && my_velocity == their_velocity) {
    flights_[event.partner].block(axis, end);
  }
  if (!with_mover) snap(event, end);
  for (const std::uint32_t member : members_) {
    look_ahead(member, now);
  }
}

End StepRun::mover_end(const Event& event) const {
  const Axis axis = event.impact.axis;
  const FineTime now = event.impact.at.whole;
  const Motion& motion = flights_[event.mover].motion;
  bool is_low = motion.velocity[axis] > 0;
  if (event.kind == Partner::Mover) {
    is_low = motion.low(axis, now) < flights_[event.partner].motion.low(axis, now);
  }
  return is_low ? End::Low : End::High;
}

Side StepRun::mover_side(std::uint32_t mover, Axis axis, End pushed_to) const {
  const Flight& flight = flights_[mover];
  const Body& body = bodies_[mover];
  return {.velocity = flight.motion.velocity[axis],
          .mass = body.mass,
          .events = flight.events,
          .bounciness = bounciness_of(body),
          .stops = body.response == Response::Stop,
          .kind = Kind::Dynamic,
          .frozen = flight.is_spent(),
          .immovable = flight.is_spent() || flight.is_blocked(axis, pushed_to)};
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
  ++flight.version;
  turn(flight, axis, freezes ? 0 : velocity, now);
  if (freezes || (is_first && bodies_[mover].response == Response::Stop)) {
    turn(flight, other_axis(axis), 0, now);
  }
}

void StepRun::turn(Flight& flight, Axis axis, std::int64_t velocity, FineTime now) {
  constexpr std::int64_t kLimit = kSpeedLimit;
  const std::int64_t clamped = std::clamp(velocity, -kLimit, kLimit);
  if (clamped == flight.motion.velocity[axis]) return;
  flight.motion.turn(axis, clamped, now);
  flight.unblock(axis);
}

// Exact times are fractions of a fine step, so at the last whole one before a hit the body is short
// of the wall by less than its way in one. Without closing that gap a body could not enter an
// opening of exactly its own size.
void StepRun::snap(const Event& event, End end) {
  const Axis axis = event.impact.axis;
  const FineTime now = event.impact.at.whole;
  Motion& motion = flights_[event.mover].motion;
  Fine face = Fine{end == End::Low ? kWorldLimit : -kWorldLimit} * kFineSteps;
  if (event.kind == Partner::Static) {
    const Body& wall = statics_->bodies()[event.partner];
    const Motion resting = motion_of(wall.min, wall.size, {});
    face = end == End::Low ? resting.low(axis, 0) : resting.high(axis, 0);
  }
  const Fine gap = end == End::Low ? face - motion.high(axis, now) : face - motion.low(axis, now);
  const bool is_past = end == End::Low ? gap < 0 : gap > 0;
  if (gap == 0 || is_past) return;

  const Fine before = motion.base[axis];
  motion.base[axis] += gap;
  if (overlaps_mover(event.mover, now)) motion.base[axis] = before;
}

bool StepRun::overlaps_mover(std::uint32_t mover, FineTime now) const {
  const Motion& motion = flights_[mover].motion;
  bool found = false;
  grid_.visit_near(hull_of(motion, now, now), [&](std::uint32_t other) {
    found = found || (other != mover && may_meet(bodies_[mover], bodies_[other]) &&
                      overlap(motion, flights_[other].motion, now));
  });
  return found;
}

void StepRun::add_contact(const Moment& at, Axis axis, BodyId low_side, BodyId high_side) {
  const bool a_is_low = low_side < high_side;
  const std::int8_t normal = a_is_low ? -1 : 1;
  report_.contacts.push_back({.a = std::min(low_side, high_side),
                              .b = std::max(low_side, high_side),
                              .normal_x = axis == 0 ? normal : std::int8_t{0},
                              .normal_y = axis == 1 ? normal : std::int8_t{0},
                              .time = at.whole,
                              .time_rest = at.rest,
                              .time_divisor = at.divisor});
}

}  // namespace tickbox::sim
