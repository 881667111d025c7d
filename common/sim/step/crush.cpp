#include "sim/step/crush.h"

#include "sim/step/carry.h"
#include "sim/step/velocity.h"

namespace tickbox::sim {

bool is_crush(std::uint32_t low, const Side& low_side, std::uint32_t high, const Side& high_side,
              const Movers& movers) {
  if (!low_side.immovable || !high_side.immovable) return false;
  const auto pushes = [&movers](std::uint32_t mover) {
    return movers.bodies[mover].kind == Kind::Kinematic && !movers.states[mover].waits;
  };
  return pushes(low) || pushes(high);
}

void handle_crush(const ImpactEvent& event, const Colliders& colliders, Movers& movers,
                  Impacts& impacts, StepReport& report) {
  const auto [low, high] = colliders;
  const bool kinematic_is_low = movers.bodies[low].kind == Kind::Kinematic;
  const std::uint32_t kinematic = kinematic_is_low ? low : high;
  const std::uint32_t victim = kinematic_is_low ? high : low;
  MoverState& state = movers.states[victim];
  impacts.changed.push_back(victim);
  if (crushes(movers.bodies[kinematic])) {
    report.crushed.push_back(movers.bodies[victim].id);
    impacts.crushing.push_back({kinematic, victim});
    movers.states[kinematic].is_in_crush = state.is_in_crush = true;
    set_velocity(movers, victim, event.axis, state.motion.velocity[event.axis], event.whole);
    return;
  }
  set_velocity(movers, victim, event.axis, 0, event.whole);
  state.block(event.axis, kinematic_is_low ? End::Low : End::High);
  make_wait(kinematic, event.whole, movers, impacts, report);
}

void make_wait(std::uint32_t kinematic, FineTime now, Movers& movers, Impacts& impacts,
               StepReport& report) {
  for (Axis axis = 0; axis < kAxes; ++axis) {
    turn(movers, kinematic, axis, 0, now);
  }
  movers.states[kinematic].waits = true;
  mark_turned(movers, kinematic);
  report.blocked.push_back(movers.bodies[kinematic].id);
  impacts.changed.push_back(kinematic);
  drop_riders(kinematic, now, movers, impacts.changed);
}

}  // namespace tickbox::sim
