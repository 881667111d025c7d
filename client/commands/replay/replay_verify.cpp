// `tickbox replay verify`: steps a recording again, or a match while it is played, and compares
// every hash. Exit codes: 0 all hashes match, also if the file merely ends early; 1 it cannot be
// read; 2 the range is not in the file; 3 a hash differs, the file is damaged or has no tick; 5
// stopped by a signal or by --limit, or a log that is followed was cut, without a differing hash or
// damage so far. To stop is the usual end of following a log: exit 0. verify_files.h has those of
// many recordings.

#include "cli/exit_code.h"
#include "client/commands/admin_side.h"
#include "client/commands/output.h"
#include "client/commands/part.h"
#include "client/commands/replay/recording_place.h"
#include "client/commands/replay/replay_commands.h"
#include "client/commands/replay/verify_files.h"
#include "core/clock.h"
#include "core/log_event.h"
#include "core/text.h"
#include "os/http/http.h"
#include "os/process/signals.h"
#include "os/process/steady_clock.h"
#include "record/format.h"
#include "record/verify.h"
#include "record/viewing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

// Follows the log of a room that a server plays, and steps the match meanwhile.

/// The address of a room's log.
struct LogPlace {
  HostPort server;
  std::string path{};   ///< "/rooms/1/log"
  std::string query{};  ///< "delay=10s"; empty: none
  Duration delay{};     ///< that the query asks for
  std::string url{};    ///< as given
};

/// What was followed.
struct Followed {
  record::VerifyResult result;
  std::optional<record::Header> header;
  std::string cut{};  ///< why the log has no more, in one line; empty: its server or `stopped` has
                      ///< ended it
};

constexpr std::string_view kFirstLog = "/rooms/1/log";
constexpr std::string_view kExample = "http://127.0.0.1:9180/rooms/1/log";

/// A server sends something every second, also in an empty room.
constexpr Duration kIdle = std::chrono::seconds{10};

/// The most bytes of a refusal that are shown.
constexpr std::size_t kRefusalBytesMax = 200;

class Follow {
 public:
  Follow(const LogPlace& place, const Output& output, const Clock& clock,
         const std::function<bool()>& stopped)
      : place_(place),
        output_(output),
        clock_(clock),
        stopped_(stopped),
        viewing_(output.games, stopped),
        progress_(output.quiet() ? ProgressFor::Nobody : ProgressFor::Terminals, clock.now()) {}

  [[nodiscard]] os::HttpSink sink() {
    return {.head =
                [this](const os::HttpResponse& head) {
                  status_ = head.status;
                  return true;
                },
            .body = [this](ConstBytes piece) { return receive(piece); },
            .stopped = stopped_};
  }

  [[nodiscard]] std::expected<Followed, ExitCode> finish(const os::HttpEnd& end,
                                                         const AdminSide& admin);

 private:
  bool receive(ConstBytes piece);
  bool step();
  void show();

  const LogPlace& place_;
  const Output& output_;
  const Clock& clock_;
  const std::function<bool()>& stopped_;
  record::Viewing viewing_;
  Progress progress_;
  unsigned status_ = 0;
  std::string refusal_;  ///< the body of a response with another status
};

bool Follow::receive(ConstBytes piece) {
  if (status_ != 200) {
    const std::size_t more = std::min(piece.size(), kRefusalBytesMax - refusal_.size());
    refusal_.append(reinterpret_cast<const char*>(piece.data()), more);
    return refusal_.size() < kRefusalBytesMax;
  }
  return viewing_.append(piece) && step();
}

/// Steps what has arrived, and forgets it. Returns false if the rest of the body is not wanted.
bool Follow::step() {
  if (!viewing_.read()) return false;
  while (viewing_.verify()) {
    if (stopped_()) return false;
  }
  viewing_.remove_before(viewing_.verified());
  show();
  return true;
}

void Follow::show() {
  if (!viewing_.is_open() || !progress_.due(clock_.now())) return;
  const record::VerifyResult result = viewing_.verdict();
  progress_.show(fmt::format(
      "tick {}  {} stepped  {}", result.last_tick.value, counted(result.ticks, "tick"),
      result.mismatched == 0 ? std::string{"every hash equal"}
                             : counted(result.mismatched, "hash differs", "hashes differ")));
}

std::expected<Followed, ExitCode> Follow::finish(const os::HttpEnd& end, const AdminSide& admin) {
  progress_.clear();
  const bool has_ended = end.how == os::HttpEnd::How::Complete;
  if (has_ended && viewing_.header() != nullptr) {
    viewing_.end();
    step();
  }
  const auto cannot = [&](ExitCode code, std::string_view why) {
    return std::unexpected{
        output_.failed(code, fmt::format("cannot follow {}:{}", place_.url, why))};
  };
  if (status_ == 0) return cannot(ExitCode::Inconclusive, " stopped before its server answered");
  if (status_ == 401) return cannot(ExitCode::Failed, unauthorized_in_words(admin));
  if (status_ != 200) {
    const std::string words = printable(refusal_.substr(0, refusal_.find('\n')));
    return cannot(ExitCode::Failed, fmt::format(" it answered {}: {}", status_, words));
  }
  if (viewing_.refusal()) return cannot(ExitCode::Failed, " " + viewing_.refusal()->words);
  Followed followed{.result = viewing_.verdict()};
  if (viewing_.header() != nullptr) followed.header = *viewing_.header();
  record::VerifyResult& result = followed.result;
  // The room's log loses nothing, so what is missing in it was taken out on the way.
  result.damages += std::exchange(result.gaps, 0U);
  const bool is_whole = has_ended && viewing_.rest() == 0;
  result.complete = is_whole && result.damages == 0 && result.gaps == 0;
  result.ends_early = !is_whole;
  result.interrupted = end.how == os::HttpEnd::How::Cut || end.how == os::HttpEnd::How::Silent;
  if (result.interrupted) followed.cut = end.why;
  return followed;
}

/// Parses http://HOST:PORT/rooms/N/log?delay=10s; without a path it is that of room 1.
std::expected<LogPlace, std::string> parse_log_place(std::string_view url) {
  auto page = parse_admin_page(url, kExample);
  if (!page) return std::unexpected(std::move(page.error()));
  LogPlace place{.server = std::move(page->server),
                 .path = page->path.size() <= 1 ? std::string{kFirstLog} : std::move(page->path),
                 .query = std::move(page->query),
                 .url = std::string{url}};
  if (const auto delay = os::form_value(place.query, "delay")) {
    const auto parsed = parse_duration(*delay);
    if (!parsed) return std::unexpected("delay: " + parsed.error());
    place.delay = *parsed;
  }
  return place;
}

/// Follows until the server ends the log, or `stopped` returns true. Fails: with the exit code,
/// after reporting the reason, if the log cannot be followed at all.
std::expected<Followed, ExitCode> follow_log(const LogPlace& place,
                                             const std::string& admin_token_file,
                                             const Output& output, const Clock& clock,
                                             const std::function<bool()>& stopped) {
  const auto cannot = [&](std::string_view why) {
    return std::unexpected{
        output.failed(ExitCode::Failed, fmt::format("cannot follow {}: {}", place.url, why))};
  };
  const auto admin = find_admin_side(place.server, admin_token_file);
  if (!admin) return cannot(admin.error());
  Follow follow{place, output, clock, stopped};
  const std::string authorization = admin->authorization();
  const auto end = os::http_stream(
      admin->address, {.path = place.path, .query = place.query, .authorization = authorization},
      follow.sink(), kIdle + place.delay);
  if (!end) return cannot(end.error());
  return follow.finish(*end, *admin);
}

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
