// The end of a tick: whole sub-units again, riders set down, and the report.

#include "sim/step/step_run.h"

#include <algorithm>

namespace tickbox::sim {

void StepRun::land(World& world) {
  if (has_ghosts_) sort_courses();
  round_positions();
  note_who_left();
  set_down();
  if (has_ghosts_) report_ghosts();
  world.remove(report_.left);
  bodies_ = world.movers();
  finish_report();
}

void StepRun::round_positions() {
  report_.events_max = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    const Flight& flight = flights_[i];
    for (Axis axis = 0; axis < kAxes; ++axis) {
      const std::int64_t velocity = flight.motion.velocity[axis];
      const std::int64_t place = !flight.is_bent
                                     ? body.min[axis] + velocity
                                     : round_to_sub_unit(flight.motion.low(axis, kFineSteps));
      body.min[axis] = static_cast<std::int32_t>(place);
      if (body.kind == Kind::Dynamic) body.velocity[axis] = static_cast<std::int32_t>(velocity);
    }
    if (body.kind == Kind::Kinematic) {
      if (body.path != kNoPath && !flight.waits) ++body.path_ticks;
      continue;
    }
    body.carrier = kNoBody;
    report_.events_max = std::max(report_.events_max, flight.events);
    if (flight.events > kEventBudget) report_.frozen.push_back(body.id);
  }
}

void StepRun::note_who_left() {
  has_left_.assign(bodies_.size(), 0);
  if (settings_.border != Border::Remove) return;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (contains(kWholeWorld, box_of(bodies_[i].min, bodies_[i].size))) continue;
    has_left_[i] = 1;
    report_.left.push_back(bodies_[i].id);
  }
}

void StepRun::finish_report() {
  sorter_.sort(report_.contacts, contacts_at_start_);
  report_.events = static_cast<std::uint32_t>(report_.contacts.size());
  sort_out(report_.crushed);
  sort_out(report_.blocked);
  sort_out(report_.influences);
  std::sort(report_.begin.begin(), report_.begin.end());
  std::sort(report_.end.begin(), report_.end.end());

  // What did not overlap when the sweep began does not now, so only the pairs noted then are looked
  // at again.
  std::erase_if(report_.overlaps, [&](const BodyPair& pair) {
    const Body* a = find(pair.low);
    const Body* b = find(pair.high);
    return a == nullptr || b == nullptr ||
           !overlap(box_of(a->min, a->size), box_of(b->min, b->size));
  });
}

}  // namespace tickbox::sim
