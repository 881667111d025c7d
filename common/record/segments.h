#pragma once
// The segments of a recording and their places in the file, and the search for a tick. Each segment
// can be stepped separately, in any order and by several threads.

#include "core/ids.h"
#include "record/reader.h"
#include "record/recorded.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tickbox::record {

/// A keyframe and the records that continue it without a break.
struct Segment {
  std::size_t offset = 0;    ///< offset of the keyframe's record
  std::size_t end = 0;       ///< offset after the last record
  std::uint32_t number = 0;  ///< number, as written in the keyframe
  Tick keyframe;
  Tick previous;  ///< tick of the previous keyframe, as written in this one
  Tick last;      ///< last tick in the segment
  bool gap_before = false;
  bool continued = false;           ///< the next segment begins at the last tick of this one
  std::uint32_t damage_before = 0;  ///< damaged stretches between the previous segment and this one
};

/// The segments of a whole file, found in one pass.
struct Segments {
  std::vector<Segment> all;
  std::optional<std::uint32_t> first;  ///< number of the file's first; none if its header is lost
  std::optional<Trailer> trailer;
  std::optional<Tick> unfinished;  ///< the tick whose step never ended
  bool ends_early = false;
  std::uint32_t header_damage = 0;  ///< damaged stretches in the file header
  std::uint32_t damage_after = 0;   ///< damaged stretches after the last segment
  bool interrupted = false;         ///< `stopped` ended the walk; the rest is missing here
};

/// Reads `reader`, fresh from open(), to its end, or until `stopped` returns true. `stopped` is
/// called at each record and may be empty. Cost: linear in the file's length; steps no tick.
[[nodiscard]] Segments segments_of(Reader reader, const std::function<bool()>& stopped = {});

// The search for a tick: by the trailer's index if it fits the file, otherwise record by record.

/// Returns a reader whose first item is the last whole keyframe at or before `tick`; a reader of
/// the whole file if there is none.
/// Cost: reads the part between two entries of the index; without an index, the file up to `tick`.
[[nodiscard]] Reader seek(const Reader& recording, Tick tick);

}  // namespace tickbox::record
