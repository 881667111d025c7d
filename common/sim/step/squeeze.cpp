// A kinematic body pushes somebody against something that does not give way. It waits, or it
// crushes.

#include "sim/step/step_run.h"

namespace tickbox::sim {

bool StepRun::squeezes(std::uint32_t low, const Side& low_side, std::uint32_t high,
                       const Side& high_side) const {
  if (!low_side.immovable || !high_side.immovable) return false;
  const auto pushes = [this](std::uint32_t mover) {
    return movers_.bodies[mover].kind == Kind::Kinematic && !movers_.states[mover].waits;
  };
  return pushes(low) || pushes(high);
}

void StepRun::squeeze(std::uint32_t low, std::uint32_t high, Axis axis, FineTime now) {
  const bool kinematic_is_low = movers_.bodies[low].kind == Kind::Kinematic;
  const std::uint32_t kinematic = kinematic_is_low ? low : high;
  const std::uint32_t victim = kinematic_is_low ? high : low;
  impacts_.changed.push_back(victim);
  if (crushes(movers_.bodies[kinematic])) {
    report_.crushed.push_back(movers_.bodies[victim].id);
    impacts_.crushing.push_back({kinematic, victim});
    movers_.states[kinematic].is_in_crush = movers_.states[victim].is_in_crush = true;
    give_velocity(movers_, victim, axis, movers_.states[victim].motion.velocity[axis], now);
    return;
  }
  give_velocity(movers_, victim, axis, 0, now);
  movers_.states[victim].block(axis, kinematic_is_low ? End::Low : End::High);
  wait(kinematic, now);
}

void StepRun::wait(std::uint32_t kinematic, FineTime now) {
  MoverState& flight = movers_.states[kinematic];
  for (Axis axis = 0; axis < kAxes; ++axis) {
    turn(movers_, kinematic, axis, 0, now);
  }
  flight.waits = true;
  mark_turned(movers_, kinematic);
  report_.blocked.push_back(movers_.bodies[kinematic].id);
  impacts_.changed.push_back(kinematic);
  drop_riders(kinematic, now, movers_, rides_, impacts_.changed);
}

}  // namespace tickbox::sim
