#include "record/segments.h"

#include "record/replayer.h"

#include <algorithm>
#include <utility>

namespace tickbox::record {
namespace {

using Item = Reader::Item;

std::uint64_t players_in(const engine::World& world) {
  return static_cast<std::uint64_t>(std::ranges::count_if(world.seats(), &engine::SeatInfo::taken));
}

void count(const engine::DecodedTick& tick, PlayerSummary& players) {
  players.players_max = std::max<std::uint64_t>(players.players_max, tick.sources.size());
  players.joins += tick.joins.size();
  players.leaves += tick.leaves.size();
  players.inputs += tick.sources.size();
  players.inputs_substituted += static_cast<std::uint64_t>(
      std::ranges::count_if(tick.sources, [](const engine::PlayerSource& each) {
        return each.source != engine::InputSource::Received;
      }));
}

/// Counts what players did in the record that was read last.
void count(Replayer& replayer, Item item, PlayerSummary& players) {
  if (item == Item::Keyframe && replayer.keyframe() != nullptr) {
    const std::uint64_t present = players_in(replayer.keyframe()->world);
    players.players_max = std::max(players.players_max, present);
  }
  while (const engine::DecodedTick* const tick = replayer.decode()) {
    if (item == Item::Ticks) count(*tick, players);
  }
}

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

/// Counts what the damage behind the last segment has cost. `next` is the number of the segment
/// that follows, or would; `previous` the tick of the keyframe before it in the log. Numbers that
/// are missing without damage cost nothing: a sink has lost them, or wanted a segment.
void Segments::close_last(std::uint32_t next, Tick previous, std::optional<std::uint32_t> first) {
  if (!damage_after) return;
  if (all.empty()) {
    missing += first ? next - *first : 1;
    return;
  }
  // Segment n, damage, segment m. The keyframe before m in the log is
  // - that of n: n has lost ticks, and no segment is missing;
  // - at the last tick of n: n is whole, and the segment that began there is missing;
  // - another: n has lost ticks, and all segments between n and m are missing.
  Segment& segment = all.back();
  if (segment.keyframe == previous) return;
  segment.is_whole = segment.last == previous;
  missing += segment.is_whole ? 1 : next - segment.number - 1;
}

void Segments::add(Reader::Item item, const Reader& reader) {
  switch (item) {
    case Reader::Item::Keyframe: {
      const KeyframeHead& keyframe = reader.keyframe();
      close_last(keyframe.segment, keyframe.previous, reader.first_segment());
      if (!all.empty()) all.back().continued = !damage_after && all.back().last == keyframe.tick;
      damage_after = false;
      gaps += keyframe.gap_before ? 1U : 0U;
      all.push_back({.offset = reader.item_offset(),
                     .end = reader.offset(),
                     .number = keyframe.segment,
                     .keyframe = keyframe.tick,
                     .last = keyframe.tick,
                     .damage_before = damages > 0});
      return;
    }
    case Reader::Item::Ticks:
      ticks += reader.ticks().size();
      idle_ticks += static_cast<std::uint64_t>(
          std::ranges::count(reader.ticks(), true, &EncodedTick::is_idle));
      all.back().last = reader.ticks().back().tick;
      all.back().end = reader.offset();
      return;
    case Reader::Item::Trailer:
      trailer = reader.trailer();
      close_last(trailer->end_segment, trailer->last_keyframe, reader.first_segment());
      // Of a gap at the beginning or the end the trailer alone knows.
      gaps = std::max(gaps, trailer->gaps);
      // Whole segments that were removed look like a gap.
      if (damages == 0 && ticks != trailer->ticks) ++damages;
      return;
    case Reader::Item::Unfinished:
      unfinished = reader.unfinished().tick;
      all.back().end = reader.offset();
      return;
    case Reader::Item::Damage:
      ++damages;
      list(reader.damage());
      if (reader.damage().offset < kRecordsOffset) return;
      damage_after = true;
      if (!all.empty() && !trailer && !unfinished) all.back().is_whole = false;
      return;
    case Reader::Item::EndsEarly:
      ends_early = true;
      return;
    case Reader::Item::Waiting:
      return;
    case Reader::Item::Finished:
      if (all.empty() && damage_after && !trailer) missing = 1;
      return;
  }
}

void Segments::list(const Damage& stretch) {
  if (damaged.size() < kDamagesListedMax) damaged.push_back(stretch);
}

Segments segments_of(Reader reader, const std::function<bool()>& stopped) {
  Segments segments;
  Reader::Item item{};
  do {
    segments.interrupted = stopped && stopped();
    if (segments.interrupted) break;
    item = reader.next();
    segments.add(item, reader);
  } while (item != Reader::Item::Finished);
  return segments;
}

Reader seek(const Reader& recording, Tick tick) {
  const std::vector<Segment> all = segments_of(recording).all;
  const auto after = std::ranges::upper_bound(all, tick, {}, &Segment::keyframe);
  return after == all.begin() ? recording : recording.from_keyframe((after - 1)->offset);
}

Summary summarize(const Reader& reader, const engine::GameOnMap* played) {
  Summary summary;
  if (played == nullptr) {
    summary.records = segments_of(reader);
    return summary;
  }
  Replayer replayer{reader, *played->game, played->map};
  std::uint32_t impossible = 0;
  summary.players.emplace();
  Item item{};
  do {
    item = replayer.read();
    const Reader& at = replayer.reader();
    summary.records.add(item, at);
    count(replayer, item, *summary.players);
    if (!replayer.is_impossible()) continue;
    ++impossible;
    summary.records.list({.offset = at.item_offset(), .bytes = at.offset() - at.item_offset()});
  } while (item != Item::Finished);
  summary.records.damages += impossible;
  return summary;
}

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
