#include "server/host/announcement.h"

#include "cli/build_info.h"
#include "cli/exit_code.h"
#include "os/net/udp_transport.h"
#include "os/process/process.h"
#include "os/process/standard_output.h"
#include "server/host/access.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tuple>

namespace tickbox::server {
namespace {

/// The clients of the load test that a server suggests, if it has the seats.
constexpr std::uint32_t kClientsToTry = 32;

void log_buffers(Server& server) {
  const os::UdpBuffers buffers = server.transport->buffers();
  if (buffers.receive_bytes < os::kSocketBufferBytes) {
    server.log.event(
        Severity::Warning,
        fmt::format(
            "socket_buffer_small receive_bytes={} asked={} try=\"sysctl net.core.rmem_max\"",
            buffers.receive_bytes, os::kSocketBufferBytes));
  }
}

/// Logs if more clients, or fewer, can reach this server than one would think.
void log_reach(Server& server) {
  const net::Address address = server.transport->local_address();
  if (server.options.allow_strangers) {
    server.log.event(Severity::Warning,
                     fmt::format("strangers_allowed address={} reason=\"--allow-strangers: every "
                                 "client that reaches this address can play\"",
                                 net::to_string(address)));
  }
  const auto surroundings = os::is_container() ? Surroundings::Container : Surroundings::Machine;
  if (const auto hint = loopback_hint(address, surroundings)) {
    server.log.event(Severity::Info, *hint);
  }
}

/// Returns the map as a part of a log line; nothing for a game that lists none.
std::string map_in_words(const Server& server) {
  const std::string_view name = server.match->world().map()->name;
  return name.empty() ? std::string{} : fmt::format(" map={}", name);
}

std::string next_commands(const Server& server) {
  const Options& options = server.options;
  const std::string admin = net::to_string(server.admin->local_address());
  const std::string address =
      net::to_string(address_to_try(options, server.transport->local_address()));
  const std::string keys = options.key_file.empty() ? "" : " --key-file " + options.key_file;
  return fmt::format(
      "metrics  http://{}/metrics\nconnect  {} connect {}{}\n"
      "load     {} load {}{} --clients {} --seconds 10 --admin {}\n",
      admin, options.programs.client, address, keys, options.programs.client, address, keys,
      std::min(kClientsToTry, options.max_clients), admin);
}

}  // namespace

std::expected<void, std::string> announce_ready(Server& server, const Announcement& announcement) {
  const Options& options = server.options;
  const std::string address = net::to_string(server.transport->local_address());
  const std::string admin = net::to_string(server.admin->local_address());
  log_buffers(server);
  server.keys.log_exposure();
  log_reach(server);
  server.publish(ServerState::Ready, server.clock.now());
  server.log.event(
      Severity::Info,
      fmt::format(
          "ready address={} admin={} {} game={}{} tick_rate={} max_clients={} version=\"{}\"",
          address, admin, server.keys.in_words(), options.game, map_in_words(server),
          options.tick_rate, options.max_clients, cli::build_info().version));
  if (announcement.json) {
    return os::write_to_stdout(fmt::format(
        "{{\"event\":\"ready\",\"address\":\"{}\",\"admin\":\"{}\"}}\n", address, admin));
  }
  // A failure to print these is ignored.
  if (!announcement.quiet) std::ignore = os::write_to_stdout(next_commands(server));
  return {};
}

std::string stopped_document(const Server& server, std::uint64_t ticks) {
  const nlohmann::ordered_json document{{"event", "stopped"},
                                        {"ticks", ticks},
                                        {"recordings", server.recordings->closed_files()},
                                        {"exit", cli::to_int(cli::ExitCode::Done)}};
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tickbox::server
