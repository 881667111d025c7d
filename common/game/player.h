#pragma once
// The interface of the code that decides a player's inputs: a person's controls, a bot, a script.

#include "core/ids.h"
#include "game/entity_state.h"
#include "game/input.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace tickbox::game {

/// A function that returns the input for `tick`. `own`: the own body as predicted; `seen`: the
/// newest view, by id.
using Decide = std::function<Input(Tick tick, const std::optional<EntityState>& own,
                                   std::span<const EntityState> seen)>;

/// A function that makes a Decide. It is called once the ticks per second are known.
using MakePlayer = std::function<Decide(std::uint32_t ticks_per_second)>;

}  // namespace tickbox::game
