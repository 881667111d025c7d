// `tickbox replay info`: what a recording holds, without stepping any of it. Exit codes: 0, also
// when the file merely ends early; 1 there is nothing to read; 3 it is damaged inside or holds no
// tick.

#include "client/commands/replay/replay_commands.h"
#include "record/summary.h"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

std::string utc(std::int64_t ms) {
  const auto seconds = static_cast<std::time_t>(ms / 1'000);
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) {
    return "?";
  }
  std::array<char, 40> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

nlohmann::ordered_json header_document(const record::Header& header) {
  return {{"format", record::kFormatVersion},
          {"rules", header.rules},
          {"tick_rate", header.tick_rate},
          {"seed", header.seed},
          {"map", {{"seats", header.map_seats}, {"hash", hex(header.map_hash)}}},
          {"room", header.room},
          {"part", header.part},
          {"start", utc(header.start_ms)},
          {"simulation_hash", header.simulation},
          {"schema_hash", hex(header.schema_hash)}};
}

nlohmann::ordered_json info_document(const Recording& recording, const record::Summary& summary) {
  nlohmann::ordered_json damages = nlohmann::ordered_json::array();
  for (const record::Damage& damage : summary.damages) {
    damages.push_back({{"offset", damage.offset}, {"bytes", damage.bytes}});
  }
  nlohmann::ordered_json document{{"file", recording.path}, {"bytes", recording.bytes.size()}};
  document["header"] =
      recording.reader ? header_document(recording.reader->header()) : nlohmann::ordered_json{};
  document["first_tick"] = tick_or_null<nlohmann::ordered_json>(summary.first_tick);
  document["last_tick"] = summary.last_tick.value;
  document["ticks"] = summary.ticks;
  document["segments"] = summary.segments;
  document["gaps"] = summary.gaps;
  document["players_max"] = summary.players_max;
  document["joins"] = summary.joins;
  document["leaves"] = summary.leaves;
  document["inputs"] = {{"recorded", summary.inputs}, {"substituted", summary.inputs_substituted}};
  document["complete"] = summary.complete;
  document["ends_early"] = summary.ends_early;
  document["unfinished"] = tick_or_null<nlohmann::ordered_json>(summary.unfinished);
  document["damages"] = summary.damage_count;
  document["damaged"] = std::move(damages);
  return document;
}

bool is_empty(const record::Summary& summary) {
  return summary.ticks == 0 && !summary.unfinished;
}

std::string info_text(const Recording& recording, const record::Summary& summary) {
  std::string text = fmt::format("{}: {} bytes\n", recording.path, grouped(recording.bytes.size()));
  if (recording.reader) {
    const record::Header& header = recording.reader->header();
    text += fmt::format(
        "  room        {}, part {}, of {}, {} seats, {} Hz, seed {}\n"
        "  started     {}\n"
        "  simulation  {}\n",
        header.room, header.part, header.rules, header.map_seats, header.tick_rate, header.seed,
        utc(header.start_ms), header.simulation);
    const std::string range =
        summary.first_recorded
            ? fmt::format("{} to {}: ", summary.first_recorded->value, summary.last_tick.value)
            : "";
    text += fmt::format("  ticks       {}{} in {} segment{}, {:.1f} s\n", range,
                        grouped(summary.ticks), summary.segments, summary.segments == 1 ? "" : "s",
                        static_cast<double>(summary.ticks) / static_cast<double>(header.tick_rate));
  }
  text += fmt::format(
      "  players     {} at once, {} joins, {} leaves\n"
      "  inputs      {}, of them {} substituted\n"
      "  state       {}\n",
      summary.players_max, summary.joins, summary.leaves, grouped(summary.inputs),
      grouped(summary.inputs_substituted),
      in_words({.complete = summary.complete,
                .ends_early = summary.ends_early,
                .unfinished = summary.unfinished,
                .damages = summary.damage_count,
                .gaps = summary.gaps}));
  if (is_empty(summary)) text += fmt::format("  verdict     {}\n", kNothingToVerify);
  for (const record::Damage& damage : summary.damages) {
    text += damage.bytes > 0
                ? fmt::format("  damage      {} bytes at {}\n", damage.bytes, damage.offset)
                : fmt::format("  damage      something is missing at {}\n", damage.offset);
  }
  return text;
}

int run_info(const std::string& path, const ReplayFlags& flags) {
  const auto recording = open_recording(path, flags);
  if (!recording) {
    return recording.error();
  }
  const auto& reader = (*recording)->reader;
  const record::Summary summary =
      reader ? record::summarize(*reader) : record::Summary{.ends_early = true, .damages = {}};
  const ExitCode code =
      summary.damage_count > 0 || is_empty(summary) ? ExitCode::CheckFailed : ExitCode::Done;
  return flags.json() ? replay_document(info_document(**recording, summary), code,
                                        summary.damage_count > 0
                                            ? path + " is damaged inside"
                                            : fmt::format("{}: {}", path, kNothingToVerify))
                      : replay_result(std::string_view{info_text(**recording, summary)}, code);
}

}  // namespace

void add_replay_info(const ReplayCommand& place) {
  auto file = std::make_shared<std::string>();
  cli::Command command = place.replay.add_command({.name = "info",
                                                   .description = "Tell what a recording holds",
                                                   .example = "tickbox replay info match.tickbox"},
                                                  place.flags->common);
  command.add_option("FILE", *file, "The recording", {.required = true});
  command.callback([file, flags = place.flags, &run = place.run] {
    run = [file, flags] { return run_info(*file, *flags); };
  });
}

}  // namespace tickbox::commands
