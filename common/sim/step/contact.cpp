#include "sim/step/contact.h"

#include "sim/response.h"
#include "sim/step/crush.h"
#include "sim/step/velocity.h"

#include <algorithm>

namespace tickbox::sim {
namespace {

/// `mover` as a side of a contact that pushes it towards `pushed_to`.
Side side_of(std::uint32_t mover, Axis axis, End pushed_to, const Movers& movers) {
  const MoverState& state = movers.states[mover];
  const Body& body = movers.bodies[mover];
  const bool kinematic = body.kind == Kind::Kinematic;
  const bool spent = !kinematic && state.is_spent();
  return {.velocity = state.motion.velocity[axis],
          .mass = body.mass,
          .events = state.events,
          .bounciness = bounciness_of(body),
          .stops = body.response == Response::Stop,
          .kind = body.kind,
          .spent = spent,
          .immovable = kinematic || spent || state.is_blocked(axis, pushed_to)};
}

/// `wall` as a side of a contact; nullptr for the border.
Side side_of(const Body* wall) {
  Side side{.immovable = true};
  if (wall != nullptr) {
    side.bounciness = bounciness_of(*wall);
    side.stops = wall->response == Response::Stop;
  }
  return side;
}

/// Whether other movers are where this one is.
bool is_hindered(std::uint32_t mover, FineTime now, const Movers& movers, StepReport& report) {
  if (!movers.meets_movers(mover)) return false;
  const Motion& motion = movers.states[mover].motion;
  bool found = false;
  movers.visit_near(rect_of(hull_of(motion, now, now)), [&](std::uint32_t other) {
    if (other == mover || !stay_apart(movers.bodies[mover], movers.bodies[other]) ||
        !overlap(motion, movers.states[other].motion, now)) {
      return;
    }
    found = true;
    record_influence(movers.bodies[mover], movers.bodies[other], report);
  });
  return found;
}

/// Puts a mover exactly against a wall; nullptr is the border. `end` is the side of the contact on
/// which the mover is.
///
/// The exact time of an event is a fraction of a fine step. So at the last whole step before it the
/// body is short of the wall, by less than its way in one step. If that gap stayed, a body could
/// not enter an opening of exactly its own size.
void snap(const ImpactEvent& event, const Body* wall, End end, Movers& movers, StepReport& report) {
  const Axis axis = event.axis;
  const FineTime now = event.whole;
  MoverState& state = movers.states[event.mover];
  Motion& motion = state.motion;
  const bool is_low = end == End::Low;
  Fine face = Fine{is_low ? kWorldLimit : -kWorldLimit} * kFineSteps;
  if (wall != nullptr) {
    face = (std::int64_t{wall->min[axis]} + (is_low ? 0 : wall->size[axis])) * kFineSteps;
  }
  const Fine gap = face - (is_low ? motion.high(axis, now) : motion.low(axis, now));
  const bool is_past = is_low ? gap < 0 : gap > 0;
  if (gap == 0 || is_past) return;

  const Motion before = motion;
  motion.base[axis] += gap;
  if (is_hindered(event.mover, now, movers, report)) {
    motion = before;
    return;
  }
  state.is_bent = true;
  if (movers.has_ghosts) movers.pieces.push_back({event.mover, now, before});
}

/// Adds a contact to those of the report. `low` is the body on the side of smaller coordinates,
/// `approach` its velocity minus that of the other just before the contact.
void add_contact(const Impact& impact, BodyId low, BodyId high, Vec2 approach,
                 std::vector<Contact>& contacts) {
  const bool a_is_low = low < high;
  const std::int8_t normal = a_is_low ? -1 : 1;
  contacts.push_back({.a = a_is_low ? low : high,
                      .b = a_is_low ? high : low,
                      .normal_x = impact.axis == 0 ? normal : std::int8_t{0},
                      .normal_y = impact.axis == 1 ? normal : std::int8_t{0},
                      .time = static_cast<std::int32_t>(impact.at.whole),
                      .time_rest = static_cast<std::int32_t>(impact.at.rest),
                      .time_divisor = static_cast<std::int32_t>(impact.at.divisor),
                      .relative_velocity = {-normal * approach.x, -normal * approach.y}});
}

/// Adds the contact of an event with a wall, and returns which of its sides the mover is.
End add_wall_contact(const ImpactEvent& event, const Movers& movers, StepReport& report) {
  const BodyId id = movers.bodies[event.mover].id;
  const BodyId wall = event.low_id == id ? event.high_id : event.low_id;
  return add_wall_contact(event.impact(), event.mover, wall, movers, report.contacts);
}

void handle_pair_event(const ImpactEvent& event, const Environment& environment, Movers& movers,
                       Impacts& impacts, StepReport& report) {
  const Axis axis = event.axis;
  const FineTime now = event.whole;
  auto& states = movers.states;
  const bool is_low =
      states[event.mover].motion.low(axis, now) < states[event.partner].motion.low(axis, now);
  const std::uint32_t low_mover = is_low ? event.mover : event.partner;
  const std::uint32_t high_mover = is_low ? event.partner : event.mover;
  const Side low = side_of(low_mover, axis, End::Low, movers);
  const Side high = side_of(high_mover, axis, End::High, movers);
  add_mover_contact(event.impact(), low_mover, high_mover, movers, report.contacts);
  if (is_crush(low_mover, low, high_mover, high, movers)) {
    handle_crush(event, {low_mover, high_mover}, movers, impacts, report);
    return;
  }

  Exchange after = exchange(low, high, calm_speed(environment, axis));
  const Touch touch{.low = low_mover,
                    .high = high_mover,
                    .change = low.velocity - high.velocity + after.high - after.low,
                    .friction = friction_of(low_mover, high_mover, movers),
                    .low_is_fixed = low.immovable,
                    .high_is_fixed = high.immovable};
  Block& block = impacts.block;
  block.members.clear();
  block.touches.clear();
  if (after.shared) {
    block.touches.push_back(touch);
    after.low = after.high = solve_block(event, environment, movers, block, report.contacts);
  } else {
    block.members.push_back(low_mover);
    block.members.push_back(high_mover);
    if (!low.immovable || !high.immovable) block.touches.push_back(touch);
  }
  for (const std::uint32_t member : block.members) {
    if (movers.bodies[member].kind != Kind::Dynamic) continue;
    set_velocity(movers, member, axis, member == low_mover ? after.low : after.high, now);
    impacts.changed.push_back(member);
  }
  if (high.immovable && after.low == after.high) states[low_mover].block(axis, End::High);
  if (low.immovable && after.low == after.high) states[high_mover].block(axis, End::Low);
  for (const Touch& each : block.touches) {
    apply_friction(each, axis, now, movers);
  }
}

}  // namespace

void add_mover_contact(const Impact& impact, std::uint32_t low, std::uint32_t high,
                       const Movers& movers, std::vector<Contact>& contacts) {
  const Vec2 of_low = velocity_of(movers.states[low].motion);
  const Vec2 of_high = velocity_of(movers.states[high].motion);
  add_contact(impact, movers.bodies[low].id, movers.bodies[high].id,
              {of_low.x - of_high.x, of_low.y - of_high.y}, contacts);
}

End add_wall_contact(const Impact& impact, std::uint32_t mover, BodyId wall, const Movers& movers,
                     std::vector<Contact>& contacts) {
  const BodyId id = movers.bodies[mover].id;
  const Vec2 velocity = velocity_of(movers.states[mover].motion);
  const bool is_low = velocity[impact.axis] > 0;
  const std::int32_t sign = is_low ? 1 : -1;
  add_contact(impact, is_low ? id : wall, is_low ? wall : id,
              {sign * velocity.x, sign * velocity.y}, contacts);
  return is_low ? End::Low : End::High;
}

void handle_event(const ImpactEvent& event, const Environment& environment, Movers& movers,
                  Impacts& impacts, StepReport& report) {
  if (event.kind == Partner::Mover) {
    handle_pair_event(event, environment, movers, impacts, report);
  } else if (movers.bodies[event.mover].kind == Kind::Kinematic) {
    add_wall_contact(event, movers, report);
    make_wait(event.mover, event.whole, movers, impacts, report);
  } else {
    handle_wall_event(event, environment, movers, report);
    impacts.changed.push_back(event.mover);
  }
}

void handle_wall_event(const ImpactEvent& event, const Environment& environment, Movers& movers,
                       StepReport& report) {
  const std::uint32_t mover = event.mover;
  const FineTime now = event.whole;
  const Axis axis = event.axis;
  const Body& body = movers.bodies[mover];
  MoverState& state = movers.states[mover];
  const End end = add_wall_contact(event, movers, report);
  const bool is_low = end == End::Low;
  const Body* wall =
      event.kind == Partner::Immovable ? &environment.immovables[event.partner] : nullptr;
  const Side mine = side_of(mover, axis, end, movers);
  const Side theirs = side_of(wall);
  const Side& low = is_low ? mine : theirs;
  const Side& high = is_low ? theirs : mine;
  const Exchange after = exchange(low, high, calm_speed(environment, axis));

  const std::int64_t velocity = is_low ? after.low : after.high;
  set_velocity(movers, mover, axis, velocity, now);
  if (velocity == 0) state.block(axis, opposite(end));
  if (!mine.immovable && !is_over_bounce_budget(mine.events, Kind::Dynamic)) {
    const Touch touch{
        .low = is_low ? mover : kNoMover,
        .high = is_low ? kNoMover : mover,
        .change = low.velocity - high.velocity + after.high - after.low,
        .friction = std::max(body.friction, wall != nullptr ? wall->friction : std::uint8_t{0})};
    apply_friction(touch, axis, now, movers);
  }
  snap(event, wall, end, movers, report);
}

}  // namespace tickbox::sim
