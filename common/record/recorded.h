#pragma once
// What a recording holds, decoded: whole worlds now and then, and what entered each tick between
// them.

#include "core/bytes.h"
#include "core/ids.h"
#include "game/tick_log.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::record {

/// One tick: what entered it, and the hash of the state after its step.
struct RecordedTick : game::LoggedTick {
  Tick tick;
  /// None within a stretch of ticks that nothing entered, in a room with nobody in it: the hash of
  /// its last tick stands for all.
  std::optional<std::uint64_t> state_hash;
  bool is_quiet = false;  ///< in such a stretch
  ConstBytes bytes;       ///< as the log has it; in the file
};

/// A whole world after its tick.
struct Keyframe : game::LoggedWorld {
  std::uint32_t segment = 0;  ///< number of the segment that it begins, from 0
  Tick previous;              ///< of the keyframe before; its own where it is the first
  bool gap_before = false;    ///< ticks before it were not recorded
};

/// Where the keyframe of a segment begins.
struct KeyframePlace {
  std::uint64_t offset = 0;  ///< bytes from the start of the file
  Tick tick;
  std::uint32_t segment = 0;

  friend bool operator==(const KeyframePlace&, const KeyframePlace&) = default;
};

/// A clean end.
struct Trailer {
  Tick last_tick;  ///< recorded
  Tick last_keyframe;
  bool gap_before = false;  ///< ticks after last_tick were not recorded
  std::uint32_t segments = 0;
  std::uint32_t ticks = 0;
  std::uint32_t gaps = 0;
  std::vector<KeyframePlace>
      index;  ///< in order; of files that lost something, as if it were there
};

}  // namespace tickbox::record
