#pragma once
// How far a player sees.

#include "engine/world.h"
#include "tickbox/units.h"

#include <cstddef>

namespace tickbox::views {

/// Half the extent of a view, in sub-units, if the game does not say: half a 16:10 screen and a
/// margin.
inline constexpr Vec2 kSight{24 * kUnit, 16 * kUnit};

/// Returns half the extent of what a player sees: what the game says of the player's avatar. It is
/// kSight if the game says nothing, or if the first entity that the player controls is of another
/// kind.
[[nodiscard]] inline Vec2 sight_of(const engine::World& world, Player player) {
  const GameTable& game = world.game();
  const std::size_t avatar = world.avatar_of(player);
  const bool has_sight =
      game.sight != nullptr && avatar != world.size() && world.infos()[avatar].kind == game.avatar;
  return has_sight ? game.sight(world.state(avatar).data()) : kSight;
}

}  // namespace tickbox::views
