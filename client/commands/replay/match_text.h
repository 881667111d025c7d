#pragma once
// Worlds, ticks and values of any game as JSON, with the names that the game has declared. Lengths
// are exact, in units; velocities are in units per tick.

#include "engine/log/tick_log.h"
#include "engine/world.h"

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

}  // namespace tickbox::commands
