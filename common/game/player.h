#pragma once
// Whoever decides a player's inputs: a person, a bot, a script.

#include "core/ids.h"
#include "game/entity_state.h"
#include "game/input.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace tickbox::game {

/// The input for `tick`. `own`: the own body as predicted; `seen`: the newest view, by id.
using Decide = std::function<Input(Tick tick, const std::optional<EntityState>& own,
                                   std::span<const EntityState> seen)>;

/// Called once it is known how many ticks a second has.
using MakePlayer = std::function<Decide(std::uint32_t ticks_per_second)>;

}  // namespace tickbox::game
