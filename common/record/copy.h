#pragma once
// What is whole of a recording, written as another one.

#include "core/ids.h"
#include "game/map.h"
#include "game/rules.h"
#include "record/reader.h"
#include "record/writer.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace tickbox::record {

struct CopyRange {
  Tick from;  ///< the world that the copy begins with; stepped to where it is not a keyframe's
  /// The last tick; where it lies in a stretch that nothing entered, the stretch's last.
  Tick to{std::numeric_limits<std::uint32_t>::max()};
  std::function<bool()> stopped{};  ///< asked at each record: true gives the rest up. May be empty
};

struct CopyResult {
  std::optional<Tick> first;  ///< the world that the copy begins with; none where nothing is whole
  Tick last;
  std::uint64_t ticks = 0;
  std::uint64_t ticks_lost = 0;  ///< between first and last
  std::uint32_t gaps = 0;
  std::uint32_t damages = 0;  ///< damaged stretches, and keyframes that are no world
  bool differs = false;       ///< the world at `from` could not be stepped to: its hash differs
  bool written = false;       ///< the sink took everything, the end included
  bool interrupted = false;   ///< the rest was given up: what is written has no end
};

/// Hashes are copied as they were recorded; a keyframe stands in the copy where it stood.
/// Requires: `reader` is fresh from open() or seek(), `writer` is new; map and rules are those that
/// the header names.
[[nodiscard]] CopyResult copy(Reader reader, Writer& writer, const game::SharedMap& map,
                              const game::Rules& rules, const CopyRange& range = {});

}  // namespace tickbox::record
