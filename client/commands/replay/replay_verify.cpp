// `tickbox replay verify`: steps a recording again, or a match while it is played, and compares
// every hash. Exit codes: 0 all hashes match, also if the file merely ends early; 1 it cannot be
// read; 2 the range is not in the file; 3 a hash differs, the file is damaged or has no tick; 5
// stopped by a signal or by --limit, or a log that is followed was cut, without a differing hash or
// damage so far. To stop is the usual end of following a log: exit 0. verify_files.h has those of
// many recordings.

#include "client/commands/part.h"
#include "client/commands/progress.h"
#include "client/commands/replay/recording_place.h"
#include "client/commands/replay/replay_commands.h"
#include "client/commands/replay/replay_follow.h"
#include "client/commands/replay/verify_files.h"
#include "core/clock.h"
#include "core/text.h"
#include "core/values.h"
#include "os/process/signals.h"
#include "os/process/steady_clock.h"
#include "record/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

constexpr std::uint32_t kLastTick = std::numeric_limits<std::uint32_t>::max();

struct VerifyFlags {
  std::shared_ptr<Output> output;
  std::vector<std::string> words{};  ///< the recordings
  std::string file{};                ///< the one, if there is one
  std::optional<LogPlace> follow{};
  std::string admin_token_file{};
  std::uint32_t from = 0;
  std::uint32_t to = kLastTick;
  std::uint32_t jobs = processors();
  Duration limit{};  ///< on the time that the command takes; 0: no limit
  bool twice = false;
  std::optional<Part> part{};
  std::string resume{};
};

/// `build`: what recorded it, if that was another build.
std::string verify_text(const std::string& path, const record::VerifyResult& result, double seconds,
                        const std::string& build) {
  std::string text = fmt::format("{}: {} stepped again in {:.2f} s, {}\n", printable(path),
                                 counted(result.ticks, "tick"), seconds,
                                 result.mismatched > 0
                                     ? counted(result.mismatched, "hash differs", "hashes differ")
                                 : result.interrupted ? std::string{"every hash equal so far"}
                                                      : std::string{"every hash equal"});
  if (result.ticks == 0 && result.mismatched == 0 && !result.interrupted) {
    text = fmt::format("{}: {}\n", printable(path), kNothingToVerify);
  }
  if (!build.empty()) text += fmt::format("  build       {}\n", build);
  if (result.first_mismatch) {
    const record::Mismatch& first = *result.first_mismatch;
    const std::string at_keyframe =
        first.compared != first.tick
            ? fmt::format("; at the keyframe of tick {}", first.compared.value)
            : ":";
    text += fmt::format("  first       tick {}{} {} is {}, was recorded as {}\n", first.tick.value,
                        at_keyframe, field_text(first.what), first.what.got, first.what.expected);
  }
  if (result.unrepeatable) {
    const record::Mismatch& first = *result.unrepeatable;
    text +=
        fmt::format("  repeated    tick {}: {} is {}, and {} in a second world stepped beside it\n",
                    first.tick.value, field_text(first.what), first.what.expected, first.what.got);
  }
  text +=
      fmt::format("  segments    {} whole, {} lost\n", result.segments_whole, result.segments_lost);
  if (!result.interrupted || result.damages > 0) {
    text += fmt::format(
        "  state       {}{}\n",
        in_words({.complete = result.complete,
                  .ends_early = result.ends_early,
                  .unfinished = result.unfinished,
                  .damages = result.damages,
                  .gaps = result.gaps}),
        result.ends_early ? "; " + grouped(result.ticks) + " of its ticks verified" : "");
  }
  if (result.recovered_ticks > 0) {
    text += fmt::format("  recovered   {} after damage\n", counted(result.recovered_ticks, "tick"));
  }
  return text;
}

/// Steps the tick whose step did not end, after all others. If its assertion fails again, the
/// process ends with the message of the assertion.
void step_unfinished(const VerifyFlags& options, const Recording& recording,
                     const engine::GameOnMap& setting, const std::function<bool()>& stopped,
                     record::VerifyResult& result) {
  const Tick tick = *result.unfinished;
  options.output->fell_short(
      ExitCode::Done, fmt::format("the server that recorded {} failed in tick {}; this program "
                                  "steps that tick now, and ends if an assertion fails again",
                                  options.file, tick.value));
  const auto again =
      record::verify(*recording.reader, *setting.game, setting.map,
                     {.from = tick, .to = tick, .step_unfinished = true, .stopped = stopped});
  result.damages = std::max(result.damages, again.damages);
  result.interrupted = again.interrupted;
}

bool is_of_a_range(const VerifyFlags& options) {
  return options.from > 0 || options.to < kLastTick;
}

bool is_over_limit(const VerifyFlags& options, Duration taken) {
  return options.limit > Duration{} && taken >= options.limit;
}

/// Steps the range of the recording again. Fails: with the exit code, after reporting the reason.
std::expected<record::VerifyResult, ExitCode> verify_recording(const VerifyFlags& options,
                                                               const Recording& recording,
                                                               const Clock& clock) {
  const auto setting = setting_of(recording, *options.output);
  if (!setting) return std::unexpected{setting.error()};
  const os::Interruption interruption;
  const Instant start = clock.now();
  const auto stopped = [&] {
    return interruption.requested() || is_over_limit(options, clock.now() - start);
  };
  Progress progress{options.output->quiet() ? ProgressFor::Nobody : ProgressFor::Terminals, start};
  record::VerifyResult result =
      verify_in_parallel(*recording.reader, *setting->game, setting->map,
                         {.from = {options.from},
                          .to = {options.to},
                          .twice = options.twice,
                          .progress =
                              [&](std::uint32_t thousandths) {
                                if (progress.due(clock.now())) {
                                  progress.show(fmt::format("verifying {} %", thousandths / 10));
                                }
                              },
                          .stopped = stopped},
                         options.jobs);
  progress.clear();
  if (result.interrupted) return result;
  if (options.from > result.last_tick.value && result.damages == 0 && !result.unfinished) {
    return std::unexpected{options.output->failed(
        ExitCode::WrongUsage, fmt::format("--from {}: {} ends at tick {}", options.from,
                                          options.file, result.last_tick.value))};
  }
  const bool steps_unfinished = result.unfinished && result.unfinished->value <= options.to;
  if (steps_unfinished) step_unfinished(options, recording, *setting, stopped, result);
  if (is_of_a_range(options) && result.ticks == 0 && result.held() && !steps_unfinished) {
    return std::unexpected{options.output->failed(
        ExitCode::WrongUsage,
        fmt::format("{} has no tick from {} to {}: nothing was verified; see {} info", options.file,
                    options.from, std::min(options.to, result.last_tick.value),
                    options.output->name))};
  }
  return result;
}

/// Returns how far the recording is verified. Requires: the command was stopped.
std::string extent_of(const VerifyFlags& options, const record::VerifyResult& result,
                      Duration taken) {
  if (is_over_limit(options, taken)) {
    return fmt::format(
        "stopped after {:g} s, the --limit, and {}; the others are not verified: give a "
        "longer --limit, or fewer ticks with --from and --to",
        std::chrono::duration<double>(options.limit).count(), counted(result.ticks, "tick"));
  }
  if (result.ticks == 0) return "stopped before the first tick; nothing is verified";
  return fmt::format("stopped after {}, before tick {}; the others are not verified",
                     counted(result.ticks, "tick"),
                     grouped(std::min(options.to, result.last_tick.value)));
}

/// Returns why the recording is not verified, and how far it is. Requires: it is not fully
/// verified.
std::string shortcoming_of(const VerifyFlags& options, const record::VerifyResult& result,
                           Duration taken) {
  std::string fault = fault_of(options.file, result);
  if (result.interrupted) {
    return (fault.empty() ? "" : fault + "; ") + extent_of(options, result, taken);
  }
  return fault;
}

ExitCode print(const Output& output, const Verified& verified) {
  const record::VerifyResult& result = verified.result;
  const std::string build = verified.header ? other_build(*verified.header) : std::string{};
  const ExitCode printed =
      output.print(output.json() ? to_json(document_of(verified)) + "\n"
                                 : verify_text(verified.subject, result, verified.seconds, build),
                   verified.code);
  return result.interrupted ? output.fell_short(printed, verified.error) : printed;
}

ExitCode run_follow(const VerifyFlags& options) {
  const os::SteadyClock clock;
  const os::Interruption interruption;
  const Instant start = clock.now();
  const auto stopped = [&] {
    return interruption.requested() || is_over_limit(options, clock.now() - start);
  };
  const auto followed =
      follow_log(*options.follow, options.admin_token_file, *options.output, clock, stopped);
  if (!followed) return followed.error();
  const record::VerifyResult& result = followed->result;
  const std::string& url = options.follow->url;
  const ExitCode code = exit_code_of(result);
  std::string error = code == ExitCode::Done ? "" : fault_of(url, result);
  if (result.interrupted) {
    error += fmt::format("{}the log was cut after tick {}: {}", error.empty() ? "" : "; ",
                         grouped(result.last_tick.value), followed->cut);
  }
  const double seconds = std::chrono::duration<double>(clock.now() - start).count();
  return print(*options.output, {.subject = url,
                                 .result = result,
                                 .header = followed->header,
                                 .seconds = seconds,
                                 .code = code,
                                 .error = std::move(error)});
}

/// Returns whether the words name one file alone, all of which is to be verified by this process.
bool is_one_file(const VerifyFlags& options) {
  std::error_code none;
  return options.words.size() == 1 && !options.part && options.resume.empty() &&
         !is_url(options.words.front()) &&
         !std::filesystem::is_directory(options.words.front(), none);
}

ExitCode run_files(const VerifyFlags& options) {
  if (is_of_a_range(options)) {
    return options.output->failed(ExitCode::WrongUsage,
                                  "--from and --to are of one recording; name one file alone");
  }
  const os::SteadyClock clock;
  const os::Interruption interruption;
  const Instant start = clock.now();
  return verify_files(
      {.words = options.words,
       .admin_token_file = options.admin_token_file,
       .part = options.part.value_or(Part{}),
       .resume = options.resume,
       .jobs = options.jobs,
       .twice = options.twice,
       .stopped =
           [&] { return interruption.requested() || is_over_limit(options, clock.now() - start); }},
      *options.output, clock);
}

ExitCode run_one(const VerifyFlags& options) {
  const auto recording = open_recording(options.file, *options.output);
  if (!recording) return recording.error();
  const os::SteadyClock clock;
  const Instant start = clock.now();
  std::expected<record::VerifyResult, ExitCode> result;
  if ((*recording)->reader) {
    result = verify_recording(options, **recording, clock);
  } else {
    result->ends_early = true;
  }
  if (!result) return result.error();
  const Duration taken = clock.now() - start;
  const ExitCode code = exit_code_of(*result);
  Verified verified{.subject = options.file,
                    .result = *std::move(result),
                    .seconds = std::chrono::duration<double>(taken).count(),
                    .code = code};
  if ((*recording)->reader) verified.header = (*recording)->reader->header();
  if (code != ExitCode::Done) verified.error = shortcoming_of(options, verified.result, taken);
  return print(*options.output, verified);
}

ExitCode run_verify(const VerifyFlags& flags) {
  if (flags.follow) return run_follow(flags);
  if (flags.words.empty()) {
    return flags.output->failed(ExitCode::WrongUsage,
                                "name recordings, or a log with --follow URL");
  }
  if (flags.from > flags.to) {
    return flags.output->failed(ExitCode::WrongUsage,
                                fmt::format("--from {} is after --to {}", flags.from, flags.to));
  }
  if (!is_one_file(flags)) return run_files(flags);
  VerifyFlags options = flags;
  options.file = flags.words.front();
  return run_one(options);
}

}  // namespace

void add_replay_verify(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "verify",
       .description =
           "Step recorded matches again and compare the hash of every tick; with --follow, a "
           "match while it is played. Of several recordings, of directories and of URLs it prints "
           "a line of JSON for each, as soon as it is verified, and a summary as the last one. "
           "Exit 3 if a hash differs, or if a file is damaged inside "
           "or has no tick; 1 if one cannot be read; 5 if stopped early, also by --limit, or if a "
           "log was cut.",
       .example = place.output->name + " verify recordings --part auto/4 --resume verified.jsonl"},
      run_verify);
  command.add_option("FILE", options->words,
                     "Recordings; directories, for all files *.tickbox in them; or recordings at "
                     "the admin side of a server, as http://127.0.0.1:9180/recordings");
  command.add_option("--from", options->from, "First tick to compare",
                     {.value = "T", .default_text = "the first"});
  command.add_option("--to", options->to, "Last tick to compare",
                     {.value = "T", .default_text = "the last"});
  command.add_option("--jobs", options->jobs,
                     "Number of threads; each steps a part of one recording, or one of several "
                     "recordings, which is then in memory",
                     {.value = "N", .check = cli::between(1U, kVerifyJobsMax)});
  command.add_option("--limit", options->limit, parse_duration,
                     "Stop after this time, such as 60s or 5m (0: no limit). For a recording from "
                     "somebody else, whose ticks may take any time: ends within a tick, too",
                     {.value = "DURATION", .default_text = "0"});
  command.add_option("--twice", options->twice,
                     "Also step a second world beside the first, by turns: finds a game that keeps "
                     "memory outside of its state, such as a static. Takes twice the time");
  command.add_option("--part", options->part, parse_part,
                     "Verify one of N parts of the recordings, such as 0/4 to 3/4; in auto/4 the "
                     "first number is JOB_COMPLETION_INDEX, as an Indexed Job sets it. The name of "
                     "a recording decides in which part it is, so that each is in one part alone",
                     {.value = "I/N", .default_text = "all"});
  command.add_option(
      "--resume", options->resume,
      "Append the lines to this file too. Do not verify again what has a line there "
      "since an earlier run, and count it in the summary, unless it has another size "
      "now or could not be read",
      {.value = "F"});
  command.add_option(
      "--follow", options->follow, parse_log_place,
      "Follow the log of a room at the admin side of its server, until the server "
      "ends it, or until a signal or --limit: these are no failure then",
      {.value = "URL",
       .excludes = {"FILE", "--from", "--to", "--jobs", "--twice", "--part", "--resume"}});
  command.add_option("--admin-token-file", options->admin_token_file,
                     "Show the token of this file to the server of --follow or of a URL",
                     {.value = "F"});
}

}  // namespace tickbox::commands
