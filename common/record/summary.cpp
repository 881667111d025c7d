#include "record/summary.h"

#include <algorithm>

namespace tickbox::record {
namespace {

class Counter {
 public:
  explicit Counter(Decoder* decoder) : decoder_(decoder) {
    if (decoder_ != nullptr) summary_.players.emplace();
  }

  void keyframe(const Reader& reader);
  void ticks(const Reader& reader);
  void unfinished(const Reader& reader);

  void damage(const Damage& damage) {
    ++summary_.damage_count;
    if (summary_.damages.size() < kDamagesListedMax) summary_.damages.push_back(damage);
  }

  void trailer(const Trailer& trailer) {
    has_trailer_ = true;
    summary_.gaps = std::max(summary_.gaps + (trailer.gap_before ? 1U : 0U), trailer.gaps);
  }

  void ends_early() { summary_.ends_early = true; }

  Summary finish() {
    summary_.complete = has_trailer_ && summary_.damage_count == 0 && summary_.gaps == 0;
    return summary_;
  }

 private:
  /// Returns false if the tick is impossible; the rest of its segment is then not counted.
  [[nodiscard]] bool count_players(const RecordedTick& recorded);
  void impossible(const Reader& reader);

  Decoder* decoder_;
  bool is_lost_ = false;  ///< the world or a tick of the segment is impossible
  bool has_trailer_ = false;
  Summary summary_;
};

/// The record that was read last is impossible.
void Counter::impossible(const Reader& reader) {
  is_lost_ = true;
  damage({.offset = reader.item_offset(), .bytes = reader.offset() - reader.item_offset()});
}

void Counter::keyframe(const Reader& reader) {
  is_lost_ = false;
  if (decoder_ != nullptr) {
    const auto world = decoder_->begin(reader.world());
    if (!world) return impossible(reader);
    const auto players = static_cast<std::uint64_t>(
        std::ranges::count_if(world->world.seats(), &engine::SeatInfo::taken));
    summary_.players->players_max = std::max(summary_.players->players_max, players);
  }
  const Keyframe& keyframe = reader.keyframe();
  ++summary_.segments;
  summary_.gaps += keyframe.gap_before ? 1U : 0U;
  summary_.first_tick = summary_.first_tick.value_or(keyframe.tick);
  summary_.last_tick = keyframe.tick;
}

bool Counter::count_players(const RecordedTick& recorded) {
  if (decoder_ == nullptr) return true;
  const engine::LoggedTick* tick = decoder_->tick(recorded);
  if (tick == nullptr) return false;
  PlayerSummary& players = *summary_.players;
  players.players_max = std::max<std::uint64_t>(players.players_max, tick->sources.size());
  players.joins += tick->joins.size();
  players.leaves += tick->leaves.size();
  players.inputs += tick->sources.size();
  players.inputs_substituted += static_cast<std::uint64_t>(
      std::ranges::count_if(tick->sources, [](const engine::PlayerSource& each) {
        return each.source != engine::InputSource::Received;
      }));
  return true;
}

void Counter::ticks(const Reader& reader) {
  for (const RecordedTick& tick : reader.ticks()) {
    if (is_lost_) return;
    if (!count_players(tick)) return impossible(reader);
    ++summary_.ticks;
    summary_.first_recorded = summary_.first_recorded.value_or(tick.tick);
    summary_.last_tick = tick.tick;
  }
}

void Counter::unfinished(const Reader& reader) {
  if (is_lost_) return;
  if (decoder_ != nullptr && decoder_->tick(reader.unfinished()) == nullptr) {
    return impossible(reader);
  }
  summary_.unfinished = reader.unfinished().tick;
}

}  // namespace

Summary summarize(Reader reader, Decoder* decoder) {
  Counter counter{decoder};
  for (;;) {
    switch (reader.next()) {
      case Reader::Item::Keyframe:
        counter.keyframe(reader);
        break;
      case Reader::Item::Ticks:
        counter.ticks(reader);
        break;
      case Reader::Item::Trailer:
        counter.trailer(reader.trailer());
        break;
      case Reader::Item::Unfinished:
        counter.unfinished(reader);
        break;
      case Reader::Item::Damage:
        counter.damage(reader.damage());
        break;
      case Reader::Item::EndsEarly:
        counter.ends_early();
        break;
      case Reader::Item::Finished:
        return counter.finish();
    }
  }
}

}  // namespace tickbox::record
