#pragma once
// The content of a recording in numbers, counted without stepping any tick.

#include "engine/identity.h"
#include "record/reader.h"
#include "record/segments.h"

#include <cstdint>
#include <optional>

namespace tickbox::record {

/// What the players of a recording did.
struct PlayerSummary {
  std::uint64_t joins = 0;
  std::uint64_t leaves = 0;
  std::uint64_t inputs = 0;              ///< one of each player in each tick
  std::uint64_t inputs_substituted = 0;  ///< of those, not received from the client in time
  std::uint64_t players_max = 0;         ///< maximum number of players at once
};

struct Summary {
  Segments records;  ///< with the game, impossible worlds and ticks count as damage in it too
  std::optional<PlayerSummary> players;  ///< none without the game
};

/// Counts the records of `reader`, fresh from open(), to its end. `played`: the game and the map
/// that its header names; nullptr without them.
[[nodiscard]] Summary summarize(const Reader& reader, const engine::GameOnMap* played);

}  // namespace tickbox::record
