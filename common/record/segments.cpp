#include "record/segments.h"

#include <utility>

namespace tickbox::record {
namespace {

void begin(Segments& segments, const Reader& reader, std::uint32_t damage) {
  const Keyframe& keyframe = reader.keyframe();
  if (!segments.all.empty() && damage == 0) {
    Segment& before = segments.all.back();
    before.continued = before.last == keyframe.tick;
  }
  segments.all.push_back({.offset = reader.item_offset(),
                          .end = reader.offset(),
                          .number = keyframe.segment,
                          .keyframe = keyframe.tick,
                          .previous = keyframe.previous,
                          .last = keyframe.tick,
                          .gap_before = keyframe.gap_before,
                          .damage_before = damage});
}

}  // namespace

Segments segments_of(Reader reader, const std::function<bool()>& stopped) {
  Segments segments;
  std::uint32_t damage = 0;  // since the last segment
  for (;;) {
    segments.interrupted = stopped && stopped();
    if (segments.interrupted) return segments;
    switch (reader.next()) {
      case Reader::Item::Keyframe:
        begin(segments, reader, std::exchange(damage, 0U));
        break;
      case Reader::Item::Ticks:
        segments.all.back().last = reader.ticks().back().tick;
        segments.all.back().end = reader.offset();
        break;
      case Reader::Item::Trailer:
        segments.trailer = reader.trailer();
        break;
      case Reader::Item::Unfinished:
        segments.unfinished = reader.unfinished().tick;
        segments.all.back().end = reader.offset();
        break;
      case Reader::Item::Damage:
        ++(reader.damage().offset < kRecordsOffset ? segments.header_damage : damage);
        break;
      case Reader::Item::EndsEarly:
        segments.ends_early = true;
        break;
      case Reader::Item::Finished:
        segments.damage_after = damage;
        return segments;
    }
  }
}

}  // namespace tickbox::record
