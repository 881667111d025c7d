#include "record/segments.h"

#include <algorithm>
#include <cstddef>
#include <optional>
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

/// Returns a reader at the last keyframe of the index at or before `tick`; nothing if the index is
/// missing or does not fit the file.
std::optional<Reader> near(const Reader& recording, Tick tick) {
  const auto trailer = recording.find_trailer();
  if (!trailer) return std::nullopt;
  const auto after = std::ranges::upper_bound(trailer->index, tick, {}, &KeyframePlace::tick);
  if (after == trailer->index.begin() || !recording.has_keyframe(*(after - 1))) return std::nullopt;
  return recording.from_keyframe((after - 1)->offset);
}

}  // namespace

Segments segments_of(Reader reader, const std::function<bool()>& stopped) {
  Segments segments;
  segments.first = reader.first_segment();
  std::uint32_t damage = 0;  // damaged stretches since the last segment
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

Reader seek(const Reader& recording, Tick tick) {
  Reader walk = near(recording, tick).value_or(recording);
  std::optional<std::size_t> best;
  for (auto item = walk.next(); item != Reader::Item::Finished; item = walk.next()) {
    if (item != Reader::Item::Keyframe) continue;
    if (walk.keyframe().tick > tick) break;
    best = walk.item_offset();
  }
  return best ? recording.from_keyframe(*best) : recording;
}

}  // namespace tickbox::record
