#include "record/summary.h"

#include "record/replayer.h"

#include <algorithm>

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

}  // namespace

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

}  // namespace tickbox::record
