#include "server/host/serve.h"

#include "cli/build_info.h"
#include "cli/exit_code.h"
#include "os/net/udp_transport.h"
#include "os/process/process.h"
#include "os/process/standard_output.h"
#include "os/process/steady_clock.h"
#include "server/host/base/access.h"
#include "server/host/base/threads.h"
#include "server/host/closing.h"
#include "server/host/fleet/agones_client.h"
#include "server/host/server.h"
#include "server/host/supervisor.h"
#include "server/host/tick_loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

/// The time for the last packets to reach the last client.
constexpr Duration kLastWords = std::chrono::milliseconds{20};

/// The time for the end of the log to reach its followers.
constexpr Duration kLastRecords = std::chrono::milliseconds{200};
/// The time for the log and stdout to take their last lines, if all else is closed in time.
constexpr Duration kLastLines = std::chrono::seconds{1};

/// Disconnects the clients, and takes no new ones. Returns whether all shards have ended.
bool end_shards(Server& server, StopDeadline& deadline) {
  const ServerProgress progress = server.progress();
  server.log.event(Severity::Info,
                   {"stopping", {{"clients", progress.clients}, {"ticks", progress.ticks}}});
  server.admin->set_state(ServerState::Stopping);
  for (const auto& host : server.shards) {
    host->stop_asked = true;
    host->stop_asked.notify_all();
  }
  const bool have_ended = deadline.wait({}, [&] {
    return std::ranges::all_of(server.shards,
                               [](const auto& host) { return host->progress.has_ended.load(); });
  });
  if (have_ended) os::sleep_until(server.clock.now() + kLastWords);
  return have_ended;
}

/// Lets the followers of the logs read their end.
void wait_for_followers(const Server& server, StopDeadline& deadline) {
  (void)deadline.wait({.latest = server.clock.now() + kLastRecords}, [&] {
    return std::ranges::all_of(server.shards, [](const auto& host) {
      return std::ranges::all_of(host->rooms, [](const auto& room) {
        return room->recordings->recorder().tail()->followers() == 0;
      });
    });
  });
}

/// Starts the thread of each shard. Fails: with one line; those that were started have ended.
std::expected<std::vector<std::thread>, std::string> start_shards(Server& server) {
  std::vector<std::thread> threads;
  for (const auto& host : server.shards) {
    auto thread = os::start_thread("shard", [&server, &host = *host] {
      TickLoop loop{server, host};
      loop.run();
      loop.end();
    });
    if (thread) {
      threads.push_back(*std::move(thread));
      continue;
    }
    for (std::size_t i = 0; i < threads.size(); ++i) {
      server.shards[i]->stop_asked = true;
      server.shards[i]->stop_asked.notify_all();
      threads[i].join();
    }
    return std::unexpected(std::move(thread.error()));
  }
  return threads;
}

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
/// {"event":"ready","address":…,"admin":…,"gateway":…,"rooms":[{"room":1,"game":…,"map":…,
/// "address":…}]} as a line; `gateway` is there if it is known.
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
  Json document{{"event", "ready"}, {"address", address}, {"admin", admin}};
  if (const std::string& url = server.options.gateway_url; !url.empty()) document["gateway"] = url;
  document["rooms"] = std::move(rooms);
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Logs that the server is ready, and what it serves.
void log_ready(Server& server, const std::string& address, const std::string& admin) {
  const Options& options = server.options;
  LogFields fields{{"address", address}, {"admin", admin}};
  if (!options.gateway_url.empty()) fields.emplace_back("gateway", options.gateway_url);
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
  if (!options.gateway_url.empty()) text += fmt::format("play     {}\n", options.gateway_url);
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

/// Writes to stdout on a thread of its own, because the reader of a pipe may not read.
class StdoutWriter {
 public:
  /// Writes all of `text`, and waits for it at most a second. Requires: the text before is written.
  /// Fails: with one line, if the text cannot be written. A text that still waits is no failure.
  [[nodiscard]] std::expected<void, std::string> write(std::string text);

  /// Returns whether the text still waits for its reader.
  [[nodiscard]] bool is_stuck();

 private:
  BackgroundCall<std::expected<void, std::string>> writing_;
};

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

/// Publishes that the server is ready, logs it with warnings about its setting, and writes the JSON
/// document or the commands to try next. Fails: with one line, if the document cannot be written.
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

/// Returns the last line of JSON output. Requires: the recording is closed.
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

}  // namespace

cli::ExitCode report_failure(const ProgramNames& programs, const Announcement& announcement,
                             const os::AsyncLog& log, cli::ExitCode code, const std::string& why) {
  const bool as_event = log.format() == os::LogFormat::Json;
  if (as_event) {
    log.write(Severity::Error, {"failed", {{"reason", why}, {"exit", cli::to_int(code)}}});
  }
  return cli::report_failure(
      {.name = programs.server, .json = announcement.json, .silent = as_event}, code, why);
}

cli::ExitCode serve(const Options& options, engine::Games games, const Announcement& announcement,
                    const os::AsyncLog& log) {
  Server server{options, games, log};
  StdoutWriter out;
  const auto fail = [&](const std::string& why) {
    return report_failure(options.programs, announcement, log, cli::ExitCode::Failed, why);
  };
  if (const auto opened = server.open(); !opened) return fail(opened.error());
  if (const auto announced = announce_ready(server, announcement, out); !announced) {
    return report_failure(options.programs, {}, log, cli::ExitCode::Failed, announced.error());
  }
  std::unique_ptr<AgonesClient> agones;
  if (options.agones) {
    auto started = AgonesClient::start({.side_car = side_car_at(options.agones_port),
                                        .clock = server.clock,
                                        .log = server.log,
                                        .admin = *server.admin,
                                        .counts = server.agones_counts});
    if (!started) return fail(started.error());
    agones = *std::move(started);
  }
  auto threads = start_shards(server);
  if (!threads) return fail(threads.error());
  Supervisor supervisor{server};
  supervisor.run();
  if (agones) agones->shut_down();
  StopDeadline deadline{server};
  if (!end_shards(server, deadline)) {
    // A game that does not return holds its thread, and what the thread uses.
    std::_Exit(cli::to_int(fail("a shard does not end: a tick of a room does not return")));
  }
  for (std::thread& thread : *threads) {
    thread.join();
  }
  supervisor.end();
  Closing closing{server};
  const auto ended = closing.wait(deadline);
  if (agones) {
    (void)deadline.wait({.reserve = kLastLines + kLastRecords},
                        [&] { return agones->is_over(server.signals->stops() > 0); });
  }
  if (ended) {
    wait_for_followers(server, deadline);
    server.admin->stop();
    server.log.event(Severity::Info, {"stopped"});
  }
  // The last lines go to streams that may be stuck, so nothing waits for them beyond the deadline.
  const StopDeadline::Limits last_lines{.latest = server.clock.now() + kLastLines};
  BackgroundCall<cli::ExitCode> report;
  report.begin("report", [&, ticks = server.progress().ticks] {
    if (!ended) return fail(ended.error());
    if (!announcement.json) return cli::ExitCode::Done;
    const auto written = os::write_to_stdout(stopped_document(server, ticks));
    return written ? cli::ExitCode::Done : fail(written.error());
  });
  std::optional<cli::ExitCode> code;
  const bool is_reported =
      deadline.wait(last_lines, [&] { return code || (code = report.poll()); });
  const bool is_logged = deadline.wait(last_lines, [&] { return log.status().waiting == 0; });
  if (!is_reported) code = ended ? cli::ExitCode::Done : cli::ExitCode::Failed;
  if (closing.is_stuck() || supervisor.is_server_used() || !is_reported || !is_logged ||
      out.is_stuck()) {
    std::_Exit(cli::to_int(*code));
  }
  return *code;
}

}  // namespace tickbox::server
