#include "bots/style.h"
#include "cli/exit_code.h"
#include "client/commands/commands.h"
#include "client/commands/load/load_files.h"
#include "client/commands/load/load_page.h"
#include "client/commands/load/load_run.h"
#include "client/commands/load/requirement.h"
#include "client/commands/play/input_script.h"
#include "client/commands/play/play_figures.h"
#include "client/commands/play/play_flags.h"
#include "core/values.h"
#include "net/crypto.h"
#include "os/files/file.h"
#include "os/process/process.h"
#include "os/process/steady_clock.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <expected>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

struct LoadOptions {
  PlayFlags play;
  std::uint32_t clients = 32;
  Duration measured = std::chrono::seconds{10};
  Duration ramp = std::chrono::seconds{1};
  std::optional<HostPort> admin;
  std::string admin_token_file;  ///< empty: the admin side asks for no token
  std::vector<std::string> require;
  std::string inputs;  ///< empty: bots play
  LoadFiles::Paths files;
  bool seconds_given = false;
  bool rejoin = false;
  std::uint32_t one_in = 1;  ///< of this number of clients one is full; 0: none is
};

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kMetricsPath = "/metrics";

Duration to_duration(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>{seconds});
}

/// Returns the figures that a requirement may name: all but those that are no numbers.
Figures requirable() {
  Figures known = figures_of(LoadReport{});
  std::erase_if(known, [](const Figure& each) {
    return each.path == "state_hash.first_mismatch" || each.path == "clients.first_id";
  });
  return known;
}

/// Returns the error, or an empty text.
std::string check_requirements(const std::string& text) {
  const auto parsed = parse_requirements(text);
  if (!parsed) return parsed.error();
  const Figures known = requirable();
  for (const Requirement& each : *parsed) {
    if (const auto checked = check_path(each, known); !checked) return checked.error();
  }
  return {};
}

/// Parses HOST:PORT, or the URL of the metrics as a server prints it.
std::expected<HostPort, std::string> parse_admin(std::string_view text) {
  if (text.starts_with(kHttp)) {
    text.remove_prefix(kHttp.size());
    if (text.ends_with(kMetricsPath)) text.remove_suffix(kMetricsPath.size());
    if (text.ends_with('/')) text.remove_suffix(1);
  }
  return parse_host_port(text);
}

std::vector<Requirement> requirements_of(const LoadOptions& options) {
  std::vector<Requirement> all;
  for (const std::string& text : options.require) {
    // Already checked when the option was parsed.
    const std::vector<Requirement> some = parse_requirements(text).value();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// Returns what the run knows of hashes. Requires: none differs.
std::string hashes_in_words(const LoadReport& report) {
  if (report.stats.hashes_checked == 0) return "no hash was checked";
  if (report.clients_checked == report.clients_connected) return "no hash differs";
  return fmt::format("no hash of {} of {} clients differs", report.clients_checked,
                     report.clients_connected);
}

/// The result of a run, and its texts.
struct Verdict {
  ExitCode code = ExitCode::Done;
  LoadOutcome outcome = LoadOutcome::Passed;
  std::string word{};  ///< for the document
  std::string why{};   ///< for people
  std::optional<net::RefuseReason> refused{};
};

Verdict judge(const LoadReport& report, const std::vector<RequirementResult>& results,
              const std::string& reason) {
  const auto& stats = report.stats;
  if (stats.first_mismatch) {
    return {.code = ExitCode::CheckFailed,
            .outcome = LoadOutcome::Failed,
            .word = "failed",
            .why = mismatches_in_words(stats)};
  }
  if (report.clients_connected == 0) {
    return {.code = ExitCode::NotConnected,
            .outcome = LoadOutcome::NotConnected,
            .word = "not connected",
            .why = "no client could connect: " +
                   (reason.empty() ? "stopped before the server answered" : reason)};
  }
  if (report.clients_dropped > 0) {
    return {.code = ExitCode::NotConnected,
            .outcome = LoadOutcome::Disconnected,
            .word = "disconnected",
            .why = fmt::format("{} of {} clients were disconnected: {}", report.clients_dropped,
                               report.clients_connected, reason)};
  }
  if (report.was_stopped) {
    return {.code = ExitCode::Inconclusive,
            .outcome = LoadOutcome::Stopped,
            .word = "inconclusive",
            .why = fmt::format("stopped after {:.1f} s, before its time was up: too early to judge",
                               report.seconds)};
  }
  if (report.clients_connected < report.clients_asked) {
    return {.code = ExitCode::NotConnected,
            .outcome = LoadOutcome::NotConnected,
            .word = "not connected",
            .why = fmt::format("{} of {} clients could not connect: {}",
                               report.clients_asked - report.clients_connected,
                               report.clients_asked, reason)};
  }
  const auto missed = std::ranges::count(results, false, &RequirementResult::held);
  const bool server_missed = std::ranges::any_of(results, [](const RequirementResult& each) {
    return !each.held && each.value && is_told_by_server(each.text);
  });
  if (is_saturated(report) && !server_missed) {
    return {
        .code = ExitCode::Inconclusive,
        .outcome = LoadOutcome::TooSlow,
        .word = "inconclusive",
        .why = fmt::format(
            "the load generator was behind schedule by more than a tick: for {:.3g} % "
            "of the time, at most {:.0f} ms; try fewer clients or a faster machine",
            100 * report.late_share, static_cast<double>(report.lateness.quantile(1'000)) / 1'000)};
  }
  if (missed > 0) {
    const bool is_unchecked = stats.hashes_checked == 0 &&
                              std::ranges::any_of(results, is_on_hashes, &RequirementResult::text);
    return {.code = ExitCode::CheckFailed,
            .outcome = LoadOutcome::Failed,
            .word = "failed",
            .why = fmt::format("{} of {} requirements missed{}", missed, results.size(),
                               is_unchecked ? "; no hash was checked: give more clients to "
                                              "--verify, such as 1/1 for all"
                                            : "")};
  }
  std::string why = hashes_in_words(report);
  if (!results.empty()) why += ", and every requirement held";
  if (report.server && report.server->rate_held < kRateHeldMin) {
    why += fmt::format(", but the server ran {:.1f} % of the ticks due and skipped {:.0f}",
                       100 * report.server->rate_held, report.server->skipped);
  }
  if (report.was_restarted) why += ", but the server was restarted: its own figures are not known";
  return {.word = "passed", .why = std::move(why)};
}

std::string text_for_people(const Figures& figures, const std::vector<RequirementResult>& results,
                            const Verdict& verdict) {
  std::string text;
  for (const RequirementResult& each : results) {
    text += fmt::format("{}  {:<40} {}\n", each.held ? "held  " : "MISSED", each.text,
                        each.value ? fmt::format("is {:.6g}", *each.value) : "is not known");
  }
  return text + fmt::format("{}verdict: {}{}\n", to_table(figures), verdict.word,
                            verdict.code == ExitCode::Done ? " (" + verdict.why + ")" : "");
}

/// Returns the figures of the document.
Figures document_of(const LoadReport& report, const Verdict& verdict) {
  Figures figures = figures_of(report);
  add_end(figures, {.code = verdict.code, .error = verdict.why, .refused = verdict.refused});
  return figures;
}

/// Adds to the verdict that a file could not be written. What the run has found counts more.
void add_failure(Verdict& verdict, std::string&& why) {
  if (verdict.code == ExitCode::Done) {
    verdict.code = ExitCode::Failed;
    verdict.why = std::move(why);
  } else {
    verdict.why += "; " + why;
  }
}

/// Writes the ends of the files. A failure becomes part of the verdict.
void end_files(LoadFiles& files, const LoadReport& report,
               const std::vector<RequirementResult>& results, Verdict& verdict) {
  const auto end_one = [&](auto end_file) {
    const Figures figures = document_of(report, verdict);
    const auto ended = (files.*end_file)({.outcome = verdict.outcome,
                                          .why = verdict.why,
                                          .document = to_json(figures, results, verdict.word),
                                          .figures = &figures,
                                          .requirements = results,
                                          .report = &report});
    if (!ended) add_failure(verdict, std::string{ended.error()});
  };
  end_one(&LoadFiles::end_results);
  end_one(&LoadFiles::end_report);
}

/// Prints the report. Returns the exit code.
ExitCode print_report(const LoadOptions& options, const LoadReport& report,
                      const std::vector<RequirementResult>& results, const Verdict& verdict) {
  std::string text;
  if (options.play.output.json()) {
    text = to_json(document_of(report, verdict), results, verdict.word) + "\n";
  } else if (report.clients_connected > 0) {
    text = text_for_people(figures_of(report), results, verdict);
  }
  const ExitCode printed = options.play.output.print(text);
  if (verdict.code == ExitCode::Done) return printed;
  return options.play.output.fell_short(verdict.code, verdict.why);
}

/// Starts the watch of the server. Fails at the start if the metrics cannot be read, because the
/// run would have no figures at its end either.
std::expected<std::unique_ptr<ServerWatch>, std::string> watch_server(const LoadOptions& options,
                                                                      const Clock& clock) {
  if (!options.admin) return nullptr;
  const auto cannot = [](const std::string& why) {
    return std::unexpected("cannot read the metrics at --admin: " + why);
  };
  auto admin = find_admin_side(*options.admin, options.admin_token_file);
  if (!admin) return cannot(admin.error());
  auto sample = ask_server(*admin, clock);
  if (!sample) return cannot(sample.error());
  return std::make_unique<ServerWatch>(*std::move(admin), clock, *std::move(sample));
}

/// Returns the playback; nullptr without --inputs. Fails: with one line.
std::expected<std::unique_ptr<Playback>, std::string> playback_of(const LoadOptions& options) {
  if (options.inputs.empty()) return nullptr;
  const auto text = os::read_text(options.inputs, kInputFileBytesMax);
  if (!text) return std::unexpected(text.error());
  auto script = parse_script(*text, options.play.output.games);
  if (!script) {
    return std::unexpected(fmt::format("cannot play {}: {}", options.inputs, script.error()));
  }
  return std::make_unique<Playback>(*std::move(script));
}

/// Returns the measured time. With a script its default is the script's length and
/// kPlaybackAheadSeconds.
Duration measured_of(const LoadOptions& options, const Playback* playback) {
  if (playback == nullptr || options.seconds_given) return options.measured;
  const InputScript& script = playback->script();
  return to_duration(kPlaybackAheadSeconds +
                     static_cast<double>(script.ticks) / static_cast<double>(script.tick_rate));
}

/// Returns whether a bot may decide by what its client sees: all but those that every game has.
bool needs_view(std::string_view bot, engine::Games games) {
  return std::ranges::any_of(games, [&](const GameTable* game) {
    const auto style = bots::parse_style(*game, bot);
    return style && (style->kind == bots::StyleKind::OfGame || style->kind == bots::StyleKind::Mix);
  });
}

/// Returns the error of flags that are valid one by one but not together.
std::optional<std::string> wrong_usage(const LoadOptions& options,
                                       const std::vector<Requirement>& requirements) {
  for (const Requirement& each : requirements) {
    if (!options.admin && is_told_by_server(each.path)) {
      return "--require: " + each.path + " is measured by the server; add --admin HOST:PORT";
    }
  }
  if (!options.play.token.empty() && options.clients > 1) {
    return "--token: a token admits one client; give --clients 1, or --key-file for more";
  }
  if (!options.play.token.empty() && options.rejoin) {
    return "--rejoin: a token admits its client once; give --key-file instead of --token";
  }
  if (!options.files.report.empty() && options.files.report == options.files.results) {
    return "--report and --results name the same file";
  }
  const std::string bot = bot_of(options.play);
  if (options.one_in != 1 && options.inputs.empty() && needs_view(bot, options.play.output.games)) {
    return "--verify: the bot " + bot +
           " decides by its view, which only a full client has; give --verify 1/1, or --bot "
           "wander, still or stress";
  }
  return contradiction(options.play);
}

/// What a run is made of, once nothing can be wrong with the command.
struct LoadInputs {
  std::vector<Requirement> requirements;
  Credentials credentials;
  std::unique_ptr<Playback> playback;  ///< nullptr without --inputs

  [[nodiscard]] std::size_t clients(const LoadOptions& options) const {
    return playback ? playback->script().players.size() : std::size_t{options.clients};
  }
};

LoadFacts facts_of(const LoadOptions& options, const LoadInputs& inputs, const ServerWatch* watch) {
  const auto seconds = [](Duration time) { return std::chrono::duration<double>{time}.count(); };
  const auto& [host, port] = options.play.server;
  LoadFacts facts{
      .command = os::command_line(),
      .started = os::SystemCalendar{}.now(),
      .server = (host.contains(':') ? "[" + host + "]:" : host + ":") + std::to_string(port),
      .clients = inputs.clients(options),
      .players = inputs.playback ? "inputs of " + options.inputs : "bot " + bot_of(options.play),
      .ramp_seconds = seconds(options.ramp),
      .seconds = seconds(measured_of(options, inputs.playback.get())),
      .seed = options.play.seed,
      .link = options.play.link,
      .machine = os::this_machine()};
  if (watch != nullptr && !watch->newest().version.empty()) {
    facts.server_version = watch->newest().version;
  }
  return facts;
}

std::vector<RequirementResult> check_all(const std::vector<Requirement>& requirements,
                                         const LoadReport& report) {
  const Figures figures = figures_of(report);
  std::vector<RequirementResult> results;
  results.reserve(requirements.size());
  for (const Requirement& each : requirements) {
    results.push_back(check(each, figures));
  }
  return results;
}

/// Plays, and writes the ends of the files. Fails: with the verdict of a run that has not begun.
std::expected<ExitCode, Verdict> play(const LoadOptions& options, const LoadInputs& inputs,
                                      const os::StopSignals& signals, LoadFiles& files) {
  const auto fail = [](const std::string& why, ExitCode code = ExitCode::Failed) {
    const bool is_alone = code == ExitCode::NotConnected;
    return std::unexpected(
        Verdict{.code = code,
                .outcome = is_alone ? LoadOutcome::NotConnected : LoadOutcome::Failed,
                .word = is_alone ? "not connected" : "failed",
                .why = why});
  };
  const os::SteadyClock clock;
  const auto servers = find_servers(options.play);
  const auto watch = servers ? watch_server(options, clock) : nullptr;
  files.begin(facts_of(options, inputs, watch ? watch->get() : nullptr));
  if (!servers) return fail(servers.error(), ExitCode::NotConnected);
  if (!watch) return fail(watch.error(), ExitCode::NotConnected);
  const LoadTimes times{.ramp = options.ramp,
                        .measured = measured_of(options, inputs.playback.get())};
  const auto desyncs = DesyncOutput::open(options.play, clock);
  if (!desyncs) return fail(desyncs.error());
  const auto swarm = Swarm::open({.servers = *servers,
                                  .games = options.play.output.games,
                                  .credentials = inputs.credentials,
                                  .first_client = options.play.client,
                                  .clients = inputs.clients(options),
                                  .ramp = times.ramp,
                                  .bot = bot_of(options.play),
                                  .playback = inputs.playback.get(),
                                  .link = options.play.link,
                                  .seed = options.play.seed,
                                  .rejoin = options.rejoin,
                                  .desyncs = desyncs->get(),
                                  .sample = {.one_in = options.one_in, .seed = options.play.seed}},
                                 clock);
  if (!swarm) return fail(swarm.error());
  LoadRun::Parts parts{.clock = clock,
                       .signals = signals,
                       .swarm = **swarm,
                       .watch = watch->get(),
                       .playback = inputs.playback.get()};
  if (files.wanted()) {
    parts.on_sample = [&files](LoadSample&& sample) { files.add(std::move(sample)); };
  }
  LoadRun load{parts, times,
               options.play.output.quiet() ? ProgressFor::Nobody : ProgressFor::Everybody};
  const LoadReport report = load.run();
  if (!load.misfit().empty()) {
    return fail(fmt::format("cannot play {}: {}", options.inputs, load.misfit()));
  }
  const std::vector<RequirementResult> results = check_all(inputs.requirements, report);
  Verdict verdict = judge(report, results, load.reason());
  if (verdict.code == ExitCode::NotConnected) verdict.refused = load.refused();
  end_files(files, report, results, verdict);
  return print_report(options, report, results, verdict);
}

ExitCode run_load(const LoadOptions& options) {
  const auto fail = [&](std::string_view why, ExitCode code = ExitCode::Failed) {
    return options.play.output.failed(code, why);
  };
  LoadInputs inputs{.requirements = requirements_of(options)};
  if (const auto wrong = wrong_usage(options, inputs.requirements)) {
    return fail(*wrong, ExitCode::WrongUsage);
  }
  if (!net::crypto_ready()) return fail(net::kNoCrypto);
  auto credentials = read_credentials(options.play);
  if (!credentials) return fail(credentials.error());
  inputs.credentials = *std::move(credentials);
  auto playback = playback_of(options);
  if (!playback) return fail(playback.error());
  inputs.playback = *std::move(playback);
  const os::StopSignals signals{os::Hangup::Stops};
  const auto files = LoadFiles::open(options.files);
  if (!files) return fail(files.error());
  auto code = play(options, inputs, signals, **files);
  if (code) return *code;
  end_files(**files, {}, check_all(inputs.requirements, {}), code.error());
  return fail(code.error().why, code.error().code);
}

std::expected<Duration, std::string> parse_measured(std::string_view text) {
  return parse_duration_between(text, std::chrono::milliseconds{100}, std::chrono::hours{2'400});
}

std::expected<Duration, std::string> parse_ramp(std::string_view text) {
  return parse_duration_between(text, Duration{}, std::chrono::hours{240});
}

/// Parses "1/16", or "0" for no client.
std::expected<std::uint32_t, std::string> parse_verify(std::string_view text) {
  constexpr std::string_view kOneIn = "1/";
  if (text == "0") return 0;
  const auto one_in =
      text.starts_with(kOneIn) ? parse_as<std::uint32_t>(text.substr(kOneIn.size())) : std::nullopt;
  if (!one_in || *one_in < 1 || *one_in > kClientsMax) {
    return std::unexpected{fmt::format(
        "\"{}\" is no part of the clients; give 1/N with N from 1 to {}, such as 1/16, or 0 for "
        "none",
        text, kClientsMax)};
  }
  return *one_in;
}

void add_times(cli::CommandParser& command, LoadOptions& options) {
  command.add_option("--clients", options.clients, "Number of clients that play at the same time",
                     {.check = cli::between(std::size_t{1}, kClientsMax)});
  command.add_option(
      "--seconds", options.measured, parse_measured,
      "Measure for this time after the last client has joined, such as 10, 0.5 or 5m",
      {.value = "DURATION", .default_text = "10"});
  command.add_option("--ramp", options.ramp, parse_ramp, "Connect the clients over this time",
                     {.value = "DURATION", .default_text = "1"});
  command.add_option("--inputs", options.inputs,
                     "Play a file of `replay inputs` instead of bots, with one client for "
                     "each recorded seat. Without --seconds the run ends with the file. The server "
                     "must have the same game and tick rate",
                     {.value = "G", .excludes = {"--clients"}});
  command.add_option("--rejoin", options.rejoin,
                     "Connect again after the server stopped or was silent for too long, such as "
                     "in a restart. The figure outage_ms says for how long the clients were away",
                     {.excludes = {"--inputs"}});
}

}  // namespace

void add_load(cli::CommandParser& program, engine::Games games, std::function<int()>& run) {
  auto options = std::make_shared<LoadOptions>();
  options->play.output = {.name = program.name() + " load", .program = &program, .games = games};
  cli::CommandParser command = program.add_command(
      {.name = "load",
       .description =
           "Play as many clients and measure the server. Each client predicts and checks every "
           "hash (--verify: some of them), and joins the next match when one ends. Exit 3 if a "
           "requirement is missed or a "
           "hash differs, 4 if a client could not "
           "connect or was disconnected, 5 if the load generator was too slow to judge or was "
           "stopped too early. `" +
           program.name() + " help figures` explains the figures.",
       .example = options->play.output.name +
                  " 127.0.0.1:7777 --clients 200 --seconds 20 --admin 127.0.0.1:9180 "
                  "--require \"tick_ms.p99<=8,state_hash.mismatched==0\""},
      options->play.output.common);
  add_play_flags(command, options->play, "wander");
  add_times(command, *options);
  command.add_option(
      "--verify", options->one_in, parse_verify,
      "Check the hashes of this part of the clients, such as 1/16; 0: of none. The others are "
      "light: the same load for the server at a third of the cost here. Every 30 s the next "
      "clients check. The bots of a game, and mix, decide by their view and need 1/1",
      {.value = "FRACTION", .default_text = "1/1"});
  command.add_option("--admin", options->admin, parse_admin,
                     "HOST:PORT of the server's metrics, or their URL; adds tick times, CPU and "
                     "memory to the report");
  command.add_option("--admin-token-file", options->admin_token_file,
                     "Show the token of this file to the admin side, as a server with this option "
                     "asks for it",
                     {.value = "F"});
  command.add_option(
      "--require", options->require,
      "Require PATH OP NUMBER of a figure, such as tick_ms.p99<=8; join several by "
      "commas. OP is one of <= >= < > == !=. PATH is one of " +
          list_of_paths(requirable()),
      {.value = "REQUIREMENTS", .check = {check_requirements}, .one_word_each = true});
  command.add_option("--results", options->files.results,
                     "Write a JSON line with the figures of each second to this new file, after a "
                     "line that says what the run is and before one with its document",
                     {.value = "FILE.jsonl"});
  command.add_option("--report", options->files.report,
                     "Write a page with charts of the run to this new file, for a browser. It is "
                     "one file that needs no other, made when the run ends, however it ends",
                     {.value = "FILE.html"});
  command.callback([options, command, &run] {
    options->seconds_given = command.is_given("--seconds");
    run = [options] { return cli::to_int(run_load(*options)); };
  });
}

}  // namespace tickbox::commands
