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
/// After the disk accepts writes again, recording resumes within 1/2 second.
constexpr std::uint32_t kResumesWithin = 2;
/// A rotation takes at most 1/2 second. The next file is requested at least a tick before it
/// exists.
constexpr std::uint32_t kRotatesWithin = 2;
/// A share of one player's inputs. Even the worst links lose only a tenth of them, because each
/// input is sent several times.
constexpr double kMissedInCalm = 0.5;
constexpr std::uint64_t kCalmSeconds = 5;
/// By what a file may exceed its limit: its last tick and its last keyframe. In small rooms they
/// are not longer than this.
constexpr std::uint64_t kBytesOfAnEnd = 16'384;

/// Sorts by tick, so that each input can be found.
std::vector<std::vector<Decided>> sorted(const std::vector<std::vector<Decided>>& decided) {
  std::vector<std::vector<Decided>> all = decided;
  for (std::vector<Decided>& of_seat : all) {
    std::ranges::sort(of_seat, {}, &Decided::tick);
  }
  return all;
}

/// Inputs that a player decided in calm.
struct CalmInputs {
  std::uint64_t all = 0;
  std::uint64_t missed = 0;  ///< substituted inputs
};

}  // namespace

struct RecordingCheck::Walk {
  const Recorded& recorded;
  std::vector<std::vector<Decided>> decided;
  std::optional<engine::World> world;  ///< as of the last tick; none: it was impossible
  std::set<std::uint16_t> present;     ///< seats of players in the room
  Tick last;                           ///< the last tick that was read
  std::vector<CalmInputs> calm;        ///< by seat
  std::size_t keyframe_bytes = 0;      ///< of the longest
  std::size_t tick_bytes = 0;          ///< the same
};

RecordingCheck::RecordingCheck(Findings& findings, const GameTable& game,
                               const engine::SharedMap& map, const Plan& plan)
    : findings_(findings),
      game_(game),
      map_(map),
      plan_(plan),
      decoder_(game, map, plan.tick_rate) {}

void RecordingCheck::check(const Recorded& recorded) {
  const SimulatedFile::Remains& file = recorded.file;
  ++counts_.recordings;
  if (recorded.part > 0) ++counts_.parts;
  check_handed(recorded);
  if (file.bytes.empty()) {
    if (file.is_whole) findings_.add(kName, "a recording, for the disk refused nothing", "none");
    return;
  }
  auto reader = record::Reader::open(file.bytes);
  if (!reader) {
    return findings_.add(kName, "a recording", std::string{record::describe(reader.error())});
  }
  if (reader->header().part != recorded.part) {
    findings_.add(kName, fmt::format("part {}", recorded.part),
                  fmt::format("part {}", reader->header().part));
  }
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

void RecordingCheck::begin(ConstBytes world, Walk& walk) {
  walk.keyframe_bytes = std::max(walk.keyframe_bytes, world.size());
  auto keyframe = decoder_.begin(world);
  if (!keyframe) return findings_.add(kName, "a keyframe of a possible world", "another");
  walk.world = std::move(keyframe->world);
  walk.present.clear();
  for (std::uint16_t seat = 0; seat < walk.world->seats().size(); ++seat) {
    if (walk.world->has({seat})) walk.present.insert(seat);
  }
  check_ticks(walk.world->tick + 1, walk);
  walk.last = walk.world->tick;
}

void RecordingCheck::walk(const Recorded& recorded, record::Reader& reader) {
  Walk walked{.recorded = recorded,
              .decided = sorted(recorded.decided),
              .world = {},
              .present = {},
              .last = recorded.from,
              .calm = std::vector<CalmInputs>(recorded.decided.size())};
  for (auto item = reader.next(); item != record::Reader::Item::Finished; item = reader.next()) {
    if (item == record::Reader::Item::Keyframe) {
      begin(reader.world(), walked);
    } else if (item == record::Reader::Item::Ticks) {
      for (const record::RecordedTick& tick : reader.ticks()) {
        take(tick, walked);
      }
    }
  }
  check_end(walked);
  check_calm(walked);
  check_length(walked);
}

/// Compares a tick with what happened, and steps the world by it.
void RecordingCheck::take(const record::RecordedTick& recorded, Walk& walk) {
  check_ticks(recorded.tick, walk);
  walk.last = recorded.tick;
  walk.tick_bytes = std::max(walk.tick_bytes, recorded.bytes.size());
  const std::int64_t index = recorded.tick - (walk.recorded.from + 1);
  const bool is_known =
      index >= 0 && index < static_cast<std::int64_t>(walk.recorded.hashes.size());
  // A quiet stretch has only the hash of its last tick.
  const bool is_told = recorded.state_hash.has_value();
  if (!is_known ||
      (is_told && walk.recorded.hashes[static_cast<std::size_t>(index)] != *recorded.state_hash)) {
    findings_.add(kName, "the hash that the room had",
                  fmt::format("another for tick {}", recorded.tick.value));
  }
  const engine::LoggedTick* tick = walk.world ? decoder_.tick(recorded) : nullptr;
  if (tick == nullptr || !engine::is_valid(*walk.world, tick->record)) {
    walk.world.reset();
    return findings_.add(kName, "a tick that its world can take",
                         fmt::format("another, {}", recorded.tick.value));
  }
  check_presence(recorded.tick, *tick, walk);
  check_inputs(recorded.tick, *tick, walk);
  stepper_.replay(*walk.world, tick->record);
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
/// refused them, or the keyframe after them, and then accepted the trailer. The newest accepted
/// write may be one tick later than the last tick in it: a record that ends with tick T is written
/// in tick T + 1 if exactly one of the two ticks is quiet.
void RecordingCheck::check_end(const Walk& walk) {
  const SimulatedFile::Remains& file = walk.recorded.file;
  const bool refused_them =
      std::ranges::any_of(file.refused, [&](Tick tick) { return tick >= walk.last; });
  if (file.last_tick && walk.last + 1 < *file.last_tick && !refused_them) {
    findings_.add(kName, fmt::format("ticks up to {}, which the disk took", file.last_tick->value),
                  fmt::format("ticks up to {}", walk.last.value));
  }
}

/// Checks that the inputs of an undisturbed player arrive in time.
void RecordingCheck::check_calm(const Walk& walk) {
  for (const CalmInputs& calm : walk.calm) {
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
  if (file.calm_ticks < plan_.tick_rate / kResumesWithin) return;
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
  const SimulatedFile::Remains& file = recorded.file;
  if (!file.was_calm) return;
  const std::size_t most_ticks = plan_.rotate_ticks + plan_.tick_rate / kRotatesWithin;
  if (plan_.rotate_ticks != 0 && recorded.hashes.size() > most_ticks) {
    findings_.add(kName, fmt::format("files of {} ticks", plan_.rotate_ticks),
                  fmt::format("one of {}", recorded.hashes.size()));
  }
  const std::uint64_t end =
      std::max<std::uint64_t>(kBytesOfAnEnd, walk.keyframe_bytes + walk.tick_bytes);
  if (plan_.rotate_bytes != 0 && file.bytes.size() > plan_.rotate_bytes + end) {
    findings_.add(kName, fmt::format("files of {} bytes", plan_.rotate_bytes),
                  fmt::format("one of {}", file.bytes.size()));
  }
}

/// Checks that each player in the room has exactly one input in each tick, written or left out, and
/// that no other player has one.
void RecordingCheck::check_presence(Tick now, const engine::LoggedTick& tick, Walk& walk) {
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

void RecordingCheck::check_inputs(Tick now, const engine::LoggedTick& tick, Walk& walk) {
  for (const engine::PlayerSource& of : tick.sources) {
    const auto decided =
        std::ranges::equal_range(walk.decided[of.player.seat], now, {}, &Decided::tick);
    const bool arrived = of.source == engine::InputSource::Received;
    if (std::ranges::any_of(decided, &Decided::is_calm)) {
      CalmInputs& calm = walk.calm[of.player.seat];
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
