#include "record/summary.h"

#include "record/segments.h"

#include <algorithm>
#include <span>

namespace tickbox::record {
namespace {

std::uint64_t players_in(const engine::World& world) {
  return static_cast<std::uint64_t>(std::ranges::count_if(world.seats(), &engine::SeatInfo::taken));
}

std::uint64_t idle_in(std::span<const EncodedTick> ticks) {
  return static_cast<std::uint64_t>(std::ranges::count(ticks, true, &EncodedTick::is_idle));
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

/// Counts what players did.
class PlayerCount {
 public:
  explicit PlayerCount(Decoder& decoder) : decoder_(decoder) {}

  /// Adds the content of an item. Returns false if it is impossible; the rest of its segment is
  /// then not counted.
  [[nodiscard]] bool add(Reader::Item item, const Reader& reader) {
    if (item == Reader::Item::Keyframe) return is_possible_ = begin(reader.world());
    if (item == Reader::Item::Unfinished && is_possible_) {
      return decoder_.tick(reader.unfinished()) != nullptr;
    }
    if (item != Reader::Item::Ticks || !is_possible_) return true;
    for (const EncodedTick& recorded : reader.ticks()) {
      const engine::DecodedTick* tick = decoder_.tick(recorded);
      is_possible_ = tick != nullptr;
      if (!is_possible_) return false;
      count(*tick, players_);
    }
    return true;
  }

  [[nodiscard]] const PlayerSummary& players() const { return players_; }

 private:
  [[nodiscard]] bool begin(ConstBytes bytes) {
    const auto keyframe = decoder_.begin(bytes);
    if (!keyframe) return false;
    players_.players_max = std::max(players_.players_max, players_in(keyframe->world));
    return true;
  }

  Decoder& decoder_;
  bool is_possible_ = false;
  PlayerSummary players_;
};

}  // namespace

Summary summarize(Reader reader, Decoder* decoder) {
  Summary summary;
  Segments segments;
  std::optional<PlayerCount> players;
  if (decoder != nullptr) players.emplace(*decoder);
  std::uint32_t impossible = 0;
  const auto list = [&summary](const Damage& stretch) {
    if (summary.damages.size() < kDamagesListedMax) summary.damages.push_back(stretch);
  };
  Reader::Item item{};
  do {
    item = reader.next();
    segments.add(item, reader);
    if (item == Reader::Item::Damage) list(reader.damage());
    if (item == Reader::Item::Ticks) summary.idle_ticks += idle_in(reader.ticks());
    if (players && !players->add(item, reader)) {
      ++impossible;
      list({.offset = reader.item_offset(), .bytes = reader.offset() - reader.item_offset()});
    }
  } while (item != Reader::Item::Finished);
  if (players) summary.players = players->players();
  summary.ticks = segments.ticks;
  summary.damage_count = segments.damages + impossible;
  summary.segments = static_cast<std::uint32_t>(segments.all.size());
  if (!segments.all.empty()) {
    summary.first_tick = segments.all.front().keyframe;
    summary.last_tick = segments.all.back().last;
  }
  summary.gaps = segments.gaps;
  summary.complete = segments.trailer && summary.damage_count == 0 && summary.gaps == 0;
  summary.ends_early = segments.ends_early;
  summary.unfinished = segments.unfinished;
  return summary;
}

}  // namespace tickbox::record
