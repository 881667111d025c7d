#include "game/step.h"

#include <algorithm>

namespace tickbox::game {
namespace {

/// A player is struck once a tick, by a ray that was fired, and only while its body is there.
void strike(const World& world, std::span<const Strike> strikes, TickEvents& events) {
  for (const Strike& strike : strikes) {
    const bool fired = std::ranges::any_of(events.shots, [&strike](const Shot& shot) {
      return shot.player == strike.shooter && shot.weapon == Weapon::Ray;
    });
    if (!fired || world.index_of(strike.victim) == world.size()) continue;
    const Hit hit{.shooter = strike.shooter, .victim = player_of(strike.victim)};
    if (std::ranges::find(events.hits, hit.victim, &Hit::victim) == events.hits.end()) {
      events.hits.push_back(hit);
    }
  }
}

}  // namespace

const sim::StepReport& step(World& world, const Rules& rules, const TickCommands& commands,
                            Authority authority, Stepper& stepper) {
  stepper.events.shots.clear();
  stepper.events.hits.clear();
  stepper.events.placements.clear();
  // Each player at most once: so that no tick asks for memory in which all of them act.
  stepper.events.shots.reserve(world.seats().size());
  stepper.events.hits.reserve(world.seats().size());
  stepper.events.placements.reserve(world.seats().size());
  world.tick = world.tick + 1;
  for (const PlayerId player : commands.leaves) {
    rules.leave(world, player);
  }
  for (const PlayerId player : commands.joins) {
    rules.join(world, player);
  }
  rules.apply_inputs(world, commands.inputs, stepper.events);
  strike(world, commands.strikes, stepper.events);
  const sim::StepReport& report = stepper.physics.step(world.physics());
  rules.after_step(world, report, authority, stepper.events);
  for (const Placement& placement : commands.placements) {
    rules.place(world, placement);
  }
  return report;
}

}  // namespace tickbox::game
