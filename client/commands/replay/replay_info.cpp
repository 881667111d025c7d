// `tickbox replay info`: prints the content of a recording, without stepping it. Exit codes: 0,
// also if the file merely ends early; 1 it cannot be read; 3 it is damaged or has no tick.

#include "client/commands/replay/replay_commands.h"
#include "client/commands/text.h"
#include "core/text.h"
#include "record/segments.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

struct InfoFlags {
  std::shared_ptr<Output> output;
  std::string file{};
};

std::string start_text(const record::Header& header) {
  return utc_text(WallTime{std::chrono::milliseconds{header.start_ms}});
}

nlohmann::ordered_json header_document(const record::Header& header) {
  return {{"format", record::kFormatVersion},
          {"game", header.game},
          {"game_version", header.game_version},
          {"game_hash", hash_text(header.game_hash)},
          {"tick_rate", header.tick_rate},
          {"seed", std::to_string(header.seed)},
          {"map", {{"seats", header.map_seats}, {"hash", hash_text(header.map_hash)}}},
          {"room", header.room},
          {"part", header.part},
          {"start", start_text(header)},
          {"commit", header.commit},
          {"simulation_hash", header.simulation},
          {"schema_hash", hash_text(header.schema_hash)}};
}

/// Returns what players did; all null without the game.
nlohmann::ordered_json players_document(const std::optional<record::PlayerSummary>& players) {
  if (!players) {
    return {{"players_max", nullptr}, {"joins", nullptr}, {"leaves", nullptr}, {"inputs", nullptr}};
  }
  return {
      {"players_max", players->players_max},
      {"joins", players->joins},
      {"leaves", players->leaves},
      {"inputs", {{"recorded", players->inputs}, {"substituted", players->inputs_substituted}}}};
}

std::string players_text(const std::optional<record::PlayerSummary>& players) {
  if (!players)
    return "  players     not known: this program does not have the game, or has it with other "
           "rules\n";
  return fmt::format(
      "  players     {} at the same time, {} joined, {} left\n  inputs      {}, of them {} "
      "repeated by the server\n",
      players->players_max, players->joins, players->leaves, grouped(players->inputs),
      grouped(players->inputs_substituted));
}

nlohmann::ordered_json info_document(const Recording& recording, const record::Summary& summary) {
  const record::Segments& records = summary.records;
  nlohmann::ordered_json damages = nlohmann::ordered_json::array();
  for (const record::Damage& damage : records.damaged) {
    damages.push_back({{"offset", damage.offset}, {"bytes", damage.bytes}});
  }
  nlohmann::ordered_json document{{"file", recording.path}, {"bytes", recording.bytes.size()}};
  document["header"] =
      recording.reader ? header_document(recording.reader->header()) : nlohmann::ordered_json{};
  document["first_tick"] = tick_or_null<nlohmann::ordered_json>(records.first_tick());
  document["last_tick"] = records.last_tick().value;
  document["ticks"] = records.ticks;
  document["idle_ticks"] = records.idle_ticks;
  document["segments"] = records.all.size();
  document["gaps"] = records.gaps;
  document.update(players_document(summary.players));
  document["complete"] = records.is_complete();
  document["ends_early"] = records.ends_early;
  document["unfinished"] = tick_or_null<nlohmann::ordered_json>(records.unfinished);
  document["damages"] = records.damages;
  document["damaged"] = std::move(damages);
  return document;
}

bool is_empty(const record::Segments& records) {
  return records.ticks == 0 && !records.unfinished;
}

std::string info_text(const Recording& recording, const record::Summary& summary) {
  const record::Segments& records = summary.records;
  std::string text =
      fmt::format("{}: {} bytes\n", printable(recording.path), grouped(recording.bytes.size()));
  if (recording.reader) {
    const record::Header& header = recording.reader->header();
    text += fmt::format(
        "  room        {}, file {} of its recording\n  game        {} {}, {} seats, {} Hz, seed "
        "{}\n  "
        "started     {}\n  simulation  {}, commit {}\n",
        header.room, header.part, printable(header.game), header.game_version, header.map_seats,
        header.tick_rate, header.seed, start_text(header), printable(header.simulation),
        printable(header.commit));
    const std::string range =
        records.ticks > 0 ? ticks_in_words(*records.first_tick(), records.last_tick()) + ": " : "";
    text +=
        fmt::format("  ticks       {}{} in {} segment{}, {:.1f} s\n", range, grouped(records.ticks),
                    records.all.size(), records.all.size() == 1 ? "" : "s",
                    static_cast<double>(records.ticks) / static_cast<double>(header.tick_rate));
    if (records.idle_ticks > 0) {
      text +=
          fmt::format("  idle        {} of them: the room had no players, and its world stood\n",
                      grouped(records.idle_ticks));
    }
  }
  text += players_text(summary.players);
  text += fmt::format("  state       {}\n", in_words({.complete = records.is_complete(),
                                                      .ends_early = records.ends_early,
                                                      .unfinished = records.unfinished,
                                                      .damages = records.damages,
                                                      .gaps = records.gaps}));
  if (is_empty(records)) text += fmt::format("  verdict     {}\n", kNothingToVerify);
  for (const record::Damage& damage : records.damaged) {
    text += damage.bytes > 0
                ? fmt::format("  damage      {} bytes at {}\n", damage.bytes, damage.offset)
                : fmt::format("  damage      missing data at {}\n", damage.offset);
  }
  return text;
}

/// Returns a summary that is as complete as the games make it.
record::Summary summary_of(const record::Reader& reader, engine::Games games) {
  const auto setting = setting_of(reader.header(), games);
  return record::summarize(reader, setting ? &*setting : nullptr);
}

record::Summary nothing_recorded() {
  record::Summary summary{.records = {}, .players = record::PlayerSummary{}};
  summary.records.ends_early = true;
  return summary;
}

ExitCode run_info(const InfoFlags& options) {
  const auto recording = open_recording(options.file, *options.output);
  if (!recording) return recording.error();
  const auto& reader = (*recording)->reader;
  const record::Summary summary =
      reader ? summary_of(*reader, options.output->games) : nothing_recorded();
  const record::Segments& records = summary.records;
  const ExitCode code =
      records.damages > 0 || is_empty(records) ? ExitCode::CheckFailed : ExitCode::Done;
  if (!options.output->json()) return options.output->print(info_text(**recording, summary), code);
  return options.output->print_document(
      info_document(**recording, summary), code,
      records.damages > 0 ? options.file + " is damaged inside"
                          : fmt::format("{}: {}", options.file, kNothingToVerify));
}

}  // namespace

void add_replay_info(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "info",
       .description =
           "Show what a recording contains. Exit 3 if it is damaged inside or has no tick.",
       .example = place.output->name + " info match.tickbox"},
      run_info);
  command.add_option("FILE", options->file, "The recording", {.required = true});
}

}  // namespace tickbox::commands
