#pragma once
// Copies the undamaged part of a recording into a new recording.

#include "core/ids.h"
#include "engine/map.h"
#include "record/reader.h"
#include "record/writer.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace tickbox::record {

struct CopyRange {
  /// The tick of the world that the copy begins with. The copy steps to this tick if it has no
  /// keyframe.
  Tick from;
  /// The last tick; if it is in a quiet stretch, the last tick of that stretch.
  Tick to{std::numeric_limits<std::uint32_t>::max()};
  /// Called at each record, and in the middle of a costly tick: true ends the copy early. May be
  /// empty.
  std::function<bool()> stopped{};
};

struct CopyResult {
  /// The tick of the world that the copy begins with; none if nothing in the range is whole.
  std::optional<Tick> first;
  Tick last;
  std::uint64_t ticks = 0;
  std::uint64_t ticks_lost = 0;  ///< between first and last
  std::uint32_t gaps = 0;
  std::uint32_t damages = 0;  ///< damaged stretches, invalid keyframes and impossible ticks
  bool differs = false;       ///< the world stepped to `from` has another hash than recorded
  bool written = false;       ///< the sink took the end of the recording
  bool interrupted = false;   ///< `stopped` ended it early: the copy has no end
};

/// Copies the recorded hashes unchanged; a keyframe keeps its place in the copy.
/// Requires: `reader` is fresh from open() or seek(), `writer` is new; game and map are those that
/// the header names.
[[nodiscard]] CopyResult copy(Reader reader, Writer& writer, const GameTable& game,
                              const engine::SharedMap& map, const CopyRange& range = {});

}  // namespace tickbox::record
