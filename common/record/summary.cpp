#include "record/summary.h"

#include <algorithm>

namespace tickbox::record {
namespace {

void add(Summary& summary, std::uint64_t& players, const Keyframe& keyframe) {
  ++summary.segments;
  summary.gaps += keyframe.gap_before ? 1U : 0U;
  summary.first_tick = summary.first_tick.value_or(keyframe.tick);
  summary.last_tick = keyframe.tick;
  players =
      static_cast<std::uint64_t>(std::ranges::count_if(keyframe.seats, &game::SeatState::taken));
  summary.players_max = std::max(summary.players_max, players);
}

void add(Summary& summary, std::uint64_t& players, std::span<const RecordedTick> ticks) {
  for (const RecordedTick& tick : ticks) {
    // In a forged recording, more players may leave than are there.
    players -= std::min<std::uint64_t>(players, tick.leaves.size());
    players += tick.joins.size();
    summary.players_max = std::max(summary.players_max, players);
    ++summary.ticks;
    summary.joins += tick.joins.size();
    summary.leaves += tick.leaves.size();
    summary.inputs += tick.inputs.size();
    summary.inputs_substituted += static_cast<std::uint64_t>(std::ranges::count_if(
        tick.sources,
        [](game::InputSource source) { return source != game::InputSource::Received; }));
    summary.first_recorded = summary.first_recorded.value_or(tick.tick);
    summary.last_tick = tick.tick;
  }
}

void add(Summary& summary, const Damage& damage) {
  ++summary.damage_count;
  if (summary.damages.size() < kDamagesListedMax) summary.damages.push_back(damage);
}

}  // namespace

Summary summarize(Reader reader) {
  Summary summary;
  std::uint64_t players = 0;
  bool trailer = false;
  for (;;) {
    switch (reader.next()) {
      case Reader::Item::Keyframe:
        add(summary, players, reader.keyframe());
        break;
      case Reader::Item::Ticks:
        add(summary, players, reader.ticks());
        break;
      case Reader::Item::Trailer:
        trailer = true;
        summary.gaps += reader.trailer().gap_before ? 1U : 0U;
        break;
      case Reader::Item::Unfinished:
        summary.unfinished = reader.unfinished().tick;
        break;
      case Reader::Item::Damage:
        add(summary, reader.damage());
        break;
      case Reader::Item::EndsEarly:
        summary.ends_early = true;
        break;
      case Reader::Item::Finished:
        summary.complete = trailer && summary.damage_count == 0 && summary.gaps == 0;
        return summary;
    }
  }
}

}  // namespace tickbox::record
