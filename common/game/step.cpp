#include "game/step.h"

namespace tickbox::game {

const sim::StepReport& step(World& world, const Rules& rules, const TickCommands& commands,
                            Authority authority, Stepper& stepper) {
  stepper.events.hits.clear();
  world.tick = world.tick + 1;
  for (const PlayerId player : commands.leaves) {
    rules.leave(world, player);
  }
  for (const PlayerId player : commands.joins) {
    rules.join(world, player);
  }
  rules.apply_inputs(world, commands.inputs);
  const sim::StepReport& report = stepper.physics.step(world.physics());
  rules.after_step(world, report, authority, stepper.events);
  return report;
}

}  // namespace tickbox::game
