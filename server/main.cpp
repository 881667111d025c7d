// tickbox-server: what it takes on its command line, and which command that is.

#include "game/catalog.h"
#include "os/command_line.h"
#include "os/failure.h"
#include "os/log.h"
#include "os/values.h"
#include "server/apps/access.h"
#include "server/apps/health.h"
#include "server/apps/recordings.h"
#include "server/apps/serve.h"
#include "server/options.h"

#include <fmt/core.h>

#include <cstdint>
#include <expected>
#include <limits>
#include <string>
#include <string_view>

namespace {

using namespace tickbox;

constexpr const char* kExample = "tickbox-server --port 7777 --record recordings";

std::string check_host(const std::string& text) {
  const auto address = os::resolve_host(server::host_of(text), 0);
  return address ? std::string{} : address.error();
}

/// The admin side asks nobody who they are.
std::string check_loopback(const std::string& text) {
  const auto address = os::resolve_host(text, 0);
  if (!address) {
    return address.error();
  }
  if (!net::is_loopback(*address)) {
    return fmt::format(
        "{} is not a loopback address: the admin side is without keys and stays on this machine; "
        "try 127.0.0.1 or ::1",
        text);
  }
  return {};
}

void add_access(CLI::App& app, server::Options& options) {
  app.add_option("--bind", options.bind,
                 "Address to serve clients on: with keys any; 0.0.0.0 is every IPv4 one of this "
                 "machine, [::] every one")
      ->check(CLI::Validator{check_host, "ADDRESS"})
      ->capture_default_str();
  app.add_option("--port", options.port, "UDP port; 0 takes a free one")->capture_default_str();
  app.add_option("--key-file", options.key_file,
                 "Let in whoever has a token by one of these keys; SIGHUP reads them again")
      ->type_name("F");
  app.add_flag(
      "--create-key", options.create_key,
      "Make the key file, with a fresh key, where it is not there; where it is, it is used");
  app.add_flag("--insecure", options.insecure,
               "Let in anybody, by the published key, from this machine; the default");
  os::add_values(app, "--public-address", options.public_addresses, os::resolve_destination,
                 "What tokens must name to be for this server, by --public-address again for more; "
                 "without it the address it is bound to, or every one of this machine")
      ->type_name("HOST:PORT");
}

std::expected<Duration, std::string> parse_rotate_time(std::string_view text) {
  const auto time = os::parse_duration(text);
  if (time && *time < server::kRotateTimeMin) {
    return std::unexpected{fmt::format("'{}' is too short; the least is 1s", text)};
  }
  return time;
}

std::expected<std::uint64_t, std::string> parse_rotate_size(std::string_view text) {
  const auto size = os::parse_size(text);
  if (size && *size < server::kRotateSizeMin) {
    return std::unexpected{fmt::format("'{}' is too small; the least is 64KiB", text)};
  }
  return size;
}

void add_recording(CLI::App& app, server::Options& options) {
  app.add_option("--record", options.record, "Directory to record the match to")->type_name("DIR");
  os::add_value(app, "--record-rotate-time", options.record_rotate_time, parse_rotate_time,
                "Go on in another file after so long, from 1s; off when not given")
      ->type_name("D");
  os::add_value(app, "--record-rotate-size", options.record_rotate_size, parse_rotate_size,
                "Go on in another file at this size, from 64KiB; off when not given")
      ->type_name("SIZE");
  app.add_option("--record-keep", options.record_keep,
                 "Of the files that this server has made and closed, keep so many and remove the "
                 "oldest; all when not given")
      ->type_name("N")
      ->check(CLI::Range(1U, server::kRecordKeepMax));
  app.add_option("--crash-dir", options.crash_dir,
                 "Directory for a recording of the last seconds, should an assertion fail; that of "
                 "--record when not given, and without either there is none")
      ->type_name("DIR");
}

void add_options(CLI::App& app, server::Options& options, os::LogOptions& log) {
  os::add_config(app);
  add_access(app, options);
  app.add_option("--admin-bind", options.admin_bind, "Loopback address of the admin side (HTTP)")
      ->check(CLI::Validator{check_loopback, "ADDRESS"})
      ->capture_default_str();
  app.add_option("--admin-port", options.admin_port, "Its TCP port; 0 takes a free one")
      ->capture_default_str();
  app.add_option("--tick-rate", options.tick_rate, "Ticks per second")
      ->check(CLI::Range(game::kTickRateMin, game::kTickRateMax))
      ->capture_default_str();
  app.add_option("--snapshot-rate", options.snapshot_rate,
                 "Snapshots per second to each client, up to the tick rate; the tick rate when not "
                 "given")
      ->check(CLI::Range(1U, game::kTickRateMax));
  app.add_option("--rules", options.rules, "Kind of game")
      ->check(CLI::IsMember({"arena"}))
      ->capture_default_str();
  app.add_option("--max-clients", options.max_clients,
                 "Clients at once; the built-in map grows with it")
      ->check(CLI::Range(1U, game::kSeatsMax))
      ->capture_default_str();
  add_recording(app, options);
  app.add_option("--desync-dir", options.desync_dir,
                 "Directory for a file about each view that a client hashed otherwise, with both "
                 "states; a few an hour. Without it the log alone says where they differ")
      ->type_name("DIR");
  app.add_option("--seed", options.seed,
                 "Of everything the match draws; drawn itself when not given")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
  app.add_option("--ticks", options.ticks, "Stop after so many; 0 never")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
  os::add_value(app, "--log-level", log.level, os::parse_log_level,
                "debug, info, warning or error");
  os::add_value(app, "--log-format", log.format, os::parse_log_format, "text or json");
}

/// HOST:PORT where this server's own admin side is.
std::string admin_of(const server::Options& options) {
  const bool has_colons = options.admin_bind.contains(':');
  const std::string host = has_colons ? "[" + options.admin_bind + "]" : options.admin_bind;
  return fmt::format("{}:{}", host, options.admin_port);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  os::CommonFlags flags;
  server::Options options;
  os::LogOptions log_options;
  os::prepare(
      app, "Serves a match to many clients: steps it at a fixed tick, tells everyone, records it.",
      kExample, flags);
  app.name("tickbox-server");
  app.get_option("--quiet")->description("Print no commands to try next on stdout");
  add_options(app, options, log_options);

  std::string admin;
  os::CommonFlags health_flags;
  CLI::App* health = app.add_subcommand("health");
  os::prepare(*health, "Asks a running server whether it is alive; exit 0 if so, 1 if not.",
              "tickbox-server health --admin 127.0.0.1:9180", health_flags);
  health->add_option("--admin", admin, "Its admin side")
      ->type_name("HOST:PORT")
      ->default_str("by --admin-bind and --admin-port");

  if (const auto exit_code = os::parse_or_exit_code(app, argc, argv)) {
    return os::to_int(*exit_code);
  }
  if (health->parsed()) {
    const bool as_document = flags.json || health_flags.json;
    return os::to_int(server::check_health(
        admin.empty() ? admin_of(options) : admin,
        as_document ? server::HealthAnswer::Document : server::HealthAnswer::Words));
  }
  auto wrong = server::contradiction(options);
  if (!wrong) wrong = server::recording_contradiction(options);
  if (wrong) {
    return os::to_int(os::tell_failure({.name = "tickbox-server", .json = flags.json},
                                       os::ExitCode::WrongUsage, *wrong));
  }
  const os::Log log{log_options};
  return os::to_int(server::serve(options, {.json = flags.json, .quiet = flags.quiet}, log));
}
