#pragma once
// The segments of a recording by their places in the file, so that each can be stepped by itself,
// in any order and by several threads; and the way to a tick.

#include "core/ids.h"
#include "record/reader.h"
#include "record/recorded.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tickbox::record {

/// A keyframe, and what continues it without a break.
struct Segment {
  std::size_t offset = 0;    ///< of the keyframe's record
  std::size_t end = 0;       ///< behind the last record
  std::uint32_t number = 0;  ///< as the keyframe tells it
  Tick keyframe;
  Tick previous;  ///< of the keyframe before, as this one tells it
  Tick last;      ///< tick that is in it
  bool gap_before = false;
  bool continued = false;           ///< the next one begins where this ends, in its last tick
  std::uint32_t damage_before = 0;  ///< damaged stretches between it and the one before
};

/// A whole file, seen once.
struct Segments {
  std::vector<Segment> all;
  std::optional<Trailer> trailer;
  std::optional<Tick> unfinished;  ///< the tick whose step never ended
  bool ends_early = false;
  std::uint32_t header_damage = 0;  ///< one of the header's copies is damaged
  std::uint32_t damage_after = 0;   ///< damaged stretches behind the last segment
  bool interrupted = false;         ///< the rest was given up, and is not in it
};

/// Walks `reader`, fresh from open(), to its end, or until `stopped`, asked at each record, is
/// true; it may be empty.  Cost: linear in the file's length, steps nothing.
[[nodiscard]] Segments segments_of(Reader reader, const std::function<bool()>& stopped = {});

// The way to a tick: by the trailer's index where it fits the file, and by a walk where not.

/// A reader whose first item is the last whole keyframe that is not after `tick`; one of the whole
/// file where there is none.
/// Cost: of the part between two entries of the index; without one of the file up to `tick`.
[[nodiscard]] Reader seek(const Reader& recording, Tick tick);

}  // namespace tickbox::record
