#pragma once
// The content of a recording in numbers, counted without stepping any tick.

#include "core/ids.h"
#include "record/decoder.h"
#include "record/reader.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::record {

/// Damaged stretches that a summary lists one by one; the rest are only counted.
inline constexpr std::size_t kDamagesListedMax = 64;

/// What the players of a recording did.
struct PlayerSummary {
  std::uint64_t joins = 0;
  std::uint64_t leaves = 0;
  std::uint64_t inputs = 0;              ///< one of each player in each tick
  std::uint64_t inputs_substituted = 0;  ///< of those, not received from the client in time
  std::uint64_t players_max = 0;         ///< maximum number of players at once
};

struct Summary {
  std::optional<Tick> first_tick;  ///< tick of the first keyframe
  Tick last_tick;
  std::uint64_t ticks = 0;
  std::uint64_t idle_ticks = 0;  ///< of those, in which the world was not stepped
  std::uint32_t segments = 0;    ///< segments with a readable keyframe
  std::uint32_t gaps = 0;
  std::optional<PlayerSummary> players;  ///< none without a decoder
  bool complete = false;                 ///< it has a trailer, no damage and no gap
  bool ends_early = false;
  std::optional<Tick> unfinished;  ///< the tick whose step never ended
  std::uint32_t damage_count = 0;
  std::vector<Damage> damages;  ///< the first kDamagesListedMax
};

/// Counts the records of `reader`, fresh from open(), to its end. `decoder`: of the recording's
/// game; nullptr without it. With it, impossible worlds and ticks count as damage too.
[[nodiscard]] Summary summarize(Reader reader, Decoder* decoder);

}  // namespace tickbox::record
