// A kinematic body pushes somebody against something that does not give way. It waits, or it
// crushes.

#include "sim/step/step_run.h"

namespace tickbox::sim {

bool StepRun::squeezes(std::uint32_t low, const Side& low_side, std::uint32_t high,
                       const Side& high_side) const {
  if (!low_side.immovable || !high_side.immovable) return false;
  const auto pushes = [this](std::uint32_t mover) {
    return bodies_[mover].kind == Kind::Kinematic && !flights_[mover].waits;
  };
  return pushes(low) || pushes(high);
}

void StepRun::squeeze(std::uint32_t low, std::uint32_t high, Axis axis, FineTime now) {
  const bool kinematic_is_low = bodies_[low].kind == Kind::Kinematic;
  const std::uint32_t kinematic = kinematic_is_low ? low : high;
  const std::uint32_t victim = kinematic_is_low ? high : low;
  unsettled_.push_back(victim);
  if (crushes(bodies_[kinematic])) {
    report_.crushed.push_back(bodies_[victim].id);
    crushing_.push_back({kinematic, victim});
    flights_[kinematic].is_in_crush = flights_[victim].is_in_crush = true;
    give_velocity(victim, axis, flights_[victim].motion.velocity[axis], now);
    return;
  }
  give_velocity(victim, axis, 0, now);
  flights_[victim].block(axis, kinematic_is_low ? End::Low : End::High);
  wait(kinematic, now);
}

void StepRun::wait(std::uint32_t kinematic, FineTime now) {
  Flight& flight = flights_[kinematic];
  for (Axis axis = 0; axis < kAxes; ++axis) {
    turn(kinematic, axis, 0, now);
  }
  flight.waits = true;
  mark_turned(kinematic);
  report_.blocked.push_back(bodies_[kinematic].id);
  unsettled_.push_back(kinematic);
  drop_riders_of(kinematic, now);
}

}  // namespace tickbox::sim
