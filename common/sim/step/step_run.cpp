#include "sim/step/step_run.h"

#include "sim/step/round.h"

#include <algorithm>

namespace tickbox::sim {

void StepRun::run(World& world) {
  start(world);
  take_off();
  settle();
  sweep();
  land(world);
}

void StepRun::start(World& world) {
  environment_.settings = world.settings();
  if (environment_.statics != world.shared_statics()) {
    environment_.statics = world.shared_statics();
    walls_.cache.forget();
    memo_.forget();
  }
  const std::size_t count = world.movers().size();
  make_room(count);
  movers_.start(world.movers());
  candidates_.hulls.resize(count);
  walls_.start(*environment_.statics, count);
  memo_.start(count);
  block_.start(count);
  for (std::vector<BodyId>* list : {&report_.frozen, &report_.left, &report_.blocked}) {
    list->clear();
  }
  for (std::vector<BodyPair>* list :
       {&report_.separated, &report_.begin, &report_.end, &report_.influences}) {
    list->clear();
  }
  impacts_.crushing.clear();
  rides_.start();
}

void StepRun::sweep() {
  find_first_impacts();
  while (!impacts_.queue.empty()) {
    const Event event = impacts_.queue.pop();
    if (is_current(event)) handle(event);
  }
}

void StepRun::handle(const Event& event) {
  handle_event(event, environment_, movers_, candidates_.grid, rides_, block_, impacts_, report_);
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

bool StepRun::is_current(const Event& event) const {
  return movers_.states[event.mover].version == event.mover_version &&
         (event.kind != Partner::Mover ||
          (movers_.states[event.partner].version == event.partner_version &&
           !ignore_each_other(event.mover, event.partner)));
}

void StepRun::land(World& world) {
  round_positions(environment_, movers_, report_);
  release_riders(environment_, movers_, candidates_.grid, rides_, report_);
  if (movers_.has_ghosts) report_sensors(environment_, movers_, courses_, report_);
  world.remove(report_.left);
  movers_.bodies = world.movers();
  finish_report();
}

void StepRun::finish_report() {
  sorter_.sort(report_.contacts, contacts_at_start_);
  report_.events = static_cast<std::uint32_t>(report_.contacts.size());
  sort_unique(report_.crushed);
  sort_unique(report_.blocked);
  sort_unique(report_.influences);
  std::sort(report_.begin.begin(), report_.begin.end());
  std::sort(report_.end.begin(), report_.end.end());
  sort_unique(report_.overlaps);
  std::erase_if(report_.overlaps, [&](const BodyPair& pair) {
    const Body* a = find_body(pair.low, environment_, movers_);
    const Body* b = find_body(pair.high, environment_, movers_);
    return a == nullptr || b == nullptr ||
           !overlap(box_of(a->min, a->size), box_of(b->min, b->size));
  });
}

}  // namespace tickbox::sim
