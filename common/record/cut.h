#pragma once
// Copies whole segments of a recording to a new one, byte for byte.

#include "core/bytes.h"
#include "core/ids.h"
#include "record/log_file.h"
#include "record/reader.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace tickbox::record {

/// The ticks that a copy must have; it has whole segments, so it may begin earlier and end later.
struct CutRange {
  Tick from;
  Tick to{std::numeric_limits<std::uint32_t>::max()};
  /// Called at each record that is read, and at each segment that is copied: true ends the work
  /// early. May be empty.
  std::function<bool()> stopped{};
};

struct CutResult {
  std::optional<Tick> first;  ///< the first keyframe; none if no segment in the range is whole
  Tick last;
  LogFileStats copy;          ///< of the copy; its lost ticks and gaps are those between segments
  std::uint32_t damages = 0;  ///< damaged stretches of the original
  bool written = false;       ///< the sink took everything
  bool interrupted = false;   ///< `stopped` ended it early: the copy has no end
};

/// Copies the segments that have a tick of the range, without those that lost something to damage.
/// The copy belongs to no server. Needs no game: bytes are not decoded.
/// Requires: `reader` is fresh from open().
[[nodiscard]] CutResult cut(const Reader& reader, ByteSink& sink, const CutRange& range = {});

}  // namespace tickbox::record
