// What happens before anything has moved: contacts at the exact start of the tick.
//
// At fine time 0 boxes stand on whole sub-units, so that touching is equality, and nobody can come
// to touch anybody. So all contacts of that moment lie among the pairs that touch already, and need
// no division, and no search. All that rests is dealt with here. Who touches no mover goes first
// and without a queue: its contacts are its own affair. The others go in the order of the queue, as
// ever: longer contact, lower ids.

#include "sim/step_run.h"

#include <algorithm>
#include <cstdlib>

namespace tickbox::sim {
namespace {

/// time_of_impact() of boxes on whole sub-units at fine time 0, where it gives that very moment.
std::optional<Impact> impact_at_start(const Box& a, const Motion& a_motion, const Box& b,
                                      const Motion& b_motion) {
  std::array<bool, kAxes> enters{};
  std::array<std::int64_t, kAxes> speed{};
  for (Axis axis = 0; axis < kAxes; ++axis) {
    const std::int64_t velocity = b_motion.velocity[axis] - a_motion.velocity[axis];
    speed[axis] = std::abs(velocity);
    if (b.min[axis] < a.max[axis] && a.min[axis] < b.max[axis]) continue;
    enters[axis] = (b.min[axis] == a.max[axis] && velocity < 0) ||
                   (b.max[axis] == a.min[axis] && velocity > 0);
    if (!enters[axis]) return std::nullopt;
  }
  if (!enters[0] && !enters[1]) return std::nullopt;
  if (enters[0] && enters[1]) {
    const Axis axis = speed[0] > speed[1] ? 0 : 1;
    return Impact{{0, 0, speed[axis]}, 0, axis};
  }
  const Axis axis = enters[0] ? 0 : 1;
  const Axis across = other_axis(axis);
  const std::int64_t length =
      std::min(a.max[across], b.max[across]) - std::max(a.min[across], b.min[across]);
  return Impact{{0, 0, speed[axis]}, length * kFineSteps, axis};
}

constexpr Motion kAtRest{};

}  // namespace

void StepRun::settle() {
  settling_ = true;
  for (const std::uint32_t mover : leaning_) {
    push(first_touching_wall(mover), mover);
  }
  for (const Pair pair : touching_) {
    push_touching_pair(pair.a, pair.b);
  }
  while (!queue_.empty()) {
    const Event event = queue_.pop();
    if (is_current(event)) handle(event);
  }
  settling_ = false;
  contacts_at_start_ = report_.contacts.size();
}

void StepRun::settle_alone(std::uint32_t mover) {
  for (WallHit hit = first_touching_wall(mover); hit.found; hit = first_touching_wall(mover)) {
    handle_wall(event_of(hit, mover));
    unsettled_.clear();
  }
}

void StepRun::push_touching(std::uint32_t mover) {
  push(first_touching_wall(mover), mover);
  for (std::uint32_t i = first_neighbour_[mover]; i < first_neighbour_[mover + 1]; ++i) {
    push_touching_pair(mover, neighbours_at_start_[i]);
  }
}

void StepRun::push_touching_pair(std::uint32_t a, std::uint32_t b) {
  const Body& first = bodies_[a];
  const Body& second = bodies_[b];
  const auto impact = impact_at_start(box_of(first.min, first.size), flights_[a].motion,
                                      box_of(second.min, second.size), flights_[b].motion);
  if (impact && counts(*impact, a, b)) queue_.push(event_of(*impact, a, b));
}

StepRun::WallHit StepRun::first_touching_wall(std::uint32_t mover) const {
  const Body& body = bodies_[mover];
  const Motion& motion = flights_[mover].motion;
  WallHit first;
  if (motion.velocity[0] == 0 && motion.velocity[1] == 0) return first;
  const Box box = box_of(body.min, body.size);
  for (const StaticGrid::Entry& wall : walls_of(mover)) {
    const auto impact = impact_at_start(box, motion, box_of(wall.rect), kAtRest);
    if (impact) keep_earlier(first, *impact, mover, wall.index);
  }
  if (is_near_border_[mover] != 0 && has_border(mover)) {
    keep_border(first, mover, 0);
    first.found = first.found && first.impact.at == Moment{};
  }
  return first;
}

}  // namespace tickbox::sim
