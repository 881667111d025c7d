#include "tests/simulator/checks/recording_check.h"

#include "engine/declared.h"
#include "record/verify.h"
#include "tests/support/stepped_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace tickbox::simulator {
namespace {

constexpr std::string_view kName = "recording";
constexpr std::string_view kInputs = "inputs";
/// The rate at which records are written, which limits the loss of a kill. An empty room writes
/// once a second.
constexpr std::int64_t kBatchesPerSecond = 10;
/// After the disk accepts writes again, recording resumes within this time: a sink gets a segment
/// at most once a second.
constexpr double kResumesSeconds = 1.1;
/// A file exceeds its limit by at most this time: a record of an empty room, and the creation of
/// the next file.
constexpr double kRotatesSeconds = 1.2;
/// A share of one player's inputs. Even the worst links lose only a tenth of them, because each
/// input is sent several times.
constexpr double kMissedInCalm = 0.5;
constexpr std::uint64_t kCalmSeconds = 5;

/// Sorts by tick, so that each input can be found.
std::vector<std::vector<Decided>> sorted(const std::vector<std::vector<Decided>>& decided) {
  std::vector<std::vector<Decided>> all = decided;
  for (std::vector<Decided>& of_seat : all) {
    std::ranges::sort(of_seat, {}, &Decided::tick);
  }
  return all;
}

}  // namespace

struct RecordingCheck::Walk {
  /// Inputs that a player decided in calm.
  struct CalmInputs {
    std::uint64_t all = 0;
    std::uint64_t missed = 0;  ///< substituted inputs
  };

  const Recorded& recorded;
  std::vector<std::vector<Decided>> decided;
  std::optional<engine::World> world;  ///< as of the last tick; none: it was impossible
  std::set<std::uint16_t> present;     ///< seats of players in the room
  Tick last;                           ///< the last tick that was read
  std::vector<CalmInputs> calm;        ///< by seat
  std::optional<Tick> due{};           ///< the last tick of the record that made it long enough
};

RecordingCheck::RecordingCheck(Findings& findings, const GameTable& game,
                               const engine::SharedMap& map, const Plan& plan)
    : findings_(findings), game_(game), map_(map), plan_(plan) {}

void RecordingCheck::check(const Recorded& recorded) {
  const SimulatedFile::Remains& file = recorded.file;
  ++counts_.recordings;
  if (recorded.part > 0) ++counts_.parts;
  check_handed(recorded);
  if (file.bytes.empty()) {
    // The first write is in the first tick, and a kill may lose it.
    const bool has_one = file.is_whole && !file.is_cut && !recorded.hashes.empty();
    if (has_one) findings_.add(kName, "a recording, for the disk refused nothing", "none");
    return;
  }
  auto reader = record::Reader::open(file.bytes);
  if (!reader) {
    // Killed before the first write had reached the disk.
    if (file.is_cut && file.bytes.size() < record::kFileHeaderBytes) return;
    return findings_.add(kName, "a recording", record::describe(reader.error(), file.bytes));
  }
  if (reader->header().part != recorded.part) {
    findings_.add(kName, fmt::format("part {}", recorded.part),
                  fmt::format("part {}", reader->header().part));
  }
  if (recorded.part == 0) last_segment_.reset();
  const record::VerifyResult result = record::verify(*reader, game_, map_);
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

  walk(recorded, *reader);
}

void RecordingCheck::begin(const engine::Keyframe* keyframe, Walk& walk) {
  if (keyframe == nullptr) {
    return findings_.add(kName, "a keyframe of a possible world", "another");
  }
  walk.world = keyframe->world;
  walk.present.clear();
  for (std::uint16_t seat = 0; seat < walk.world->seats().size(); ++seat) {
    if (walk.world->has({seat})) walk.present.insert(seat);
  }
  check_ticks(walk.world->tick + 1, walk);
  walk.last = walk.world->tick;
}

void RecordingCheck::walk(const Recorded& recorded, const record::Reader& reader) {
  record::Replayer replayer{reader, game_, map_};
  Walk walked{.recorded = recorded,
              .decided = sorted(recorded.decided),
              .world = {},
              .present = {},
              .last = recorded.from,
              .calm = std::vector<Walk::CalmInputs>(recorded.decided.size())};
  for (auto item = replayer.read(); item != record::Reader::Item::Finished;
       item = replayer.read()) {
    if (item == record::Reader::Item::Keyframe) {
      check_number(replayer.reader().keyframe().segment);
      begin(replayer.keyframe(), walked);
    }
    while (item == record::Reader::Item::Ticks && replayer.upcoming() != nullptr) {
      const record::EncodedTick& recorded_tick = *replayer.upcoming();
      take(recorded_tick, replayer.decode(), walked);
    }
    const bool is_long =
        plan_.rotate_bytes != 0 && replayer.reader().offset() >= plan_.rotate_bytes;
    const bool is_late =
        plan_.rotate_ticks != 0 && walked.last - recorded.from >= plan_.rotate_ticks;
    if (!walked.due && (is_long || is_late)) walked.due = walked.last;
  }
  check_end(walked);
  check_calm(walked);
  check_length(walked);
}

/// Compares a tick with what happened, and steps the world by it.
void RecordingCheck::take(const record::EncodedTick& recorded, const engine::DecodedTick* tick,
                          Walk& walk) {
  check_ticks(recorded.tick, walk);
  walk.last = recorded.tick;
  const std::int64_t index = recorded.tick - (walk.recorded.from + 1);
  const bool is_known =
      index >= 0 && index < static_cast<std::int64_t>(walk.recorded.hashes.size());
  // A quiet or idle stretch has only the hash of its last tick.
  const bool is_told = recorded.state_hash.has_value();
  if (!is_known ||
      (is_told && walk.recorded.hashes[static_cast<std::size_t>(index)] != *recorded.state_hash)) {
    findings_.add(kName, "the hash that the room had",
                  fmt::format("another for tick {}", recorded.tick.value));
  }
  if (tick == nullptr || !walk.world || !engine::is_valid(*walk.world, tick->record)) {
    walk.world.reset();
    return findings_.add(kName, "a tick that its world can take",
                         fmt::format("another, {}", recorded.tick.value));
  }
  check_presence(recorded.tick, *tick, walk);
  check_inputs(recorded.tick, *tick, walk);
  stepper_.replay(*walk.world, tick->record);
}

/// Checks that segments have rising numbers through all files of a server.
void RecordingCheck::check_number(std::uint32_t segment) {
  if (last_segment_ && segment <= *last_segment_) {
    findings_.add(kName, fmt::format("a segment after {}", *last_segment_),
                  fmt::format("segment {}", segment));
  }
  last_segment_ = segment;
}

/// If ticks between the last one and `first` are missing, the disk must have refused a write there.
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

/// Checks that all accepted writes are there. Ticks may be missing at the end if the disk has
/// refused them, or the keyframe after them, and then accepted the trailer.
void RecordingCheck::check_end(const Walk& walk) {
  const SimulatedFile::Remains& file = walk.recorded.file;
  const bool refused_them =
      std::ranges::any_of(file.refused, [&](Tick tick) { return tick >= walk.last; });
  if (file.last_tick && walk.last < *file.last_tick && !refused_them) {
    findings_.add(kName, fmt::format("ticks up to {}, which the disk took", file.last_tick->value),
                  fmt::format("ticks up to {}", walk.last.value));
  }
}

/// Checks that the inputs of an undisturbed player arrive in time.
void RecordingCheck::check_calm(const Walk& walk) {
  for (const Walk::CalmInputs& calm : walk.calm) {
    if (calm.all < kCalmSeconds * plan_.tick_rate) continue;
    const double share = static_cast<double>(calm.missed) / static_cast<double>(calm.all);
    counts_.missed_in_calm = std::max(counts_.missed_in_calm, share);
    if (share <= kMissedInCalm) continue;
    findings_.add(kInputs, fmt::format("inputs in time, but for {:.0f} %", 100 * kMissedInCalm),
                  fmt::format("{} of {} of a player to whom nothing was done missed their ticks",
                              calm.missed, calm.all));
  }
}

/// Checks that a working disk gets every record within a tenth of a second, or within a second if
/// the room is empty. This includes a disk that was full.
void RecordingCheck::check_handed(const Recorded& recorded) {
  const SimulatedFile::Remains& file = recorded.file;
  if (static_cast<double>(file.calm_ticks) < kResumesSeconds * plan_.tick_rate) return;
  const Tick now = recorded.from + static_cast<std::uint32_t>(recorded.hashes.size());
  const std::int64_t batch =
      recorded.is_deserted ? plan_.tick_rate : plan_.tick_rate / kBatchesPerSecond;
  const std::int64_t waiting = file.is_cut ? batch + 1 : 0;
  const Tick taken = file.taken_to.value_or(recorded.from);
  if (now - taken > waiting) {
    findings_.add(kName, fmt::format("all but {} of the ticks up to {}", waiting, now.value),
                  fmt::format("ticks up to {}, from a disk that takes all for {} ticks",
                              taken.value, file.calm_ticks));
  }
}

/// Checks that a long recording continues in another file if the disk works.
void RecordingCheck::check_length(const Walk& walk) {
  const Recorded& recorded = walk.recorded;
  if (!recorded.file.was_calm || !walk.due) return;
  const Tick end = recorded.from + static_cast<std::uint32_t>(recorded.hashes.size());
  const double seconds = static_cast<double>(end - *walk.due) / plan_.tick_rate;
  if (seconds <= kRotatesSeconds) return;
  findings_.add(kName, fmt::format("another file within a second after tick {}", walk.due->value),
                fmt::format("the same for {:.2f} s, to tick {}", seconds, end.value));
}

/// Checks that each player in the room has exactly one input in each tick, written or left out, and
/// that no other player has one.
void RecordingCheck::check_presence(Tick now, const engine::DecodedTick& tick, Walk& walk) {
  for (const Player player : tick.leaves) {
    walk.present.erase(player.seat);
  }
  for (const Player player : tick.joins) {
    walk.present.insert(player.seat);
  }
  const bool same = std::ranges::equal(tick.sources, walk.present, {},
                                       [](const auto& of) { return of.player.seat; });
  if (!same) {
    findings_.add(kInputs, fmt::format("one input of each of {} players", walk.present.size()),
                  fmt::format("{} inputs, of others, in tick {}", tick.sources.size(), now.value));
  }
}

void RecordingCheck::check_inputs(Tick now, const engine::DecodedTick& tick, Walk& walk) {
  for (const engine::PlayerSource& of : tick.sources) {
    const auto decided =
        std::ranges::equal_range(walk.decided[of.player.seat], now, {}, &Decided::tick);
    const bool arrived = of.source == engine::InputSource::Received;
    if (std::ranges::any_of(decided, &Decided::is_calm)) {
      Walk::CalmInputs& calm = walk.calm[of.player.seat];
      ++calm.all;
      if (!arrived) ++calm.missed;
    }
    const bool is_owed = std::ranges::any_of(decided, &Decided::is_owed);
    if (!arrived) {
      ++counts_.substituted;
      if (is_owed) {
        findings_.add(kInputs, "an input that was acknowledged before its tick, stepped",
                      fmt::format("another made up in its place, in seat {}, tick {}",
                                  of.player.seat, now.value));
      }
      continue;
    }
    ++counts_.arrived;
    if (is_owed) ++counts_.owed;
    const engine::World& world = *walk.world;
    const std::vector<std::byte> stepped = tests::stepped_input(world, tick, of.player);
    const bool is_theirs = std::ranges::any_of(decided, [&](const Decided& one) {
      const auto expected = tests::without_the_ineffective(world, tick, of.player, one.input);
      return engine::are_equal(game_.input, expected, stepped);
    });
    if (!is_theirs) {
      findings_.add(kInputs, "an input that its player decided",
                    fmt::format("another in seat {}, tick {}; for that {} were decided",
                                of.player.seat, now.value, std::ranges::distance(decided)));
    }
  }
}

}  // namespace tickbox::simulator
