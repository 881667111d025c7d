#include "sim/step/step_run.h"

#include <cstdlib>

namespace tickbox::sim {

void StepRun::run(World& world) {
  start(world);
  take_off();
  settle();
  sweep();
  land(world);
}

void StepRun::start(World& world) {
  settings_ = world.settings();
  bodies_ = world.movers();
  if (statics_ != world.shared_statics()) {
    statics_ = world.shared_statics();
    neighbour_cache_.forget();
    has_rest_.clear();
  }
  make_room(bodies_.size());
  neighbour_cache_.start(*statics_, bodies_.size());
  for (std::vector<BodyId>* list : {&report_.frozen, &report_.left, &report_.blocked}) {
    list->clear();
  }
  for (std::vector<BodyPair>* list :
       {&report_.separated, &report_.begin, &report_.end, &report_.influences}) {
    list->clear();
  }
  crushing_.clear();
  rides_.clear();
  is_member_.assign(bodies_.size(), 0);
  flights_.resize(bodies_.size());
  hulls_.resize(bodies_.size());
  rests_.resize(bodies_.size());
  has_rest_.resize(bodies_.size(), 0);
  walks_.resize(bodies_.size());
  parts_.resize(bodies_.size());
  first_wall_.resize(bodies_.size() + 1);
}

void StepRun::sweep() {
  find_first_impacts();
  while (!queue_.empty()) {
    const Event event = queue_.pop();
    if (is_current(event)) handle(event);
  }
}

const Body* StepRun::find(BodyId id) const {
  const auto place =
      std::lower_bound(bodies_.begin(), bodies_.end(), id,
                       [](const Body& body, BodyId sought) { return body.id < sought; });
  return place != bodies_.end() && place->id == id ? &*place : statics_->find(id);
}

bool StepRun::is_current(const Event& event) const {
  return flights_[event.mover].version == event.mover_version &&
         (event.kind != Partner::Mover ||
          (flights_[event.partner].version == event.partner_version &&
           !ignore_each_other(event.mover, event.partner)));
}

std::int64_t StepRun::calm_speed(Axis axis) const {
  return 2 * std::abs(std::int64_t{settings_.gravity[axis]});
}

}  // namespace tickbox::sim
