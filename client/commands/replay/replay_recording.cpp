// Opening a recording and finding what it was played with, for all commands of `tickbox replay`.

#include "cli/build_info.h"
#include "client/commands/replay/replay_commands.h"
#include "games/catalog.h"
#include "os/files/file.h"
#include "record/difference.h"

#include <fmt/format.h>

#include <utility>

namespace tickbox::commands {

using cli::ExitCode;

std::expected<std::unique_ptr<Recording>, int> open_recording(const std::string& path,
                                                              const ReplayFlags& flags) {
  auto bytes = os::read_file(path);
  if (!bytes) {
    return std::unexpected{replay_failed(flags, ExitCode::Failed, bytes.error())};
  }
  auto recording = std::make_unique<Recording>(
      Recording{path, *std::move(bytes), std::unexpected{record::RecordError::NotARecording}});
  recording->reader = record::Reader::open(recording->bytes);
  if (recording->reader || recording->reader.error() == record::RecordError::HeaderCut) {
    return recording;
  }
  const record::RecordError error = recording->reader.error();
  const bool damaged = error == record::RecordError::HeaderDamaged;
  return std::unexpected{
      replay_failed(flags, damaged ? ExitCode::CheckFailed : ExitCode::Failed,
                    fmt::format("cannot read {}: {}", path, record::describe(error)))};
}

std::expected<std::unique_ptr<Recording>, int> open_whole_recording(const std::string& path,
                                                                    const ReplayFlags& flags) {
  auto recording = open_recording(path, flags);
  if (recording && !(*recording)->reader) {
    return std::unexpected{replay_failed(
        flags, ExitCode::Failed,
        fmt::format("cannot read {}: {}", path, record::describe((*recording)->reader.error())))};
  }
  return recording;
}

std::expected<Setting, int> setting_of(const Recording& recording, const ReplayFlags& flags) {
  const record::Header& header = recording.reader->header();
  const auto fail = [&](const std::string& why) {
    return std::unexpected{replay_failed(flags, ExitCode::Failed,
                                         fmt::format("cannot step {}: {}", recording.path, why))};
  };
  const game::Catalog games = game::all_games();
  Setting setting{.rules = games.make_rules(header.rules, header.tick_rate), .map = nullptr};
  if (setting.rules == nullptr) {
    return fail(
        fmt::format("it was played by the rules '{}' at {} Hz, which this program does not "
                    "have; use the version that recorded it",
                    header.rules, header.tick_rate));
  }
  if (header.map_seats == 0 || header.map_seats > game::kSeatsMax) {
    return fail(fmt::format("its map has {} seats, and 1 to {} are possible", header.map_seats,
                            game::kSeatsMax));
  }
  setting.map = games.make_map(header.map_seats);
  if (game::map_hash(*setting.map) != header.map_hash) {
    return fail(
        fmt::format("it was played on map {}, and this program's with {} seats is {}; use "
                    "the version that recorded it",
                    hex(header.map_hash), header.map_seats, hex(game::map_hash(*setting.map))));
  }
  if (const std::string_view simulation = cli::build_info().simulation_hash;
      header.simulation != simulation) {
    replay_note(flags,
                fmt::format("{} was recorded by simulation {}, this is {}: hashes may differ",
                            recording.path, header.simulation, simulation));
  }
  return setting;
}

std::expected<RecordedMatch, int> open_match(const std::string& path, const ReplayFlags& flags) {
  auto recording = open_whole_recording(path, flags);
  if (!recording) return std::unexpected{recording.error()};
  auto setting = setting_of(**recording, flags);
  if (!setting) return std::unexpected{setting.error()};
  return RecordedMatch{.recording = *std::move(recording), .setting = *std::move(setting)};
}

std::string hex(std::uint64_t hash) {
  return record::hash_text(hash);
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, 1, ',');
  }
  return digits;
}

std::string_view kind_name(BodyId id) {
  if (game::has_kind(id, game::EntityKind::Player)) return "player";
  if (game::has_kind(id, game::EntityKind::Crate)) return "crate";
  if (game::has_kind(id, game::EntityKind::Bullet)) return "bullet";
  return "entity";
}

std::string in_words(const Ending& ending) {
  if (ending.complete) {
    return "complete";
  }
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (ending.damages > 0) {
    add(fmt::format("damaged in {} place{}", ending.damages, ending.damages == 1 ? "" : "s"));
  }
  if (ending.gaps > 0) {
    add(fmt::format("{} gap{} in which ticks are missing", ending.gaps,
                    ending.gaps == 1 ? "" : "s"));
  }
  if (ending.unfinished) {
    add(fmt::format("ends in tick {}, in which the server failed", ending.unfinished->value));
  }
  if (ending.ends_early) add("ends early (the recorder was killed, or is still running)");
  return text.empty() ? "without a clean end" : text;
}

}  // namespace tickbox::commands
