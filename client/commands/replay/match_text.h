#pragma once
// Worlds, ticks and values of any game as JSON, with the names that the game has declared. Lengths
// are exact, in units; velocities are in units per tick.

#include "core/bytes.h"
#include "engine/log/tick_log.h"
#include "engine/world.h"
#include "tickbox/game_table.h"

#include <string>

namespace tickbox::commands {

/// Returns `[{"id":…,"kind":…,"owner":…,"min":[…],"velocity":[…],"state":{…}},…]`. A body that is
/// carried also has `carrier`, one on a path `path` and `path_ticks`.
[[nodiscard]] std::string bodies_json(const engine::World& world);

/// Returns `[{"seat":…,"taken":…,"generation":…},…]`; a taken seat also has `state`.
[[nodiscard]] std::string seats_json(const engine::World& world);

/// Returns `"leaves":[…],"joins":[…],"clients":[…],"inputs":[…],"outcomes":[…],"strikes":[…]`, and
/// `"idle":true` if the tick was idle.
/// `world`: after the tick.
[[nodiscard]] std::string tick_json(const engine::World& world, const engine::DecodedTick& tick);

/// Returns an outcome in words, as in "removed 17". Requires: an outcome of `record`.
[[nodiscard]] std::string in_words(const GameTable& game, const engine::TickRecord& record,
                                   const engine::Outcome& outcome);

/// Returns the input of a player in a tick: the given one, or the one that it holds. `world`: after
/// the tick.
[[nodiscard]] ConstBytes input_in(const engine::World& world, const engine::TickRecord& record,
                                  Player player);

}  // namespace tickbox::commands
