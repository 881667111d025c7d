#include "record/cut.h"

#include "record/segments.h"

#include <cstddef>
#include <vector>

namespace tickbox::record {
namespace {

/// Returns whether segment `i` has lost nothing to the damage behind it: either there is none, or
/// all of it is in the next segment, whose keyframe is of the last tick here.
bool is_whole(const Segments& segments, std::size_t i) {
  const Segment& segment = segments.all[i];
  const std::uint32_t after_next = segment.number + 2;
  if (i + 1 < segments.all.size()) {
    const Segment& next = segments.all[i + 1];
    return next.damage_before == 0 || (next.number == after_next && next.previous == segment.last);
  }
  if (segments.damage_after == 0) return true;
  return segments.trailer && segments.trailer->end_segment == after_next &&
         segments.trailer->last_keyframe == segment.last;
}

/// Returns the segments of the range that are whole, in order.
std::vector<Segment> wanted(const Segments& segments, const CutRange& range) {
  std::vector<Segment> found;
  for (std::size_t i = 0; i < segments.all.size(); ++i) {
    const Segment& segment = segments.all[i];
    if (!is_whole(segments, i)) continue;
    const bool begins_later = segment.continued && segment.last == range.from;
    const bool has_ended = !found.empty() && segment.keyframe >= range.to;
    if (segment.last < range.from || segment.keyframe > range.to || begins_later || has_ended) {
      continue;
    }
    found.push_back(segment);
  }
  return found;
}

Header header_of_copy(const Reader& reader) {
  Header header = reader.header();
  header.server = 0;  // no server may remove the copy to keep its directory small
  return header;
}

}  // namespace

CutResult cut(const Reader& reader, ByteSink& sink, const CutRange& range) {
  const Segments segments = segments_of(reader, range.stopped);
  CutResult result{.damages = segments.header_damage + segments.damage_after,
                   .interrupted = segments.interrupted};
  for (const Segment& segment : segments.all) {
    result.damages += segment.damage_before;
  }
  if (result.interrupted) return result;
  LogFile copy{sink, header_of_copy(reader)};
  for (const Segment& segment : wanted(segments, range)) {
    result.interrupted = range.stopped && range.stopped();
    if (result.interrupted) break;
    for (std::size_t at = segment.offset; at < segment.end;) {
      const LogRecord record = reader.record_at(at);
      copy.take(record);
      at += record.bytes.size();
    }
    if (!result.first) result.first = segment.keyframe;
    result.last = segment.last;
  }
  result.written = !result.interrupted && copy.finish() && copy.stats().records_refused == 0;
  result.copy = copy.stats();
  return result;
}

}  // namespace tickbox::record
