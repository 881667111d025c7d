#include "game/step.h"

namespace tickbox::game {

const sim::StepReport& step(World& world, const Rules& rules, const TickCommands& commands,
                            Authority authority, Stepper& stepper) {
  stepper.events.shots.clear();
  stepper.events.hits.clear();
  stepper.events.placements.clear();
  world.tick = world.tick + 1;
  for (const PlayerId player : commands.leaves) {
    rules.leave(world, player);
  }
  for (const PlayerId player : commands.joins) {
    rules.join(world, player);
  }
  rules.apply_inputs(world, commands.inputs, stepper.events);
  const sim::StepReport& report = stepper.physics.step(world.physics());
  rules.after_step(world, report, authority, stepper.events);
  for (const Placement& placement : commands.placements) {
    rules.place(world, placement);
  }
  return report;
}

}  // namespace tickbox::game
