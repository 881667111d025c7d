#include "tests/simulator/recording_check.h"

#include "game/catalog.h"
#include "record/reader.h"
#include "record/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tickbox::simulator {
namespace {

constexpr std::string_view kName = "recording";
constexpr std::string_view kInputs = "inputs";

/// By tick, so that each can be found.
std::vector<std::vector<Decided>> sorted(const std::vector<std::vector<Decided>>& decided) {
  std::vector<std::vector<Decided>> all = decided;
  for (std::vector<Decided>& of_seat : all) {
    std::ranges::sort(of_seat, {}, &Decided::tick);
  }
  return all;
}

}  // namespace

struct RecordingCheck::Walk {
  const Recorded& recorded;
  std::vector<std::vector<Decided>> decided;
  std::set<PlayerId> present;  ///< who is in the room
  Tick last;                   ///< that was read
};

RecordingCheck::RecordingCheck(Findings& findings, const game::SharedMap& map,
                               std::uint32_t tick_rate)
    : findings_(findings), map_(map), rules_(game::make_rules("arena", tick_rate)) {}

void RecordingCheck::check(const Recorded& recorded) {
  const SimulatedDisk::File& file = recorded.file;
  ++counts_.recordings;
  if (file.bytes.empty()) return;  // the disk took nothing at all
  auto reader = record::Reader::open(file.bytes);
  if (!reader) {
    return findings_.add(kName, "a recording", std::string{record::describe(reader.error())});
  }
  const record::VerifyResult result = record::verify(*reader, map_, *rules_);
  if (result.mismatched != 0 || result.damages != 0) {
    findings_.add(
        kName, "a replay to the same hashes, and no damage",
        fmt::format("{} of {} ticks differ, the first {}; {} damages", result.mismatched,
                    result.ticks, result.first_mismatch ? result.first_mismatch->tick.value : 0U,
                    result.damages));
  }
  if (!file.is_cut && file.is_whole && !result.complete) {
    findings_.add(kName, "a whole recording, for it was closed and the disk took all of it",
                  fmt::format("ends early: {}, gaps: {}", result.ends_early, result.gaps));
  }
  counts_.gaps += result.gaps;
  counts_.ticks += result.ticks;

  Walk walk{.recorded = recorded,
            .decided = sorted(recorded.decided),
            .present = {},
            .last = recorded.from};
  for (auto item = reader->next(); item != record::Reader::Item::Finished; item = reader->next()) {
    if (item == record::Reader::Item::Keyframe) {
      walk.present.clear();
      for (std::size_t i = 0; i < reader->keyframe().seats.size(); ++i) {
        if (reader->keyframe().seats[i].taken) {
          walk.present.insert({static_cast<std::uint16_t>(i)});
        }
      }
      check_ticks(reader->keyframe().tick + 1, walk);
      walk.last = reader->keyframe().tick;
    } else if (item == record::Reader::Item::Ticks) {
      for (const record::RecordedTick& tick : reader->ticks()) {
        check_ticks(tick.tick, walk);
        walk.last = tick.tick;
        const std::int64_t index = tick.tick - (recorded.from + 1);
        const bool is_known =
            index >= 0 && index < static_cast<std::int64_t>(recorded.hashes.size());
        if (!is_known || recorded.hashes[static_cast<std::size_t>(index)] != tick.state_hash) {
          findings_.add(kName, "the hash that the room had",
                        fmt::format("another for tick {}", tick.tick.value));
        }
        check_presence(tick, walk);
        check_inputs(tick, walk);
      }
    }
  }
  check_end(walk);
}

/// Ticks between the last and `first` are missing: then the disk has refused something there.
void RecordingCheck::check_ticks(Tick first, Walk& walk) {
  if (first == walk.last + 1) return;
  const std::vector<Tick>& refused = walk.recorded.file.refused;
  const bool excused = first > walk.last && std::ranges::any_of(refused, [&](Tick tick) {
                         return tick >= walk.last && tick < first;
                       });
  if (!excused) {
    findings_.add(kName, fmt::format("tick {}", walk.last.value + 1),
                  fmt::format("tick {}, and nothing was refused between", first.value));
  }
}

/// All that the disk took is there. (It may take a trailer after it has refused the last ticks.)
void RecordingCheck::check_end(const Walk& walk) {
  const SimulatedDisk::File& file = walk.recorded.file;
  const bool refused_them =
      std::ranges::any_of(file.refused, [&](Tick tick) { return tick > walk.last; });
  if (file.last_tick && walk.last < *file.last_tick && !refused_them) {
    findings_.add(kName, fmt::format("ticks up to {}, which the disk took", file.last_tick->value),
                  fmt::format("ticks up to {}", walk.last.value));
  }
}

/// Whoever is in the room has exactly one input in each tick, and nobody else.
void RecordingCheck::check_presence(const record::RecordedTick& tick, Walk& walk) {
  for (const PlayerId player : tick.leaves) {
    walk.present.erase(player);
  }
  for (const PlayerId player : tick.joins) {
    walk.present.insert(player);
  }
  const bool same = std::ranges::equal(tick.inputs, walk.present, {}, &game::PlayerInput::player);
  if (!same) {
    findings_.add(
        kInputs, fmt::format("one input of each of {} players", walk.present.size()),
        fmt::format("{} inputs, of others, in tick {}", tick.inputs.size(), tick.tick.value));
  }
}

void RecordingCheck::check_inputs(const record::RecordedTick& tick, Walk& walk) {
  for (std::size_t i = 0; i < tick.inputs.size(); ++i) {
    if (tick.sources[i] != record::InputSource::Arrived) {
      ++counts_.substituted;
      continue;
    }
    ++counts_.arrived;
    const game::PlayerInput& stepped = tick.inputs[i];
    const auto decided =
        std::ranges::equal_range(walk.decided[stepped.player.value], tick.tick, {}, &Decided::tick);
    const bool is_theirs = std::ranges::any_of(
        decided, [&](const Decided& one) { return one.input == stepped.input; });
    if (!is_theirs) {
      findings_.add(
          kInputs, "an input that its player decided",
          fmt::format("another in seat {}, tick {}; for that {} were decided", stepped.player.value,
                      tick.tick.value, std::ranges::distance(decided)));
    }
  }
}

}  // namespace tickbox::simulator
