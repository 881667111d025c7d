#include "server/host/program.h"

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "core/values.h"
#include "os/http/http.h"
#include "os/net/resolve.h"
#include "os/process/log.h"
#include "os/process/standard_output.h"
#include "server/host/access.h"
#include "server/host/options.h"
#include "server/host/recordings.h"
#include "server/host/serve.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tickbox::server {
namespace {

// `tickbox-server health`: asks a running server whether it is alive, for containers and scripts.

enum class HealthQuestion : std::uint8_t {
  Alive,  ///< /livez
  Ready,  ///< /readyz
};

enum class HealthAnswer : std::uint8_t {
  Words,     ///< the server's own answer: "ok", or why it is not
  Document,  ///< {"alive":true,"admin":"127.0.0.1:9180","answer":"ok"}, or "ready"
};

std::string document_of(const std::string& admin, HealthQuestion question,
                        const os::HttpResponse& reply, cli::ExitCode code) {
  using Json = nlohmann::ordered_json;
  const std::string words = reply.body.substr(0, reply.body.find('\n'));
  Json document{
      {question == HealthQuestion::Ready ? "ready" : "alive", code == cli::ExitCode::Done},
      {"admin", admin},
      {"answer", words},
      {"exit", cli::to_int(code)}};
  if (code != cli::ExitCode::Done) document["error"] = words;
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Writes one line to stdout.   Returns Done if `admin` answers with 200, WrongUsage if it is no
/// HOST:PORT, else Failed.
cli::ExitCode check_health(const std::string& admin, HealthQuestion question, HealthAnswer answer) {
  const cli::Teller teller{.name = "tickbox-server", .json = answer == HealthAnswer::Document};
  const auto place = parse_host_port(admin);
  if (!place)
    return cli::tell_failure(teller, cli::ExitCode::WrongUsage, "--admin: " + place.error());
  const auto address = os::resolve_host(place->host, place->port);
  if (!address) return cli::tell_failure(teller, cli::ExitCode::Failed, address.error());
  const auto reply = os::http_get(
      *address, question == HealthQuestion::Ready ? "/readyz" : "/livez", std::chrono::seconds{2});
  if (!reply) return cli::tell_failure(teller, cli::ExitCode::Failed, reply.error());
  const cli::ExitCode code = reply->status == 200 ? cli::ExitCode::Done : cli::ExitCode::Failed;
  if (const auto written = os::write_to_stdout(
          teller.json ? document_of(admin, question, *reply, code) : reply->body);
      !written) {
    return cli::tell_failure({.name = teller.name}, cli::ExitCode::Failed, written.error());
  }
  return code;
}

constexpr const char* kExample = "tickbox-server --port 7777 --record recordings";

std::string check_host(const std::string& text) {
  const auto address = os::resolve_host(host_of(text), 0);
  return address ? std::string{} : address.error();
}

/// Returns an error if the address is not loopback: the admin side has no authentication.
std::string check_loopback(const std::string& text) {
  const auto address = os::resolve_host(text, 0);
  if (!address) return address.error();
  if (!net::is_loopback(*address)) {
    return fmt::format(
        "{} is not a loopback address: the admin side is without keys and stays on this machine; "
        "try 127.0.0.1 or ::1",
        text);
  }
  return {};
}

void add_access(cli::Command& program, Options& options) {
  program.add_option(
      "--bind", options.bind,
      "Address to serve clients on: with keys any; 0.0.0.0 is every IPv4 one of this "
      "machine, [::] every one",
      {.check = {check_host, "ADDRESS"}});
  program.add_option("--port", options.port, "UDP port; 0 takes a free one");
  program.add_option("--key-file", options.key_file,
                     "Let in whoever has a token by one of these keys; SIGHUP reads them again",
                     {.value = "F"});
  program.add_option(
      "--create-key", options.create_key,
      "Make the key file, with a fresh key, where it is not there; where it is, it is used");
  program.add_option("--insecure", options.insecure,
                     "Let in anybody, by the published key, from this machine; the default");
  program.add_option("--allow-strangers", options.allow_strangers,
                     "Let in anybody, by the published key, at any address of --bind. For "
                     "development: anybody who reaches the port can play");
  program.add_option(
      "--public-address", options.public_addresses, os::resolve_destination,
      "What tokens must name to be for this server, by --public-address again for more; "
      "without it the address it is bound to, or every one of this machine",
      {.value = "HOST:PORT"});
}

std::expected<Duration, std::string> parse_rotate_time(std::string_view text) {
  return parse_duration_between(text, kRotateTimeMin, Duration::max());
}

std::expected<std::uint64_t, std::string> parse_rotate_size(std::string_view text) {
  const auto size = parse_size(text);
  if (size && *size < kRotateSizeMin) {
    return std::unexpected{fmt::format("'{}' is too small; the least is 64KiB", text)};
  }
  return size;
}

void add_recording(cli::Command& program, Options& options) {
  program.add_option("--record", options.record, "Directory to record the match to",
                     {.value = "DIR"});
  program.add_option("--record-rotate-time", options.record_rotate_time, parse_rotate_time,
                     "Go on in another file after so long, from 1s; off when not given",
                     {.value = "D"});
  program.add_option("--record-rotate-size", options.record_rotate_size, parse_rotate_size,
                     "Go on in another file at this size, from 64KiB; off when not given",
                     {.value = "SIZE"});
  program.add_option(
      "--record-keep", options.record_keep,
      "Of the files that this server has made and closed, keep so many and remove the "
      "oldest; all when not given",
      {.value = "N", .check = cli::between(1U, kRecordKeepMax)});
  program.add_option(
      "--crash-dir", options.crash_dir,
      "Directory for a recording of the last seconds, should an assertion fail; that of "
      "--record when not given, and without either there is none",
      {.value = "DIR"});
}

void add_options(cli::Command& program, Options& options, os::LogOptions& log) {
  program.add_config();
  add_access(program, options);
  program.add_option("--admin-bind", options.admin_bind,
                     "Loopback address of the admin side (HTTP)",
                     {.check = {check_loopback, "ADDRESS"}});
  program.add_option("--admin-port", options.admin_port, "Its TCP port; 0 takes a free one");
  program.add_option("--tick-rate", options.tick_rate, "Ticks per second",
                     {.check = cli::between(game::kTickRateMin, game::kTickRateMax)});
  program.add_option(
      "--snapshot-rate", options.snapshot_rate,
      "Snapshots per second to each client, up to the tick rate; the tick rate when not "
      "given",
      {.check = cli::between(1U, game::kTickRateMax)});
  program.add_option("--rules", options.rules, "Kind of game", {.check = cli::one_of({"arena"})});
  program.add_option("--max-clients", options.max_clients,
                     "Clients at once; the built-in map grows with it",
                     {.check = cli::between(1U, game::kSeatsMax)});
  add_recording(program, options);
  program.add_option(
      "--desync-dir", options.desync_dir,
      "Directory for a file about each view that a client hashed otherwise, with both "
      "states; a few an hour. Without it the log alone says where they differ",
      {.value = "DIR"});
  program.add_option(
      "--seed", options.seed, "Of everything the match draws; drawn itself when not given",
      {.check = cli::between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max())});
  program.add_option(
      "--ticks", options.ticks, "Stop after so many; 0 never",
      {.check = cli::between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max())});
  program.add_option("--log-level", log.level, os::parse_log_level,
                     "debug, info, warning or error");
  program.add_option("--log-format", log.format, os::parse_log_format, "text or json");
}

/// Returns HOST:PORT of this server's own admin side.
std::string admin_of(const Options& options) {
  const bool has_colons = options.admin_bind.contains(':');
  const std::string host = has_colons ? "[" + options.admin_bind + "]" : options.admin_bind;
  return fmt::format("{}:{}", host, options.admin_port);
}

}  // namespace

int run_server(int argc, char** argv, const game::Catalog& games) {
  cli::CommonFlags flags;
  Options options;
  os::LogOptions log_options;
  cli::Program program{
      {.name = "tickbox-server",
       .description =
           "Serves a match to many clients: steps it at a fixed tick, tells everyone, records it.",
       .example = kExample,
       .json = "Print {\"event\":\"ready\",...} on stdout when clients can connect, and "
               "{\"event\":\"stopped\",...} as the last line",
       .quiet = "Print no commands to try next on stdout"},
      flags};
  add_options(program, options, log_options);

  std::string admin;
  bool asked_health = false;
  cli::CommonFlags health_flags;
  cli::Command health = program.add_command(
      {.name = "health",
       .description =
           "Asks a running server whether it is alive, or ready; exit 0 if so, 1 if not.",
       .example = "tickbox-server health --admin 127.0.0.1:9180"},
      health_flags);
  health.add_option("--admin", admin, "Its admin side",
                    {.value = "HOST:PORT", .default_text = "by --admin-bind and --admin-port"});

  bool ready = false;
  health.add_option("--ready", ready, "Ask whether it takes clients now (/readyz, not /livez)");
  health.callback([&] { asked_health = true; });

  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  if (asked_health) {
    const bool as_document = flags.json || health_flags.json;
    return cli::to_int(check_health(admin.empty() ? admin_of(options) : admin,
                                    ready ? HealthQuestion::Ready : HealthQuestion::Alive,
                                    as_document ? HealthAnswer::Document : HealthAnswer::Words));
  }
  auto wrong = contradiction(options);
  if (!wrong) wrong = recording_contradiction(options);
  if (wrong) {
    return cli::to_int(cli::tell_failure({.name = "tickbox-server", .json = flags.json},
                                         cli::ExitCode::WrongUsage, program.with_sources(*wrong)));
  }
  const os::Log log{log_options};
  return cli::to_int(serve(options, games, {.json = flags.json, .quiet = flags.quiet}, log));
}

}  // namespace tickbox::server
