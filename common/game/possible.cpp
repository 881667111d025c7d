#include "game/possible.h"

#include <algorithm>

namespace tickbox::game {

bool possible(const World& world, const TickCommands& commands) {
  const auto seats = world.seats();
  const auto exists = [&](PlayerId player) { return player.value < seats.size(); };
  const auto taken = [&](PlayerId player) { return seats[player.value].taken; };
  const auto leaves = [&](PlayerId player) {
    return std::ranges::binary_search(commands.leaves, player);
  };
  const auto may_be_struck = [&](BodyId body) {
    return has_kind(body, EntityKind::Player) && exists(player_of(body));
  };
  // Whoever appears needs a free place, and a body may stand on each one: counted are all bodies,
  // those who join and a bullet of every player.
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
