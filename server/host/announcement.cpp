#include "server/host/announcement.h"

#include "cli/build_info.h"
#include "cli/exit_code.h"
#include "os/net/udp_transport.h"
#include "os/process/process.h"
#include "os/process/standard_output.h"
#include "os/process/steady_clock.h"
#include "server/host/base/access.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace tickbox::server {
namespace {

/// The clients of the load test that a server suggests, if it has the seats.
constexpr std::uint32_t kClientsToTry = 32;

/// The time that stdout has for the first lines.
constexpr Duration kStdoutPatience = std::chrono::seconds{1};

void log_buffers(Server& server) {
  const os::UdpBuffers buffers = server.shards.front()->transport->buffers();
  if (buffers.receive_bytes < os::kSocketBufferBytes) {
    server.log.event(Severity::Warning, {"socket_buffer_small",
                                         {{"receive_bytes", buffers.receive_bytes},
                                          {"asked", os::kSocketBufferBytes},
                                          {"try", "sysctl net.core.rmem_max"}}});
  }
}

/// Logs if more clients, or fewer, can reach this server than one would think.
void log_reach(Server& server) {
  const net::Address address = server.shards.front()->transport->local_address();
  if (server.options.allow_strangers) {
    server.log.event(
        Severity::Warning,
        {"strangers_allowed",
         {{"address", net::to_string(address)},
          {"reason", "--allow-strangers: every client that reaches this address can play"}}});
  }
  const auto surroundings = os::is_container() ? Surroundings::Container : Surroundings::Machine;
  if (const auto hint = loopback_hint(address, surroundings)) {
    server.log.event(Severity::Info, *hint);
  }
}

/// Logs if the token of the admin side can travel in the clear.
void log_admin_side(Server& server) {
  const net::Address address = server.admin->local_address();
  if (net::is_loopback(address)) return;
  server.log.event(Severity::Warning,
                   {"admin_without_tls",
                    {{"address", net::to_string(address)},
                     {"reason", "the admin side has no TLS: the token can be read on the way"},
                     {"try", "a proxy with TLS in front of it, or a network of its own"}}});
}

struct AnnouncedRoom {
  const ServedRoom* room = nullptr;
  net::Address address;
};

std::map<std::uint32_t, AnnouncedRoom> rooms_by_number(const Server& server) {
  std::map<std::uint32_t, AnnouncedRoom> rooms;
  for (const auto& host : server.shards) {
    for (const auto& room : host->rooms) {
      rooms[room->id.value] = {.room = room.get(), .address = host->transport->local_address()};
    }
  }
  return rooms;
}

/// Returns
/// {"event":"ready","address":…,"admin":…,"rooms":[{"room":1,"game":…,"map":…,"address":…}]} as a
/// line.
std::string ready_document(const Server& server, const std::string& address,
                           const std::string& admin) {
  using Json = nlohmann::ordered_json;
  Json rooms = Json::array();
  for (const auto& [id, announced] : rooms_by_number(server)) {
    rooms.push_back({{"room", id},
                     {"game", announced.room->of->game->name},
                     {"map", announced.room->of->map->name},
                     {"address", net::to_string(announced.address)}});
  }
  const Json document{
      {"event", "ready"}, {"address", address}, {"admin", admin}, {"rooms", std::move(rooms)}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Logs that the server is ready, and what it serves.
void log_ready(Server& server, const std::string& address, const std::string& admin) {
  const Options& options = server.options;
  LogFields fields{{"address", address}, {"admin", admin}};
  const LogFields& keys = server.keys.in_use();
  fields.insert(fields.end(), keys.begin(), keys.end());
  const ServedGame& first = *server.shards.front()->rooms.front()->of;
  fields.emplace_back("game", first.game->name);
  if (!first.map->name.empty()) fields.emplace_back("map", first.map->name);
  if (!options.rooms.empty()) fields.emplace_back("rooms", rooms_by_number(server).size());
  if (options.shards > 1) fields.emplace_back("shards", options.shards);
  fields.emplace_back("tick_rate", options.tick_rate);
  fields.emplace_back("max_clients", options.max_clients);
  fields.emplace_back("version", cli::build_info().version);
  server.log.event(Severity::Info, {"ready", std::move(fields)});
}

/// Returns a word as a shell takes it.
std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (word.find_first_not_of(kPlain) == std::string_view::npos) return std::string{word};
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string_view{"'\\''"} : std::string_view{&c, 1};
  }
  return quoted + "'";
}

/// Returns the options with which `load` plays in the first rooms, those of one game.
std::string rooms_to_load(const Server& server) {
  const auto rooms = rooms_by_number(server);
  const GameTable* const first = rooms.begin()->second.room->of->game;
  const auto other = std::ranges::find_if(
      rooms, [&](const auto& room) { return room.second.room->of->game != first; });
  const auto count = static_cast<std::uint32_t>(std::distance(rooms.begin(), other));
  const std::uint32_t shards = server.options.shards;
  return rooms.size() == 1 ? ""
                           : fmt::format(" --rooms {}{}", count,
                                         shards > 1 ? fmt::format(" --shards {}", shards) : "");
}

/// Returns the page, and commands that work as they are printed, from the same folder.
std::string what_to_try(const Server& server) {
  const Options& options = server.options;
  const std::string admin = net::to_string(on_this_machine(server.admin->local_address()));
  const std::string address =
      address_to_try(options, server.shards.front()->transport->local_address());
  const std::string keys =
      options.key_file.empty()
          ? ""
          : fmt::format(" --key-file {}{}", shell_word(options.key_file),
                        options.allow_exposed_keys ? " --allow-exposed-keys" : "");
  const std::string token = shell_word(options.admin_token_file);
  const bool has_token = !options.admin_token_file.empty();
  std::string text = options.page.empty() ? "" : fmt::format("view     http://{}/view\n", admin);
  text += fmt::format("connect  {} connect {}{}\n", options.programs.client, address, keys);
  text += fmt::format("load     {} load {}{}{} --clients {} --seconds 10 --admin {}{}\n",
                      options.programs.client, address, keys, rooms_to_load(server),
                      std::min(kClientsToTry, options.max_clients), admin,
                      has_token ? " --admin-token-file " + token : "");
  return text +
         fmt::format("metrics  curl {}http://{}/metrics\n",
                     has_token ? fmt::format("-H \"Authorization: Bearer $(cat {})\" ", token) : "",
                     admin);
}

}  // namespace

std::expected<void, std::string> StdoutWriter::write(std::string text) {
  writing_.begin("stdout", [text = std::move(text)] { return os::write_to_stdout(text); });
  const os::SteadyClock clock;
  const Instant end = clock.now() + kStdoutPatience;
  std::optional<std::expected<void, std::string>> written;
  os::poll_until([&] { return (written = writing_.poll()) || clock.now() >= end; });
  return written.value_or(std::expected<void, std::string>{});
}

bool StdoutWriter::is_stuck() {
  std::ignore = writing_.poll();
  return writing_.is_under_way();
}

std::expected<void, std::string> announce_ready(Server& server, const Announcement& announcement,
                                                StdoutWriter& out) {
  const std::string address = net::to_string(server.shards.front()->transport->local_address());
  const std::string admin = net::to_string(server.admin->local_address());
  log_buffers(server);
  log_exposure(server.log, os::file_exposure(server.options.key_file));
  log_reach(server);
  log_admin_side(server);
  server.count_outside(server.shards.front()->shard->metrics());
  const Instant now = server.clock.now();
  for (const auto& host : server.shards) {
    host->publish(*server.admin, now, now);
  }
  server.admin->set_state(ServerState::Ready);
  log_ready(server, address, admin);
  std::expected<void, std::string> written;
  if (announcement.json) {
    written = out.write(ready_document(server, address, admin));
  } else if (!announcement.quiet) {
    std::ignore = out.write(what_to_try(server));  // a failure to print these is ignored
  }
  if (out.is_stuck()) {
    server.log.event(Severity::Warning,
                     {"stdout_stuck", {{"reason", "nobody reads the pipe that stdout is"}}});
  }
  return written;
}

std::string stopped_document(const Server& server, std::uint64_t ticks) {
  auto recordings = nlohmann::ordered_json::array();
  for (const std::string& path : server.recordings.closed()) {
    // Another server may have removed it, for the limit of the directory.
    if (std::filesystem::exists(path)) recordings.push_back(path);
  }
  const nlohmann::ordered_json document{{"event", "stopped"},
                                        {"ticks", ticks},
                                        {"recordings", std::move(recordings)},
                                        {"exit", cli::to_int(cli::ExitCode::Done)}};
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tickbox::server
