// `tickbox load`: its options, and what they become; load_run.h runs it.

#include "bots/bot.h"
#include "cli/build_info.h"
#include "cli/exit_code.h"
#include "client/commands/commands.h"
#include "client/commands/load/load_find.h"
#include "client/commands/load/load_output.h"
#include "client/commands/load/load_part.h"
#include "client/commands/load/load_run.h"
#include "client/commands/load/load_verdict.h"
#include "client/commands/part.h"
#include "client/commands/play/input_script.h"
#include "client/commands/play/play_figures.h"
#include "client/commands/play/play_flags.h"
#include "core/text.h"
#include "net/crypto.h"
#include "os/files/file.h"
#include "os/process/process.h"
#include "os/process/steady_clock.h"

#include <fmt/format.h>

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
  std::vector<std::string> find;  ///< requirements, as the other list; empty: one run
  std::string inputs;             ///< empty: bots play
  LoadFiles::Paths files;
  std::uint32_t rounds = 1;  ///< of the inputs
  bool seconds_given = false;
  bool clients_given = false;
  bool rejoin = false;
  std::uint32_t rooms = 0;   ///< that the clients name in turn; 0: none
  std::uint32_t shards = 1;  ///< of the server
  std::uint32_t one_in = 1;  ///< of this number of clients one is full; 0: none is
  std::uint32_t threads = 1;
  std::optional<Part> part;  ///< of the clients; empty: all

  [[nodiscard]] const std::vector<std::string>& require_texts() const {
    return find.empty() ? require : find;
  }
};

/// As many rooms and shards as a server can have.
constexpr std::uint32_t kRoomsMax = 1'024;
constexpr std::uint32_t kShardsMax = 64;

/// The most rounds of an input file: one of a second is played for eleven days.
constexpr std::uint32_t kRoundsMax = 1'000'000;

constexpr std::string_view kMetricsPath = "/metrics";

Duration to_duration(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>{seconds});
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
  return ServerWatch::start(*std::move(admin), clock, *std::move(sample));
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
  return std::make_unique<Playback>(
      *std::move(script), Playback::Repeats{.clients = options.clients_given ? options.clients : 0,
                                            .rounds = options.rounds});
}

/// Returns the measured time. With a script its default is the length of all its rounds and
/// kPlaybackAheadSeconds.
Duration measured_of(const LoadOptions& options, const Playback* playback) {
  if (playback == nullptr || options.seconds_given) return options.measured;
  return to_duration(kPlaybackAheadSeconds + static_cast<double>(playback->ticks()) /
                                                 static_cast<double>(playback->script().tick_rate));
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
      return (options.find.empty() ? "--require: " : "--find: ") + each.path +
             " is measured by the server; add --admin HOST:PORT";
    }
  }
  if (!options.play.token.empty() && !options.find.empty()) {
    return "--token: a token admits one client once; give --key-file instead of it for --find";
  }
  if (options.shards > 1 && options.rooms == 0) {
    return "--shards: the port of a client is that of its room; give the rooms with --rooms";
  }
  if (options.rounds > 1 && options.inputs.empty()) {
    return "--rounds: there is nothing to repeat; give a file of `replay inputs` to --inputs";
  }
  if (!options.play.token.empty() && options.clients > 1) {
    return "--token: a token admits one client; give --clients 1, or --key-file for more";
  }
  if (!options.play.token.empty() && options.rejoin) {
    return "--rejoin: a token admits its client once; give --key-file instead of --token";
  }
  if (options.part && options.clients < options.part->of) {
    return fmt::format("--part: {} clients are too few for {} parts; give more to --clients",
                       options.clients, options.part->of);
  }
  if (!options.files.report.empty() && options.files.report == options.files.results) {
    return "--report and --results name the same file";
  }
  const std::vector<Portion<std::string>> bots = bots_of(options.play);
  const auto looks = std::ranges::find_if(bots, [&](const Portion<std::string>& bot) {
    return needs_view(bot.value, options.play.output.games);
  });
  if (options.one_in != 1 && options.inputs.empty() && looks != bots.end()) {
    return "--verify: the bot " + looks->value +
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

  /// Returns the number of clients of the run, those of all parts.
  [[nodiscard]] std::size_t clients(const LoadOptions& options) const {
    return playback ? playback->clients() : std::size_t{options.clients};
  }

  /// Returns the number of those that this process plays.
  [[nodiscard]] std::size_t own_clients(const LoadOptions& options) const {
    return options.part ? clients_of(*options.part, options.clients).clients : clients(options);
  }
};

std::string bots_in_words(const PlayFlags& flags) {
  return flags.bots.empty() ? fmt::format("bot {}", kUsualBot)
                            : fmt::format("bot {}", fmt::join(flags.bots, ", "));
}

LoadFacts facts_of(const LoadOptions& options, const LoadInputs& inputs, const ServerWatch* watch) {
  const auto seconds = [](Duration time) { return std::chrono::duration<double>{time}.count(); };
  const auto& [host, port] = options.play.server;
  LoadFacts facts{
      .command = os::command_line(),
      .started = os::SystemCalendar{}.now(),
      .server = (host.contains(':') ? "[" + host + "]:" : host + ":") + std::to_string(port),
      .clients = inputs.own_clients(options),
      .players = inputs.playback ? "inputs of " + options.inputs : bots_in_words(options.play),
      .ramp_seconds = seconds(options.ramp),
      .seconds = seconds(measured_of(options, inputs.playback.get())),
      .seed = options.play.seed,
      .net = options.play.net,
      .machine = os::this_machine()};
  if (watch != nullptr && !watch->newest().version.empty()) {
    facts.server_version = watch->newest().version;
  }
  return facts;
}

std::unexpected<LoadVerdict> not_begun(const std::string& why,
                                       LoadVerdict::Kind kind = LoadVerdict::Kind::Broken) {
  return std::unexpected{LoadVerdict{.kind = kind, .why = why}};
}

/// Returns the part without what it will have measured. Its settings are those of which the figures
/// of the run depend: parts with others are of another run.
LoadPart part_of(const LoadOptions& options, const LoadFacts& facts) {
  const cli::BuildInfo& own = cli::build_info();
  const auto number = [](std::uint64_t value) { return FigureValue{value}; };
  return {.part = *options.part,
          .settings = {{"generator", fmt::format("{} (commit {}, simulation {})", own.version,
                                                 own.commit, own.simulation_hash)},
                       {"server", facts.server},
                       {"clients", number(options.clients)},
                       {"players", facts.players},
                       {"net", fmt::format("{}", fmt::join(facts.net, " and "))},
                       {"ramp_seconds", facts.ramp_seconds},
                       {"seconds", facts.seconds},
                       {"seed", facts.seed},
                       {"verify", number(options.one_in)},
                       {"rooms", number(options.rooms)},
                       {"shards", number(options.shards)},
                       {"rejoin", options.rejoin}},
          .started_ms = static_cast<std::uint64_t>(facts.started.time_since_epoch().count()),
          .server_version = facts.server_version.value_or("")};
}

/// What the runs of one command share.
struct LoadStage {
  const LoadOptions& options;
  const LoadInputs& inputs;
  const os::StopSignals& signals;
  LoadFiles& files;
  const Clock& clock;
  const std::vector<net::Address>& servers;
  ServerWatch* watch = nullptr;  ///< without --admin
  desync::DesyncSink& desyncs;
  Instant began;
  /// Of --client, or else those of the first run: a client that connects again takes its seat over.
  std::optional<std::uint64_t> first_client;
};

/// Plays with this number of clients. Fails: with the verdict of a run that has not begun.
std::expected<LoadMeasured, LoadVerdict> measure(LoadStage& stage, std::size_t clients) {
  const LoadOptions& options = stage.options;
  Playback* const playback = stage.inputs.playback.get();
  const LoadTimes times{.ramp = options.ramp,
                        .measured = measured_of(options, playback),
                        .is_part = options.part.has_value()};
  const SwarmPart own =
      options.part ? clients_of(*options.part, clients) : SwarmPart{.clients = clients};
  const auto crowd = Crowd::open({.servers = stage.servers,
                                  .games = options.play.output.games,
                                  .credentials = stage.inputs.credentials,
                                  .first_client = stage.first_client,
                                  .clients = clients,
                                  .ramp = times.ramp,
                                  .bots = bots_of(options.play),
                                  .playback = playback,
                                  .links = links_of(options.play),
                                  .seed = options.play.seed,
                                  .rejoin = options.rejoin,
                                  .desyncs = &stage.desyncs,
                                  .rooms = options.rooms,
                                  .shards = options.shards,
                                  .sample = {.one_in = options.one_in, .seed = options.play.seed}},
                                 stage.clock, options.threads, own);
  if (!crowd) return not_begun(crowd.error());
  stage.first_client = (*crowd)->first_client();
  LoadRun::Parts parts{.clock = stage.clock,
                       .signals = stage.signals,
                       .crowd = **crowd,
                       .watch = stage.watch,
                       .playback = playback,
                       .began = stage.began};
  parts.on_second = [&stage](LoadSecond&& second) { stage.files.add(std::move(second)); };
  LoadRun load{parts, times,
               options.play.output.quiet() ? ProgressFor::Nobody : ProgressFor::Everybody};
  LoadMeasured measured = load.run();
  if (!load.misfit().empty()) {
    return not_begun(fmt::format("cannot play {}: {}", options.inputs, load.misfit()));
  }
  // The first client of the run is in the first part.
  if (measured.first_client) *measured.first_client += own.first;
  return measured;
}

/// Returns the result of one run, or of the runs of --find.
std::expected<LoadResult, LoadVerdict> measure_all(LoadStage& stage) {
  const std::size_t clients = stage.inputs.clients(stage.options);
  const std::vector<Requirement>& requirements = stage.inputs.requirements;
  if (!stage.options.find.empty()) {
    return find_clients(
        {.most = clients,
         // With this number of clients one of them checks hashes.
         .least = std::max<std::size_t>(1, stage.options.one_in),
         .seconds = std::chrono::duration<double>{stage.options.measured}.count(),
         .requirements = requirements,
         .measure = [&stage](std::size_t some) { return measure(stage, some); },
         .print_note =
             [&stage](std::string_view words) { stage.options.play.output.print_note(words); }});
  }
  auto measured = measure(stage, clients);
  if (!measured) return std::unexpected(std::move(measured.error()));
  return result_of(*std::move(measured), requirements);
}

/// Plays, and writes the ends of the files. Fails: with the verdict of a run that has not begun.
std::expected<ExitCode, LoadVerdict> play(const LoadOptions& options, const LoadInputs& inputs,
                                          const os::StopSignals& signals, LoadFiles& files) {
  const os::SteadyClock clock;
  const auto servers = find_servers(options.play);
  const auto watch = servers ? watch_server(options, clock) : nullptr;
  LoadFacts facts = facts_of(options, inputs, watch ? watch->get() : nullptr);
  LoadPart part;
  if (options.part) part = part_of(options, facts);
  files.begin(facts);
  if (!servers) return not_begun(servers.error(), LoadVerdict::Kind::NotConnected);
  if (!watch) return not_begun(watch.error(), LoadVerdict::Kind::NotConnected);
  const auto desyncs = DesyncOutput::open(options.play, clock);
  if (!desyncs) return not_begun(desyncs.error());
  LoadStage stage{.options = options,
                  .inputs = inputs,
                  .signals = signals,
                  .files = files,
                  .clock = clock,
                  .servers = *servers,
                  .watch = watch->get(),
                  .desyncs = **desyncs,
                  .began = clock.now(),
                  .first_client = options.play.client};
  auto result = measure_all(stage);
  if (!result) return std::unexpected(std::move(result.error()));
  if (options.part) {
    part.measured = result->measured;
    result->part = to_json(part);
  }
  files.end(*result);
  return print_result(options.play.output, *result);
}

ExitCode run_load(const LoadOptions& options) {
  const auto fail = [&](std::string_view why, ExitCode code = ExitCode::Failed) {
    return options.play.output.failed(code, why);
  };
  if (options.play.server.host.empty()) {
    return fail("HOST:PORT is required; see --help", ExitCode::WrongUsage);
  }
  LoadInputs inputs{.requirements = requirements_of(options.require_texts())};
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
  // The seconds of one number of clients after another are no picture of any.
  LoadFiles::Paths paths = options.files;
  paths.report_has_seconds = options.find.empty();
  const auto files = LoadFiles::open(paths);
  if (!files) return fail(files.error());
  auto code = play(options, inputs, signals, **files);
  if (code) return *code;
  LoadResult none{.requirements = check_all(inputs.requirements, figures_of(LoadMeasured{})),
                  .verdict = code.error()};
  (*files)->end(none);
  return fail(none.verdict.why, none.verdict.code());
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
  command.add_option("--rooms", options.rooms,
                     "Spread the clients over the rooms 1 to N of the server: their tokens name "
                     "them in turn",
                     {.value = "N",
                      .check = cli::between(1U, kRoomsMax),
                      .excludes = {"--token"},
                      .default_text = "the rooms that the server chooses"});
  command.add_option("--shards", options.shards,
                     "Shards of the server, as its own --shards: with --rooms each client asks the "
                     "port of its room's shard",
                     {.value = "M", .check = cli::between(1U, kShardsMax)});
  command.begin_group("Kind of run");
  command.add_option("--inputs", options.inputs,
                     "Play a file of `replay inputs` instead of bots, with one client for "
                     "each recorded seat. With more --clients several play the inputs of a seat. "
                     "Without --seconds the run ends with the file. The server must have the same "
                     "game and tick rate",
                     {.value = "G"});
  command.add_option("--rounds", options.rounds,
                     "Play the file of --inputs this number of times, one after the other",
                     {.check = cli::between(std::uint32_t{1}, kRoundsMax)});
  command.add_option(
      "--part", options.part, parse_part,
      "Play one of N parts of the --clients, such as 0/4 to 3/4, while other "
      "processes play the others; in auto/4 the first number is "
      "JOB_COMPLETION_INDEX, as an Indexed Job sets it. Each client is what it is in "
      "one run of all. Join the documents of --json by `load merge`",
      {.value = "I/N", .excludes = {"--token", "--inputs"}, .default_text = "all"});
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
  add_play_flags(command, options->play);
  add_times(command, *options);
  command.add_option(
      "--verify", options->one_in, parse_verify,
      "Check the hashes of this part of the clients, such as 1/16; 0: of none. The others are "
      "light: the same load for the server at a third of the cost here. Every 30 s the next "
      "clients check. The bots of a game, and mix, decide by their view and need 1/1",
      {.value = "FRACTION", .default_text = "1/1"});
  command.add_option("--threads", options->threads,
                     "Play the clients on this number of threads, at least one client on each: "
                     "one run with one result, of more clients than one processor can play",
                     {.value = "N", .check = cli::between(std::size_t{1}, kLoadThreadsMax)});
  command.begin_group("Judgement and report");
  command.add_option("--admin", options->admin, parse_admin,
                     "HOST:PORT of the server's admin side, or the URL of its metrics; adds tick "
                     "times, CPU and memory to the report");
  command.add_option("--admin-token-file", options->admin_token_file,
                     "Show the token of this file to the admin side, as a server with this option "
                     "asks for it",
                     {.value = "F"});
  command.add_option(
      "--require", options->require,
      "Require FIGURE OP NUMBER, such as tick_ms.p99<=8; join several by commas. OP is one of "
      "<= >= < > == !=. `" +
          program.name() + " help figures` lists the figures",
      {.value = "REQUIREMENTS", .check = {check_requirements}, .one_word_each = true});
  command.add_option(
      "--find", options->find,
      "Find the largest number of clients, up to --clients, at which these requirements hold, and "
      "whether the server, the network or this load generator is the limit. They are written as "
      "for --require. It measures for --seconds with one number after another: twice as many "
      "until one does not hold, then between them, and the last two again",
      {.value = "REQUIREMENTS",
       .check = {check_requirements},
       .excludes = {"--require", "--inputs", "--rejoin", "--part"},
       .one_word_each = true});
  command.add_option("--results", options->files.results,
                     "Write a JSON line with the figures of each second to this new file, after a "
                     "line that says what the run is and before one with its document",
                     {.value = "FILE.jsonl"});
  command.add_option("--report", options->files.report,
                     "Write a page with charts of the run to this new file, for a browser. It is "
                     "one file that needs no other, made when the run ends, however it ends",
                     {.value = "FILE.html"});
  command.allow_command();
  const auto merges = add_load_merge(command, options->play.output, run);
  command.callback([options, command, merges, &run] {
    if (*merges) return;
    options->seconds_given = command.is_given("--seconds");
    options->clients_given = command.is_given("--clients");
    run = [options] { return cli::to_int(run_load(*options)); };
  });
}

}  // namespace tickbox::commands
