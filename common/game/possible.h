#pragma once
// Whether a world can take what is said to have entered its tick: what the rules assert of who
// steps them, asked of what came from elsewhere.

#include "game/step.h"
#include "game/world.h"

namespace tickbox::game {

/// Whether every seat exists, rays strike players of such, only who is there leaves, only who is
/// not joins, and whoever appears finds a free place.
[[nodiscard]] bool possible(const World& world, const TickCommands& commands);

}  // namespace tickbox::game
