#pragma once
// Steps a recorded match again, by the code that stepped it, and compares every tick's hash.

#include "game/map.h"
#include "game/rules.h"
#include "record/reader.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace tickbox::record {

/// Where a replay first went another way.
struct Mismatch {
  Tick tick;                     ///< the first whose hash differs
  std::optional<BodyId> entity;  ///< with the lowest id of those that differ; none where no
                                 ///< keyframe follows, or it is no entity that differs
  std::string field;             ///< of that entity, "rng", "seat N" or "state_hash"
  std::string expected;  ///< what was recorded: a number, 16 hex digits of a hash, or "absent"
  std::string got;       ///< what the replay came to
};

struct VerifyOptions {
  Tick from;  ///< the first tick to compare
  Tick to{std::numeric_limits<std::uint32_t>::max()};
  /// Step the tick whose step never ended, too, after all others: an assertion that failed in it
  /// fails again.
  bool step_unfinished = false;
  /// Called now and then with the share of the file that is done, in 1/1000. May be empty.
  std::function<void(std::uint32_t)> progress;
};

struct VerifyResult {
  std::uint64_t ticks = 0;  ///< compared
  std::uint64_t mismatched = 0;
  std::optional<Mismatch> first_mismatch;
  bool complete = false;  ///< the trailer was there, nothing damaged, no gap
  bool ends_early = false;
  std::optional<Tick> unfinished;  ///< the tick whose step never ended
  std::uint32_t damages = 0;       ///< damaged stretches, and records no world can have
  std::uint32_t gaps = 0;
  std::uint32_t segments_whole = 0;
  std::uint32_t segments_lost = 0;    ///< of which damage took something
  std::uint64_t recovered_ticks = 0;  ///< of `ticks`, those after the first damage
  Tick last_tick;                     ///< that was read

  [[nodiscard]] bool held() const { return mismatched == 0 && damages == 0; }
};

/// Walks `reader`, fresh from open(), to its end.  Requires: rules and map are those that its
/// header names.
[[nodiscard]] VerifyResult verify(Reader reader, const game::SharedMap& map,
                                  const game::Rules& rules, const VerifyOptions& options = {});

}  // namespace tickbox::record
