#include "record/cut.h"

#include "record/segments.h"

#include <cstddef>
#include <vector>

namespace tickbox::record {
namespace {

/// Returns the segments of the range that are whole, in order.
std::vector<Segment> wanted(const Segments& segments, const CutRange& range) {
  std::vector<Segment> found;
  for (std::size_t i = 0; i < segments.all.size(); ++i) {
    const Segment& segment = segments.all[i];
    if (!segment.is_whole) continue;
    const bool begins_later =
        segment.continued && segment.last == range.from && segments.all[i + 1].is_whole;
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
  CutResult result{.damages = segments.damages, .interrupted = segments.interrupted};
  if (result.interrupted) return result;
  LogFile copy{sink, header_of_copy(reader)};
  for (const Segment& segment : wanted(segments, range)) {
    result.interrupted = range.stopped && range.stopped();
    if (result.interrupted) break;
    for (std::size_t at = segment.offset; at < segment.end;) {
      const LogRecord record = reader.record_at(at);
      copy.append(record);
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
