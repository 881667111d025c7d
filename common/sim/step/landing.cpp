// The end of a tick: whole sub-units again, riders set down, and the report.

#include "sim/step/step_run.h"

#include <algorithm>

namespace tickbox::sim {

void StepRun::land(World& world) {
  if (movers_.has_ghosts) sort_courses();
  round_positions();
  note_who_left();
  set_down();
  if (movers_.has_ghosts) report_ghosts();
  world.remove(report_.left);
  movers_.bodies = world.movers();
  finish_report();
}

void StepRun::round_positions() {
  report_.events_max = 0;
  for (std::size_t i = 0; i < movers_.bodies.size(); ++i) {
    Body& body = movers_.bodies[i];
    const MoverState& flight = movers_.states[i];
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
  if (environment_.settings.border != Border::Remove) return;
  for (std::size_t i = 0; i < movers_.bodies.size(); ++i) {
    if (contains(kWholeWorld, box_of(movers_.bodies[i].min, movers_.bodies[i].size))) continue;
    movers_.states[i].has_left = true;
    report_.left.push_back(movers_.bodies[i].id);
  }
}

void StepRun::finish_report() {
  sorter_.sort(report_.contacts, contacts_at_start_);
  report_.events = static_cast<std::uint32_t>(report_.contacts.size());
  sort_unique(report_.crushed);
  sort_unique(report_.blocked);
  sort_unique(report_.influences);
  std::sort(report_.begin.begin(), report_.begin.end());
  std::sort(report_.end.begin(), report_.end.end());

  // What did not overlap when the sweep began does not now, so only the pairs noted then are looked
  // at again.
  std::erase_if(report_.overlaps, [&](const BodyPair& pair) {
    const Body* a = find_body(pair.low, environment_, movers_);
    const Body* b = find_body(pair.high, environment_, movers_);
    return a == nullptr || b == nullptr ||
           !overlap(box_of(a->min, a->size), box_of(b->min, b->size));
  });
}

}  // namespace tickbox::sim
