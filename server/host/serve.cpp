#include "server/host/serve.h"

#include "os/process/process.h"
#include "os/process/standard_output.h"
#include "server/host/closing.h"
#include "server/host/fleet/agones_client.h"
#include "server/host/supervisor.h"
#include "server/host/tick_loop.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <expected>
#include <memory>
#include <string>
#include <thread>
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
