#pragma once
// The payload of a trailer, with the index that seeks start from.

#include "core/bytes.h"
#include "core/numbers.h"
#include "record/format.h"
#include "record/recorded.h"

#include <cstddef>

namespace tickbox::record {

/// The maximum number of keyframe places in a trailer: every keyframe of 5.7 hours, then every
/// second one, and so on. So a trailer stays under 80 KiB, and a seek walks over one segment or
/// 1/2,048 of all segments, whichever is more.
inline constexpr std::size_t kIndexEntriesMax = 4'096;
inline constexpr std::size_t kIndexEntryBytes = 8 + 4 + 4;
/// The bytes before a trailer's index: ticks, gaps, tick of the last keyframe, number of entries.
inline constexpr std::size_t kTrailerHeadBytes = 4 + 4 + 4 + 4;
/// The most bytes of a trailer's record.
inline constexpr std::size_t kTrailerRecordBytesMax =
    kRecordHeadBytes + kTrailerHeadBytes + kIndexEntriesMax * kIndexEntryBytes + kChecksumBytes;

/// Appends the payload. The record's head has the other fields: last tick, segments and gap.
void encode_trailer(const Trailer& trailer, NumberWriter& out);

/// Reads a trailer into `trailer`, which keeps its memory. The places of its index are in order and
/// of existing segments. The code that seeks by a place checks whether it fits the file.
/// Returns whether the payload is that of a trailer.
[[nodiscard]] bool decode_trailer(const RecordHead& head, ConstBytes payload, Trailer& trailer);

}  // namespace tickbox::record
