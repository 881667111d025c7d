#include "server/host/program.h"

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "core/log_event.h"
#include "core/text.h"
#include "engine/identity.h"
#include "net/connect_token.h"
#include "os/http/http.h"
#include "os/net/resolve.h"
#include "os/process/log.h"
#include "os/process/process.h"
#include "os/process/signals.h"
#include "os/process/standard_output.h"
#include "server/host/base/access.h"
#include "server/host/base/options.h"
#include "server/host/recordings/recordings.h"
#include "server/host/rooms/rooms_option.h"
#include "server/host/serve.h"
#include "tickbox/game_table.h"
#include "tickbox/program.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace tickbox::server {
namespace {

/// Heaps of all threads together. A room has threads for its files, which end with it.
constexpr int kHeaps = 4;

// The command `health`: asks a running server whether it is alive, for containers and scripts.

enum class HealthQuestion : std::uint8_t {
  Alive,  ///< /livez
  Ready,  ///< /readyz
};

/// Returns the first line of an answer: it may be of any program.
std::string words_of(const os::HttpResponse& reply) {
  return reply.body.substr(0, reply.body.find('\n'));
}

/// Returns {"alive":true,"admin":"127.0.0.1:9180","answer":"ok"}, or "ready".
std::string document_of(const std::string& admin, HealthQuestion question,
                        const os::HttpResponse& reply, cli::ExitCode code) {
  using Json = nlohmann::ordered_json;
  const std::string words = words_of(reply);
  Json document{
      {question == HealthQuestion::Ready ? "ready" : "alive", code == cli::ExitCode::Done},
      {"admin", admin},
      {"answer", words},
      {"exit", cli::to_int(code)}};
  if (code != cli::ExitCode::Done) document["error"] = words;
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Writes the answer of `admin` to stdout, in its words or as a document; without an answer,
/// reports the failure. Returns Done if the answer has status 200, WrongUsage if `admin` is no
/// HOST:PORT, else Failed.
cli::ExitCode check_health(const cli::Teller& teller, const std::string& admin,
                           HealthQuestion question) {
  const auto place = parse_host_port(admin);
  if (!place)
    return cli::report_failure(teller, cli::ExitCode::WrongUsage, "--admin: " + place.error());
  const auto address = os::resolve_host(place->host, place->port);
  if (!address) return cli::report_failure(teller, cli::ExitCode::Failed, address.error());
  const std::string_view path = question == HealthQuestion::Ready ? "/readyz" : "/livez";
  const auto reply = os::http_send(*address, {.path = path}, std::chrono::seconds{2});
  if (!reply) return cli::report_failure(teller, cli::ExitCode::Failed, reply.error());
  const cli::ExitCode code = reply->status == 200 ? cli::ExitCode::Done : cli::ExitCode::Failed;
  if (const auto written =
          os::write_to_stdout(teller.json ? document_of(admin, question, *reply, code)
                                          : printable(words_of(*reply)) + "\n");
      !written) {
    return cli::report_failure({.name = teller.name}, cli::ExitCode::Failed, written.error());
  }
  return code;
}

/// Writes the descriptor of a game to stdout. Returns the exit code.
cli::ExitCode print_descriptor(const cli::Teller& teller, const GameTable& game) {
  const std::string example =
      fmt::format("{} --game {} --descriptor > {}.descriptor", teller.name, game.name, game.name);
  if (teller.json) {
    return cli::report_failure(teller, cli::ExitCode::WrongUsage,
                               "--descriptor prints bytes, and --json a document; try " + example);
  }
  if (os::terminal_columns(STDOUT_FILENO)) {
    return cli::report_failure(teller, cli::ExitCode::WrongUsage,
                               "--descriptor prints bytes that are no text; try " + example);
  }
  std::vector<std::byte> descriptor;
  engine::encode_descriptor(game, descriptor);
  const std::string_view bytes{reinterpret_cast<const char*>(descriptor.data()), descriptor.size()};
  if (const auto written = os::write_to_stdout(bytes); !written) {
    return cli::report_failure(teller, cli::ExitCode::Failed, written.error());
  }
  return cli::ExitCode::Done;
}

std::string check_host(const std::string& text) {
  const auto address = os::resolve_host(host_of(text), 0);
  return address ? std::string{} : address.error();
}

/// Parses a name for Host headers.
std::expected<std::string, std::string> parse_admin_host(std::string_view text) {
  constexpr std::size_t kHostMax = 253;
  const bool is_plain = std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.';
  });
  if (text.empty() || text.size() > kHostMax || !is_plain) {
    return std::unexpected{
        fmt::format("'{}' is not the name of a host; give one without a port", text)};
  }
  return std::string{text};
}

std::expected<Duration, std::string> parse_token_life(std::string_view text) {
  return parse_duration_between(text, std::chrono::seconds{1}, Duration::max());
}

/// Checks what can be known without a lookup.
std::expected<std::string, std::string> parse_public_address(std::string_view text) {
  if (text == kAgonesAddress) return std::string{text};
  const auto parsed = parse_host_port(text);
  if (!parsed) return std::unexpected{parsed.error()};
  if (net::parse_address(text) || parsed->port == 0) {
    if (const auto address = os::resolve_destination(text); !address) {
      return std::unexpected{address.error()};
    }
  }
  return std::string{text};
}

constexpr std::size_t kGatewayUrlMax = 200;

/// Parses an address that a person opens and a log line tells.
std::expected<std::string, std::string> parse_gateway_url(std::string_view text) {
  const bool is_of_web = text.starts_with("http://") || text.starts_with("https://");
  const auto is_plain = [](char letter) { return letter > ' ' && letter <= '~'; };
  if (is_of_web && text.size() <= kGatewayUrlMax && std::ranges::all_of(text, is_plain)) {
    return std::string{text};
  }
  return std::unexpected{
      fmt::format("'{}' is no address for a browser, of at most {} letters; give for example "
                  "https://play.example.org/",
                  printable(text), kGatewayUrlMax)};
}

void add_access(cli::CommandParser& program, Options& options) {
  program.begin_group("Clients");
  program.add_option(
      "--bind", options.bind,
      "Address to serve clients on. 0.0.0.0 is every IPv4 address of this machine, [::] every "
      "address. An address other than loopback needs --key-file or --allow-strangers",
      {.value = "ADDRESS", .check = {check_host}});
  program.add_option("--port", options.port, "UDP port for clients (0: a free one)");
  program.add_option(
      "--key-file", options.key_file,
      "Admit clients with a token sealed with a key of this file. The file is read again on SIGHUP "
      "and within 10 s of a change; the sessions of a key that was removed are closed",
      {.value = "F"});
  program.add_option("--allow-exposed-keys", options.allow_exposed_keys,
                     "Use a key or token file to which every user of the machine has access");
  program.add_option("--create-key", options.create_key,
                     "Make the key file with a fresh key if it does not exist");
  program.add_option("--deny-file", options.deny_file,
                     "Refuse the clients whose ids are in this file, one id a line, and close "
                     "their sessions. The file is read again on SIGHUP and within 10 s of a change",
                     {.value = "F"});
  program.add_option("--token-life-max", options.token_life_max, parse_token_life,
                     "Refuse tokens that are valid for longer than this after their issue",
                     {.value = "D", .default_text = "10m"});
  program.add_option("--seats-per-client", options.seats_per_client,
                     "Seats that one client id may hold (for load tests). A client with this many "
                     "takes over its own seat",
                     {.value = "N", .check = cli::between(1U, engine::kSeatsMax)});
  program.add_option("--insecure", options.insecure,
                     "Admit every client of this machine, with the published key (the default)");
  program.add_option("--allow-strangers", options.allow_strangers,
                     "Admit every client that reaches the address of --bind, with the published "
                     "key (for development only)");
  program.add_option("--public-address", options.public_addresses, parse_public_address,
                     "Address that players use, as written in their tokens. Repeat for several. A "
                     "name that is not found at the start is looked up again for 30 s. With "
                     "--agones, the word agones is the address that Agones gives this server",
                     {.value = "HOST:PORT",
                      .default_text = "the bound address; for a wildcard, all of this machine"});
  program.add_option("--gateway-url", options.gateway_url, parse_gateway_url,
                     "Address at which browsers play on this server, by a gateway. The ready line "
                     "and /v1/status have it",
                     {.value = "URL", .default_text = "none"});
}

void add_admin(cli::CommandParser& program, Options& options) {
  program.begin_group("Admin side");
  program.add_option("--admin-bind", options.admin_bind,
                     "Address of the admin side (HTTP: a page for browsers, metrics and "
                     "health). One other than loopback needs --admin-token-file",
                     {.value = "ADDRESS"});
  program.add_option("--admin-port", options.admin_port,
                     "TCP port of the admin side (0: a free one)");
  program.add_option("--admin-token-file", options.admin_token_file,
                     "Answer only requests with the header Authorization: Bearer TOKEN, except "
                     "/livez, /readyz and /view. The token is the text of this file, 16 "
                     "characters or more",
                     {.value = "F"});
  program.add_option("--metrics-token-file", options.metrics_token_file,
                     "Answer requests for figures with the token of this file too, and no others: "
                     "/metrics, for Prometheus, and /v1/status?clients=0, for `tickbox load`",
                     {.value = "F"});
  program.add_option("--matches-token-file", options.matches_token_file,
                     "Take matches of other servers (POST /matches) with the token of this file "
                     "too, and show it to the server that takes ours, in place of the token of "
                     "the order",
                     {.value = "F"});
  program.add_option("--admin-host", options.admin_hosts, parse_admin_host,
                     "Name of the admin side that requests may have in their Host header, "
                     "besides localhost and its address. Repeat for several",
                     {.value = "NAME", .default_text = "none"});
}

std::expected<Duration, std::string> parse_drain_time(std::string_view text) {
  return parse_duration_between(text, Duration::zero(), std::chrono::hours{24});
}

std::expected<Duration, std::string> parse_empty_time(std::string_view text) {
  return parse_duration_between(text, std::chrono::seconds{1}, Duration::max());
}

std::expected<Duration, std::string> parse_rotate_time(std::string_view text) {
  return parse_duration_between(text, kRotateTimeMin, Duration::max());
}

std::expected<std::uint64_t, std::string> parse_record_max_bytes(std::string_view text) {
  const auto size = parse_size(text);
  if (size && *size < kRecordMaxBytesMin) {
    return std::unexpected{
        fmt::format("'{}' is too small; the least is {}", text, kRecordMaxBytesMinText)};
  }
  return size;
}

/// Parses a server's name, which is also fit for a log line.
std::expected<std::string, std::string> parse_name(std::string_view text) {
  if (!net::is_server_name(text)) {
    return std::unexpected{
        fmt::format("'{}' is no name: it has 1 to {} printable ASCII characters without blanks",
                    text, net::kServerNameMax)};
  }
  return std::string{text};
}

void add_recording(cli::CommandParser& program, Options& options) {
  program.begin_group("Recordings and reports");
  program.add_option("--record", options.record,
                     "Record the match to this directory, with a page for browsers that "
                     "shows it",
                     {.value = "DIR"});
  program.add_option("--record-rotate-time", options.record_rotate_time, parse_rotate_time,
                     "Begin a new recording file after this time, at least 1s",
                     {.value = "D", .default_text = "off"});
  program.add_option("--record-max-bytes", options.record_max_bytes, parse_record_max_bytes,
                     "Keep all files of the directory within this size, at least 256KiB: begin a "
                     "new file at an eighth of it, and remove the oldest closed recordings of "
                     "servers with this --name, also of earlier runs",
                     {.value = "SIZE", .default_text = "off"});
  program.add_gone("--record-rotate-size",
                   "a file ends at an eighth of --record-max-bytes SIZE, shared by the rooms");
  program.add_gone("--record-keep",
                   "--record-max-bytes SIZE removes the oldest recordings of the directory");
  program.add_option("--name", options.name, parse_name,
                     "Name of this server in its recordings, in tickbox_server_info and, if it is "
                     "given, in each line of a JSON log; the same after a restart. Tokens may name "
                     "it in place of an address",
                     {.value = "NAME", .default_text = "the host's name"});
  program.add_option("--crash-dir", options.crash_dir,
                     "If an assertion fails, write the last seconds as a recording to this "
                     "directory",
                     {.value = "DIR", .default_text = "that of --record"});
}

/// Returns a check that says which games there are.
std::function<std::string(const std::string&)> check_game(engine::Games games) {
  return [games](const std::string& name) {
    return engine::find_game(games, name) != nullptr ? std::string{} : no_such_game(name, games);
  };
}

void add_rooms(cli::CommandParser& program, engine::Games games, Options& options) {
  program.begin_group("Match");
  program.add_option("--game", options.game, "Game to play",
                     {.value = "NAME", .check = {check_game(games)}});
  program.add_option("--map", options.map, "Map to play",
                     {.value = "NAME", .default_text = "the first map of the game"});
  program.add_option("--max-clients", options.max_clients,
                     "Highest number of players of a room. Also sets the size of the map",
                     {.check = cli::between(1U, engine::kSeatsMax)});
  program.add_option("--rooms", options.rooms, parse_rooms,
                     "Rooms to open at the start, of one game or several, such as "
                     "arena=10,bomber=5 or arena/dunes=2; a number alone is of --game. A token may "
                     "name a room by its number, from 1 on; without one a client gets a seat in "
                     "the fullest room of its port that has one",
                     {.value = "ROOMS", .default_text = "1"});
  program.add_option("--shards", options.shards,
                     "Threads that drive the rooms, each with rooms of its own and a port of its "
                     "own: --port and those that follow",
                     {.value = "N", .check = cli::between(1U, kShardsMax)});
}

void add_life(cli::CommandParser& program, Options& options) {
  program.begin_group("Life of the server");
  program.add_option(
      "--ticks", options.ticks, "Stop after N ticks (0: run until stopped)",
      {.check = cli::between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max())});
  program.add_option("--not-ready-when-full", options.not_ready_when_full,
                     "Answer /readyz with 503 while every seat is held. Without this option a full "
                     "server is ready, and tickbox_clients of /metrics says how full");
  program.add_option("--drain-time", options.drain_time, parse_drain_time,
                     "On SIGTERM or SIGINT, play on until all clients have left, but for this "
                     "time at most: take no new clients, and tell those that play how long they "
                     "have. A second signal ends the server at once (0: the first one does)",
                     {.value = "D", .default_text = "0"});
  program.add_option("--exit-when-empty", options.exit_when_empty, parse_empty_time,
                     "Stop, with exit 0, when no client has played for this time, at least 1s. "
                     "It counts from when the last client has left, or from an allocation by "
                     "Agones: a server that nobody has joined yet waits without a limit",
                     {.value = "D", .default_text = "off"});
  program.add_option("--close-when-empty", options.close_when_empty, parse_empty_time,
                     "Close a room that an order or an allocation has opened, when it has had no "
                     "player for this time, at least 1s. It counts from the opening of the room, "
                     "or from when its last player has left; a player who may return is there. "
                     "The rooms of --rooms stay open",
                     {.value = "D", .default_text = "off"});
  program.add_option("--agones", options.agones,
                     "Be a GameServer of Agones: tell its side car, at the port of "
                     "AGONES_SDK_HTTP_PORT (9358), that the server is ready, alive, how full it "
                     "is, which clients it has, and when it is over; open the rooms that "
                     "allocations ask for");
}

void add_options(cli::CommandParser& program, engine::Games games, Options& options,
                 os::LogOptions& log) {
  program.add_config();
  add_access(program, options);
  add_admin(program, options);
  add_rooms(program, games, options);
  program.add_option(
      "--tick-rate", options.tick_rate, "Ticks per second",
      {.value = "HZ", .check = cli::between(engine::kTickRateMin, engine::kTickRateMax)});
  program.add_option("--snapshot-rate", options.snapshot_rate,
                     "Snapshots per second to each client, at most the tick rate",
                     {.value = "HZ",
                      .check = cli::between(1U, engine::kTickRateMax),
                      .default_text = "the tick rate"});
  program.add_option("--snapshot-rate-far", options.snapshot_rate_far,
                     "Snapshots per second to each client whose round trip is longer than 60 ms, "
                     "until it is shorter than 50 ms; at most --snapshot-rate. At half the tick "
                     "rate such a client takes a third less time of the server and half the "
                     "traffic, and sees the others one tick later",
                     {.value = "HZ",
                      .check = cli::between(1U, engine::kTickRateMax),
                      .default_text = "--snapshot-rate"});
  program.add_option("--descriptor", options.descriptor,
                     "Print the descriptor of the game on stdout, and exit. A reader in another "
                     "language needs these bytes to read recordings and snapshots of the game");
  program.add_option(
      "--seed", options.seed, "Seed of the match's random numbers",
      {.check = cli::between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()),
       .default_text = "random"});
  add_recording(program, options);
  program.add_option("--desync-dir", options.desync_dir,
                     "Write a file to this directory for each view whose hash differed at a "
                     "client, with the states of both ends; at most 30 an hour",
                     {.value = "DIR"});
  program.add_option("--match-results", options.match_results,
                     "Append a line of JSON to this file for each result that the game publishes, "
                     "such as a round that has ended",
                     {.value = "FILE"});
  add_life(program, options);
  program.begin_group("Log");
  program.add_option("--log-level", log.level, os::parse_log_level,
                     "Lowest level of log lines: debug, info, warning or error",
                     {.value = "LEVEL", .default_text = "info"});
  program.add_option("--log-format", log.format, os::parse_log_format,
                     "Format of log lines: text or json",
                     {.value = "FORMAT", .default_text = "text"});
}

/// Reads the variable in which Agones names the port of its side car. Returns one line if that is
/// no port.
std::optional<std::string> read_agones_port(Options& options) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  const char* const text = std::getenv("AGONES_SDK_HTTP_PORT");
  if (!options.agones || text == nullptr) return std::nullopt;
  const auto port = parse_as<std::uint16_t>(text);
  if (!port || *port == 0) {
    return fmt::format("AGONES_SDK_HTTP_PORT: '{}' is not a port from 1 to 65535", text);
  }
  options.agones_port = *port;
  return std::nullopt;
}

/// Returns the admin side of the server that this container runs, if this process was started
/// beside it, as a health check is. It is the one TCP port of process 1.
std::optional<std::string> admin_beside() {
  constexpr int kFirst = 1;
  if (!os::runs_this_program(kFirst)) return std::nullopt;
  const std::vector<net::Address> listening = os::listening_addresses(kFirst);
  if (listening.size() != 1) return std::nullopt;
  net::Address admin = listening.front();
  if (os::is_wildcard(admin)) {
    const bool is_ipv6 = admin.ip == net::Address{}.ip;
    admin.ip = net::parse_address(is_ipv6 ? "[::1]:0" : "127.0.0.1:0").value().ip;
  }
  return net::to_string(admin);
}

/// Returns HOST:PORT of this server's own admin side. A wildcard address is reached by loopback.
std::string admin_of(const Options& options) {
  std::string host = host_of(options.admin_bind);
  const auto address = os::resolve_host(host, options.admin_port);
  if (address && os::is_wildcard(*address)) host = host.contains(':') ? "::1" : "127.0.0.1";
  return host.contains(':') ? fmt::format("[{}]:{}", host, options.admin_port)
                            : fmt::format("{}:{}", host, options.admin_port);
}

}  // namespace

int run_server(int argc, char** argv, const ServerProgram& server) {
  os::end_on_stop_signals_as_process_1();
  os::limit_heaps(kHeaps);
  cli::CommonFlags flags;
  Options options{.programs = server.names,
                  .page = server.page,
                  .game = std::string{server.games.front()->name}};
  os::LogOptions log_options;
  cli::Program program{{.name = server.names.server,
                        .description = "Serve a match to many clients. Steps it at a fixed tick "
                                       "rate, sends snapshots to the clients, and records it.",
                        .example = server.names.server + " --port 7777 --record recordings",
                        .json = "Print {\"event\":\"ready\",...} on stdout when clients can "
                                "connect, and {\"event\":\"stopped\",...} as the last line",
                        .quiet = "Do not print the commands to try next on stdout",
                        .plays = server.plays},
                       flags};
  add_options(program, server.games, options, log_options);

  std::string admin;
  bool asked_health = false;
  cli::CommonFlags health_flags;
  cli::CommandParser health = program.add_command(
      {.name = "health",
       .description = "Ask a running server whether it is alive, or ready. Exit 0 if so, 1 if not.",
       .example = server.names.server + " health --admin 127.0.0.1:9180"},
      health_flags);
  health.add_option("--admin", admin, "Admin address of the server",
                    {.value = "HOST:PORT",
                     .default_text = "that of the server of this container, else by --admin-bind "
                                     "and --admin-port"});

  bool ready = false;
  health.add_option("--ready", ready,
                    "Ask whether the server is ready for clients (/readyz instead of /livez)");
  health.callback([&] { asked_health = true; });

  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  if (asked_health) {
    if (admin.empty()) admin = admin_beside().value_or(admin_of(options));
    return cli::to_int(
        check_health({.name = server.names.server, .json = flags.json || health_flags.json}, admin,
                     ready ? HealthQuestion::Ready : HealthQuestion::Alive));
  }
  if (options.descriptor) {
    return cli::to_int(print_descriptor({.name = server.names.server, .json = flags.json},
                                        *engine::find_game(server.games, options.game)));
  }
  auto wrong = contradiction(options);
  if (!wrong) wrong = recording_contradiction(options);
  if (!wrong) wrong = rooms_contradiction(options, server.games);
  if (!wrong) wrong = read_agones_port(options);
  log_options.name = options.name;
  const os::AsyncLog log{log_options};
  // Hints for people do not belong between the lines of a machine's log.
  const Announcement announcement{
      .json = flags.json, .quiet = flags.quiet || log_options.format == os::LogFormat::Json};
  if (wrong) {
    return cli::to_int(report_failure(options.programs, announcement, log,
                                      cli::ExitCode::WrongUsage, program.with_sources(*wrong)));
  }
  return cli::to_int(serve(options, server.games, announcement, log));
}

}  // namespace tickbox::server

int tickbox::run_server(int argc, char** argv, const GameTable& game, std::string_view page) {
  const std::array<const GameTable*, 1> games{&game};
  const std::string name = cli::program_name(argc, argv, "tickbox-server");
  constexpr std::string_view kSuffix = "-server";
  const bool has_client = name.ends_with(kSuffix) && name.size() > kSuffix.size();
  return server::run_server(
      argc, argv,
      {.games = games,
       .page = page,
       .names = {.server = name,
                 .client = has_client ? name.substr(0, name.size() - kSuffix.size())
                                      : std::string{game.name}},
       .plays = fmt::format("{} {}", game.name, game.version)});
}
