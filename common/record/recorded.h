#pragma once
// The content of a recording: keyframes, and everything that entered each tick between them. Worlds
// and ticks are bytes of the engine's tick log; code that has the game decodes them with a Decoder.

#include "core/ids.h"
#include "engine/log/tick_log.h"

#include <cstdint>

namespace tickbox::record {

using engine::EncodedTick;

/// A world after its tick. Reader::world() returns its bytes.
struct KeyframeHead {
  Tick tick;
  std::uint64_t state_hash = 0;  ///< as the keyframe names it
  std::uint32_t segment = 0;     ///< number of the segment that it begins
  Tick previous;            ///< tick of the log's keyframe before it; its own if it is the first
  bool gap_before = false;  ///< ticks before it were not recorded
};

/// The record at the end of a complete recording.
struct Trailer {
  Tick last_tick;  ///< last recorded tick
  Tick last_keyframe;
  bool gap_before = false;        ///< ticks after last_tick were not recorded
  std::uint32_t end_segment = 0;  ///< number of the last segment plus 1; 0 if there is none
  std::uint32_t ticks = 0;
  std::uint32_t gaps = 0;
};

}  // namespace tickbox::record
