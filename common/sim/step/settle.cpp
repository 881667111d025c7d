// What happens before anything has moved: contacts at the exact start of the tick.
//
// At fine time 0 boxes stand on whole sub-units, so that touching is equality, and nobody can come
// to touch anybody. So all contacts of that moment lie among the pairs that touch already, and need
// no division, and no search. All that rests is dealt with here. Who touches no mover goes first
// and without a queue: its contacts are its own affair. The others go in the order of the queue, as
// ever: longer contact, lower ids.

#include "sim/step/step_run.h"

#include <algorithm>
#include <cstdlib>

namespace tickbox::sim {
namespace {

/// How one axis stands at fine time 0.
struct Stand {
  bool is_inside = false;  ///< the open intervals meet
  bool enters = false;     ///< they touch, and will meet at once
};

Stand stand_on(std::int64_t a_min, std::int64_t a_max, std::int64_t b_min, std::int64_t b_max,
               std::int64_t velocity) {
  return {.is_inside = b_min < a_max && a_min < b_max,
          .enters = (b_min == a_max && velocity < 0) || (b_max == a_min && velocity > 0)};
}

/// time_of_impact() of boxes on whole sub-units at fine time 0, where it gives that very moment.
std::optional<Impact> impact_at_start(const Box& a, const Motion& a_motion, const Box& b,
                                      const Motion& b_motion) {
  const std::int64_t x_velocity = b_motion.velocity[0] - a_motion.velocity[0];
  const std::int64_t y_velocity = b_motion.velocity[1] - a_motion.velocity[1];
  const Stand x = stand_on(a.min[0], a.max[0], b.min[0], b.max[0], x_velocity);
  if (!x.is_inside && !x.enters) return std::nullopt;
  const Stand y = stand_on(a.min[1], a.max[1], b.min[1], b.max[1], y_velocity);
  if ((!y.is_inside && !y.enters) || (x.is_inside && y.is_inside)) return std::nullopt;

  const std::int64_t x_speed = std::abs(x_velocity);
  const std::int64_t y_speed = std::abs(y_velocity);
  if (x.enters && y.enters) {
    return Impact{{0, 0, std::max(x_speed, y_speed)}, 0, x_speed > y_speed ? Axis{0} : Axis{1}};
  }
  const Axis axis = x.enters ? 0 : 1;
  const Axis across = other_axis(axis);
  const std::int64_t length =
      std::min(a.max[across], b.max[across]) - std::max(a.min[across], b.min[across]);
  return Impact{{0, 0, x.enters ? x_speed : y_speed}, length * kFineSteps, axis};
}

constexpr Motion kAtRest{};

}  // namespace

void StepRun::settle() {
  turned_alone_ = movers_.turned.size();
  for (const std::uint32_t mover : impacts_.leaning) {
    push(first_touching_wall(mover), mover);
  }
  for (const Pair pair : candidates_.touching) {
    push_touching_pair(pair.a, pair.b);
  }
  while (!impacts_.queue.empty()) {
    const Event event = impacts_.queue.pop();
    if (is_current(event)) handle(event);
  }
  settling_ = false;
  contacts_at_start_ = report_.contacts.size();
}

void StepRun::settle_alone(std::uint32_t mover) {
  memo_.has_rest[mover] = 0;
  for (WallHit hit = first_touching_wall(mover); hit.found; hit = first_touching_wall(mover)) {
    if (is_plain_rest(mover, hit)) {
      come_to_rest(mover, hit);
      if (is_lasting_rest(mover)) {
        memo_.rests[mover] = {movers_.bodies[mover], hit};
        memo_.has_rest[mover] = 1;
      }
    } else {
      handle_wall_event(event_of(hit, mover), environment_, movers_, candidates_.grid, rides_,
                        impacts_, report_);
      impacts_.changed.clear();
    }
  }
}

/// Whether nothing but the velocity into the wall is to change: what most contacts are.
bool StepRun::is_plain_rest(std::uint32_t mover, const WallHit& hit) const {
  if (!hit.is_dull || movers_.has_ghosts) return false;
  const Body& body = movers_.bodies[mover];
  return body.response == Response::Slide && body.friction == 0 &&
         !movers_.states[mover].is_spent();
}

/// Whether the rest it came to is all that happens to it, and depends on nothing but itself.
bool StepRun::is_lasting_rest(std::uint32_t mover) const {
  const MoverState& flight = movers_.states[mover];
  return is_at_rest(flight.motion) && flight.events == 1 && !is_near_border(mover) &&
         walls_.is_partial[mover] == 0 && report_.overlaps.empty();
}

bool StepRun::rests_again(std::uint32_t mover) const {
  return memo_.has_rest[mover] != 0 && !movers_.has_ghosts && movers_.roles[mover] == Role::Full &&
         candidates_.first_neighbour[mover] == candidates_.first_neighbour[mover + 1] &&
         movers_.bodies[mover] == memo_.rests[mover].body;
}

/// handle_wall() of a plain rest at the tick's start.
void StepRun::come_to_rest(std::uint32_t mover, const WallHit& hit) {
  MoverState& flight = movers_.states[mover];
  const Axis axis = hit.impact.axis;
  const bool is_low = flight.motion.velocity[axis] > 0;
  const BodyId id = movers_.bodies[mover].id;
  add_contact(hit.impact, is_low ? id : hit.id, is_low ? hit.id : id, report_.contacts);
  mark_turned(movers_, mover);
  ++flight.events;
  flight.motion.velocity[axis] = 0;
  flight.unblock(axis);
  flight.block(axis, is_low ? End::High : End::Low);
  flight.mark_changed(axis);
}

void StepRun::push_touching(std::uint32_t mover) {
  push(first_touching_wall(mover), mover);
  for (std::uint32_t i = candidates_.first_neighbour[mover];
       i < candidates_.first_neighbour[mover + 1]; ++i) {
    push_touching_pair(mover, candidates_.neighbours[i]);
  }
}

void StepRun::push_touching_pair(std::uint32_t a, std::uint32_t b) {
  const Body& first = movers_.bodies[a];
  const Body& second = movers_.bodies[b];
  const auto impact = impact_at_start(box_of(first.min, first.size), movers_.states[a].motion,
                                      box_of(second.min, second.size), movers_.states[b].motion);
  if (impact && counts(*impact, a, b)) impacts_.queue.push(event_of(*impact, a, b));
}

WallHit StepRun::first_touching_wall(std::uint32_t mover) const {
  const Body& body = movers_.bodies[mover];
  const Motion& motion = movers_.states[mover].motion;
  WallHit first;
  if (is_at_rest(motion)) return first;
  const Box box = box_of(body.min, body.size);
  for (const Wall& wall : walls_.of(mover)) {
    const auto impact = impact_at_start(box, motion, box_of(wall.rect), kAtRest);
    if (impact) keep_earlier(first, *impact, motion, wall);
  }
  if (is_near_border(mover) && has_border(mover)) {
    keep_border(first, mover, 0);
    first.found = first.found && first.impact.at == Moment{};
  }
  return first;
}

}  // namespace tickbox::sim
