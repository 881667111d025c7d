#pragma once
// The content of a recording in numbers, counted without stepping any tick.

#include "core/ids.h"
#include "record/reader.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::record {

/// Damaged stretches that a summary lists one by one; the rest are only counted.
inline constexpr std::size_t kDamagesListedMax = 64;

struct Summary {
  std::optional<Tick> first_tick;      ///< tick of the first keyframe
  std::optional<Tick> first_recorded;  ///< the first tick that can be stepped
  Tick last_tick;
  std::uint64_t ticks = 0;
  std::uint32_t segments = 0;  ///< segments with a readable keyframe
  std::uint32_t gaps = 0;
  std::uint64_t joins = 0;
  std::uint64_t leaves = 0;
  std::uint64_t inputs = 0;
  std::uint64_t inputs_substituted = 0;  ///< of those inputs
  std::uint64_t players_max = 0;         ///< maximum number of players at once
  bool complete = false;                 ///< it has a trailer, no damage and no gap
  bool ends_early = false;
  std::optional<Tick> unfinished;  ///< the tick whose step never ended
  std::uint32_t damage_count = 0;
  std::vector<Damage> damages;  ///< the first kDamagesListedMax
};

/// Counts the records of `reader`, fresh from open(), to its end.
[[nodiscard]] Summary summarize(Reader reader);

}  // namespace tickbox::record
