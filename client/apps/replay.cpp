// The commands around record::summarize and record::verify. Exit codes: 0 all held (also when the
// file merely ends early), 1 there is nothing to read, 2 a range that is not in the file, 3 a hash
// differs or the file is damaged inside.

#include "client/apps/replay.h"

#include "core/clock.h"
#include "game/arena_map.h"
#include "game/catalog.h"
#include "os/build_info.h"
#include "os/command_line.h"
#include "os/exit_code.h"
#include "os/file.h"
#include "os/steady_clock.h"
#include "record/reader.h"
#include "record/summary.h"
#include "record/verify.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <expected>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tickbox::apps {
namespace {

using os::ExitCode;

struct Options {
  os::CommonFlags flags;
  CLI::App* program = nullptr;
  std::string file;
  std::uint32_t from = 0;
  std::uint32_t to = std::numeric_limits<std::uint32_t>::max();

  /// Given to the subcommand or to the program.
  [[nodiscard]] bool json() const { return flags.json || given("--json"); }

  [[nodiscard]] bool quiet() const { return flags.quiet || given("--quiet"); }

 private:
  [[nodiscard]] bool given(const char* flag) const {
    const CLI::Option* option = program->get_option_no_throw(flag);
    return option != nullptr && option->count() > 0 && option->as<bool>();
  }
};

std::string hex(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void print_document(const nlohmann::ordered_json& document) {
  print(document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

int fail(ExitCode code, const std::string& line) {
  fmt::print(stderr, "tickbox replay: {}\n", line);
  return os::to_int(code);
}

/// A number with its thousands apart, for people.
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, 1, ',');
  }
  return digits;
}

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

/// The bytes of a recording and a walk over them.
struct Recording {
  std::vector<std::byte> bytes;
  std::expected<record::Reader, record::RecordError> reader;
};

/// Fails: with the exit code, after saying why.
std::expected<std::unique_ptr<Recording>, int> open(const Options& options) {
  auto bytes = os::read_file(options.file);
  if (!bytes) {
    return std::unexpected{fail(ExitCode::Failed, bytes.error())};
  }
  auto recording = std::make_unique<Recording>(
      Recording{*std::move(bytes), std::unexpected{record::RecordError::NotARecording}});
  recording->reader = record::Reader::open(recording->bytes);
  if (recording->reader || recording->reader.error() == record::RecordError::HeaderCut) {
    return recording;
  }
  const record::RecordError error = recording->reader.error();
  const bool damaged = error == record::RecordError::HeaderDamaged;
  return std::unexpected{
      fail(damaged ? ExitCode::CheckFailed : ExitCode::Failed,
           fmt::format("cannot read {}: {}", options.file, record::describe(error)))};
}

nlohmann::ordered_json header_document(const record::Header& header) {
  return {{"format", record::kFormatVersion},
          {"rules", header.rules},
          {"tick_rate", header.tick_rate},
          {"seed", header.seed},
          {"map", {{"seats", header.map_seats}, {"hash", hex(header.map_hash)}}},
          {"room", header.room},
          {"start", utc(header.start_ms)},
          {"simulation_hash", header.simulation},
          {"schema_hash", hex(header.schema_hash)}};
}

nlohmann::ordered_json info_document(const Options& options, const Recording& recording,
                                     const record::Summary& summary) {
  nlohmann::ordered_json damages = nlohmann::ordered_json::array();
  for (const record::Damage& damage : summary.damages) {
    damages.push_back({{"offset", damage.offset}, {"bytes", damage.bytes}});
  }
  nlohmann::ordered_json document{{"file", options.file}, {"bytes", recording.bytes.size()}};
  document["header"] =
      recording.reader ? header_document(recording.reader->header()) : nlohmann::ordered_json{};
  document["first_tick"] = summary.first_tick ? nlohmann::ordered_json(summary.first_tick->value)
                                              : nlohmann::ordered_json{};
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
  document["damages"] = summary.damage_count;
  document["damaged"] = std::move(damages);
  return document;
}

std::string ending(bool complete, bool ends_early, std::uint32_t damages, std::uint32_t gaps) {
  if (complete) {
    return "complete";
  }
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (damages > 0) add(fmt::format("damaged in {} place{}", damages, damages == 1 ? "" : "s"));
  if (gaps > 0)
    add(fmt::format("{} gap{} where the disk took nothing", gaps, gaps == 1 ? "" : "s"));
  if (ends_early) add("ends early (the recorder was killed, or is still running)");
  return text.empty() ? "without a clean end" : text;
}

std::string info_text(const Options& options, const Recording& recording,
                      const record::Summary& summary) {
  std::string text = fmt::format("{}: {} bytes\n", options.file, grouped(recording.bytes.size()));
  if (recording.reader) {
    const record::Header& header = recording.reader->header();
    text += fmt::format(
        "  room        {} of {}, {} seats, {} Hz, seed {}\n"
        "  started     {}\n"
        "  simulation  {}\n",
        header.room, header.rules, header.map_seats, header.tick_rate, header.seed,
        utc(header.start_ms), header.simulation);
    text += fmt::format("  ticks       {} in {} segments, {:.1f} s, last {}\n",
                        grouped(summary.ticks), summary.segments,
                        static_cast<double>(summary.ticks) / static_cast<double>(header.tick_rate),
                        summary.last_tick.value);
  }
  text += fmt::format(
      "  players     {} at once, {} joins, {} leaves\n"
      "  inputs      {}, of them {} substituted\n"
      "  state       {}\n",
      summary.players_max, summary.joins, summary.leaves, grouped(summary.inputs),
      grouped(summary.inputs_substituted),
      ending(summary.complete, summary.ends_early, summary.damage_count, summary.gaps));
  for (const record::Damage& damage : summary.damages) {
    text += fmt::format("  damage      {} bytes at {}\n", damage.bytes, damage.offset);
  }
  return text;
}

int run_info(const Options& options) {
  const auto recording = open(options);
  if (!recording) {
    return recording.error();
  }
  const auto& reader = (*recording)->reader;
  const record::Summary summary =
      reader ? record::summarize(*reader) : record::Summary{.ends_early = true, .damages = {}};
  if (options.json()) {
    print_document(info_document(options, **recording, summary));
  } else {
    print(info_text(options, **recording, summary));
  }
  return os::to_int(summary.damage_count == 0 ? ExitCode::Done : ExitCode::CheckFailed);
}

/// What the header says the match was played with.
struct Setting {
  std::shared_ptr<const game::Rules> rules;
  game::SharedMap map;
};

/// Fails: with one line, when this program has no such rules or map.
std::expected<Setting, std::string> setting_of(const record::Header& header) {
  Setting setting{.rules = game::make_rules(header.rules, header.tick_rate), .map = nullptr};
  if (setting.rules == nullptr) {
    return std::unexpected{
        fmt::format("it was played by the rules '{}' at {} Hz, which this "
                    "program does not have",
                    header.rules, header.tick_rate)};
  }
  if (header.map_seats == 0 || header.map_seats > game::kSeatsMax) {
    return std::unexpected{fmt::format("its map has {} seats, and 1 to {} are possible",
                                       header.map_seats, game::kSeatsMax)};
  }
  setting.map = game::make_arena_map(header.map_seats);
  if (game::map_hash(*setting.map) != header.map_hash) {
    return std::unexpected{
        fmt::format("it was played on map {}, and this program's with {} seats is {}; use the "
                    "version that recorded it",
                    hex(header.map_hash), header.map_seats, hex(game::map_hash(*setting.map)))};
  }
  return setting;
}

/// Shows how far a long verification is, on a terminal.
class Progress {
 public:
  explicit Progress(const Options& options)
      : shown_(!options.quiet() && isatty(STDERR_FILENO) == 1) {}

  void operator()(std::uint32_t thousandths) {
    const std::uint32_t percent = thousandths / 10;
    if (shown_ && percent != percent_) {
      percent_ = percent;
      fmt::print(stderr, "\rverifying {} %", percent);
    }
  }

  void clear() const {
    if (shown_ && percent_ > 0) {
      fmt::print(stderr, "\r               \r");
    }
  }

 private:
  bool shown_;
  std::uint32_t percent_ = 0;
};

nlohmann::ordered_json mismatch_document(const std::optional<record::Mismatch>& mismatch) {
  if (!mismatch) {
    return nullptr;
  }
  nlohmann::ordered_json document{{"tick", mismatch->tick.value}};
  document["entity"] = mismatch->what.entity ? nlohmann::ordered_json(mismatch->what.entity->value)
                                             : nlohmann::ordered_json{};
  document["field"] = mismatch->what.field;
  document["expected"] = mismatch->what.expected;
  document["got"] = mismatch->what.got;
  return document;
}

nlohmann::ordered_json verify_document(const record::VerifyResult& result, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(result.ticks) / seconds : 0;
  return {{"ticks", result.ticks},
          {"mismatched", result.mismatched},
          {"first_mismatch", mismatch_document(result.first_mismatch)},
          {"complete", result.complete},
          {"segments", {{"whole", result.segments_whole}, {"lost", result.segments_lost}}},
          {"recovered_ticks", result.recovered_ticks},
          {"ticks_per_second", static_cast<std::uint64_t>(rate)},
          {"ends_early", result.ends_early},
          {"damages", result.damages},
          {"gaps", result.gaps}};
}

std::string_view kind_name(BodyId id) {
  if (game::has_kind(id, game::EntityKind::Player)) return "player";
  if (game::has_kind(id, game::EntityKind::Crate)) return "crate";
  if (game::has_kind(id, game::EntityKind::Bullet)) return "bullet";
  return "entity";
}

std::string verify_text(const Options& options, const record::VerifyResult& result,
                        double seconds) {
  std::string text = fmt::format(
      "{}: {} ticks stepped again in {:.2f} s, {}\n", options.file, grouped(result.ticks), seconds,
      result.mismatched == 0 ? std::string{"every hash equal"}
                             : grouped(result.mismatched) + " hashes differ");
  if (result.first_mismatch) {
    const record::Mismatch& first = *result.first_mismatch;
    const std::string entity =
        first.what.entity
            ? fmt::format("{} {} ", kind_name(*first.what.entity), first.what.entity->value)
            : "";
    text += fmt::format("  first       tick {}: {}{} is {}, was recorded as {}\n", first.tick.value,
                        entity, first.what.field, first.what.got, first.what.expected);
  }
  text += fmt::format("  segments    {} whole, {} lost\n  state       {}\n", result.segments_whole,
                      result.segments_lost,
                      ending(result.complete, result.ends_early, result.damages, result.gaps));
  if (result.recovered_ticks > 0) {
    text += fmt::format("  recovered   {} ticks after damage\n", grouped(result.recovered_ticks));
  }
  return text;
}

/// Steps it all again.  Fails: with the exit code, after saying why.
std::expected<record::VerifyResult, int> verify_recording(const Options& options,
                                                          const record::Reader& reader) {
  const auto setting = setting_of(reader.header());
  if (!setting) {
    return std::unexpected{
        fail(ExitCode::Failed, fmt::format("cannot verify {}: {}", options.file, setting.error()))};
  }
  const std::string_view simulation = os::build_info().simulation_hash;
  if (reader.header().simulation != simulation && !options.quiet()) {
    fmt::print(stderr,
               "tickbox replay: {} was recorded by simulation {}, this is {}: hashes may differ\n",
               options.file, reader.header().simulation, simulation);
  }
  Progress progress{options};
  record::VerifyResult result = record::verify(
      reader, setting->map, *setting->rules,
      {.from = {options.from}, .to = {options.to}, .progress = [&](std::uint32_t thousandths) {
         progress(thousandths);
       }});
  progress.clear();
  if (options.from > result.last_tick.value && result.damages == 0) {
    return std::unexpected{
        fail(ExitCode::WrongUsage, fmt::format("--from {}: {} ends at tick {}", options.from,
                                               options.file, result.last_tick.value))};
  }
  return result;
}

int run_verify(const Options& options) {
  if (options.from > options.to) {
    return fail(ExitCode::WrongUsage,
                fmt::format("--from {} is after --to {}", options.from, options.to));
  }
  const auto recording = open(options);
  if (!recording) {
    return recording.error();
  }
  const os::SteadyClock clock;
  const Instant start = clock.now();
  const auto& reader = (*recording)->reader;
  std::expected<record::VerifyResult, int> result;
  if (reader) {
    result = verify_recording(options, *reader);
  } else {
    result->ends_early = true;
  }
  if (!result) {
    return result.error();
  }
  const double seconds = std::chrono::duration<double>(clock.now() - start).count();
  if (options.json()) {
    print_document(verify_document(*result, seconds));
  } else {
    print(verify_text(options, *result, seconds));
  }
  return os::to_int(result->held() ? ExitCode::Done : ExitCode::CheckFailed);
}

}  // namespace

void add_replay(CLI::App& app, std::function<int()>& run) {
  auto options = std::make_shared<Options>();
  options->program = &app;
  CLI::App* replay = app.add_subcommand("replay");
  os::prepare(*replay, "Read recordings that tickbox-server --record has written",
              "tickbox replay verify recordings/*-room0.tickbox", options->flags);
  replay->require_subcommand(1);

  CLI::App* info = replay->add_subcommand("info");
  os::prepare(*info, "Tell what a recording holds", "tickbox replay info match.tickbox",
              options->flags);
  info->add_option("FILE", options->file, "The recording")->required();
  info->callback([options, &run] { run = [options] { return run_info(*options); }; });

  CLI::App* verify = replay->add_subcommand("verify");
  os::prepare(*verify,
              "Step a recorded match again and compare every tick's hash; exit 3 when one differs "
              "or the file is damaged inside",
              "tickbox replay verify match.tickbox --from 600 --to 1200", options->flags);
  verify->add_option("FILE", options->file, "The recording")->required();
  verify->add_option("--from", options->from, "The first tick to compare");
  verify->add_option("--to", options->to, "The last tick to compare");
  verify->callback([options, &run] { run = [options] { return run_verify(*options); }; });
}

}  // namespace tickbox::apps
