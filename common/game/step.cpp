#include "game/step.h"

#include <algorithm>

namespace tickbox::game {
namespace {

/// Adds the hits of rays. A player is hit once per tick at most, by a ray that was fired, and only
/// while its body exists.
void strike(const World& world, std::span<const Strike> strikes, Stepper& stepper) {
  if (strikes.empty()) return;
  TickEvents& events = stepper.events;
  std::vector<bool>& has_fired = stepper.has_fired;
  std::vector<bool>& is_hit = stepper.is_hit;
  has_fired.assign(world.seats().size(), false);
  is_hit.assign(world.seats().size(), false);
  for (const Shot& shot : events.shots) {
    if (shot.weapon == Weapon::Ray) has_fired[shot.player.value] = true;
  }
  for (const Hit& hit : events.hits) {
    is_hit[hit.victim.value] = true;
  }
  for (const Strike& strike : strikes) {
    const PlayerId victim = player_of(strike.victim);
    if (!has_fired[strike.shooter.value] || is_hit[victim.value] ||
        world.index_of(strike.victim) == world.size()) {
      continue;
    }
    is_hit[victim.value] = true;
    events.hits.push_back({.shooter = strike.shooter, .victim = victim});
  }
}

}  // namespace

const sim::StepReport& step(World& world, const Rules& rules, const TickCommands& commands,
                            Authority authority, Stepper& stepper) {
  stepper.events.shots.clear();
  stepper.events.hits.clear();
  stepper.events.teleports.clear();
  // Each player appears at most once. So a tick in which all players act allocates no memory.
  stepper.events.shots.reserve(world.seats().size());
  stepper.events.hits.reserve(world.seats().size());
  stepper.events.teleports.reserve(world.seats().size());
  stepper.has_fired.reserve(world.seats().size());
  stepper.is_hit.reserve(world.seats().size());
  world.tick = world.tick + 1;
  for (const PlayerId player : commands.leaves) {
    rules.leave(world, player);
  }
  rules.join(world, commands.joins);
  rules.apply_inputs(world, commands.inputs, stepper.events);
  strike(world, commands.strikes, stepper);
  const sim::StepReport& report = stepper.physics.step(world.physics());
  rules.after_step(world, report, authority, stepper.events);
  for (const Teleport& teleport : commands.teleports) {
    rules.place(world, teleport);
  }
  return report;
}

bool is_valid(const World& world, const TickCommands& commands) {
  const auto seats = world.seats();
  const auto exists = [&](PlayerId player) { return player.value < seats.size(); };
  const auto taken = [&](PlayerId player) { return seats[player.value].taken; };
  const auto leaves = [&](PlayerId player) {
    return std::ranges::binary_search(commands.leaves, player);
  };
  const auto may_be_struck = [&](BodyId body) {
    return has_kind(body, EntityKind::Player) && exists(player_of(body));
  };
  // A player that appears needs a free place, and each body may occupy one. The sum counts all
  // bodies, the players who join and one bullet of every player.
  const std::size_t bodies_at_most = world.size() + commands.joins.size() + seats.size();
  return std::ranges::all_of(commands.leaves, exists) &&
         std::ranges::all_of(commands.joins, exists) &&
         std::ranges::all_of(commands.inputs, exists, &PlayerInput::player) &&
         std::ranges::all_of(commands.strikes, exists, &Strike::shooter) &&
         std::ranges::all_of(commands.strikes, may_be_struck, &Strike::victim) &&
         std::ranges::all_of(commands.leaves, taken) &&
         std::ranges::all_of(commands.joins,
                             [&](PlayerId player) { return !taken(player) || leaves(player); }) &&
         bodies_at_most <= world.map()->spawn_points.size();
}

}  // namespace tickbox::game
