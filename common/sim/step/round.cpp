#include "sim/step/round.h"

#include "sim/box.h"

#include <algorithm>

namespace tickbox::sim {
namespace {

void mark_who_left(Movers& movers, StepReport& report) {
  for (std::size_t i = 0; i < movers.bodies.size(); ++i) {
    const Body& body = movers.bodies[i];
    if (contains(kWholeWorld, box_of(body.min, body.size))) continue;
    movers.states[i].has_left = true;
    report.left.push_back(body.id);
  }
}

}  // namespace

void round_positions(const Environment& environment, Movers& movers, StepReport& report) {
  std::uint32_t events_max = 0;
  for (std::size_t i = 0; i < movers.bodies.size(); ++i) {
    Body& body = movers.bodies[i];
    const MoverState& state = movers.states[i];
    for (Axis axis = 0; axis < kAxes; ++axis) {
      const std::int64_t velocity = state.motion.velocity[axis];
      const std::int64_t end = !state.is_bent
                                   ? body.min[axis] + velocity
                                   : round_to_sub_unit(state.motion.low(axis, kFineSteps));
      body.min[axis] = static_cast<std::int32_t>(end);
      if (body.kind == Kind::Dynamic) body.velocity[axis] = static_cast<std::int32_t>(velocity);
    }
    if (body.kind == Kind::Kinematic) {
      if (body.path != kNoPath && !state.waits) ++body.path_ticks;
      continue;
    }
    body.carrier = kNoBody;
    events_max = std::max(events_max, state.events);
    if (state.events > kEventLimit) report.frozen.push_back(body.id);
  }
  report.events_max = events_max;
  if (environment.settings.border == Border::Remove) mark_who_left(movers, report);
}

}  // namespace tickbox::sim
