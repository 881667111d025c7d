#include "server/host/serve.h"

#include "os/process/standard_output.h"
#include "os/process/steady_clock.h"
#include "server/host/recordings/recording_close.h"
#include "server/host/server.h"
#include "server/host/tick_loop.h"

#include <fmt/core.h>

#include <cstdlib>
#include <string>

namespace tickbox::server {
namespace {

/// The time for the last packets to reach the last client.
constexpr Duration kLastWords = std::chrono::milliseconds{20};

cli::ExitCode fail(const Options& options, const Announcement& announcement,
                   const std::string& why) {
  return cli::tell_failure({.name = options.programs.server, .json = announcement.json},
                           cli::ExitCode::Failed, why);
}

/// Disconnects the clients, and takes no new ones.
void disconnect_clients(Server& server, const TickLoop& loop) {
  server.log.event(Severity::Info, fmt::format("stopping clients={} ticks={}",
                                               server.shard->clients(), loop.ticks()));
  server.publish(ServerState::Draining, loop.last_tick());
  server.shard->stop(server.clock.now());
  os::sleep_until(server.clock.now() + kLastWords);
}

}  // namespace

cli::ExitCode serve(const Options& options, engine::Games games, const Announcement& announcement,
                    const os::Log& log) {
  Server server{options, log};
  if (const auto opened = server.open(games); !opened)
    return fail(options, announcement, opened.error());
  if (const auto announced = announce_ready(server, announcement); !announced) {
    return fail(options, {}, announced.error());
  }
  TickLoop loop{server};
  loop.run();
  disconnect_clients(server, loop);
  RecordingClose recording{server};
  auto ended = recording.wait();
  if (ended && server.results) ended = server.results->close();
  if (ended) {
    server.admin->stop();
    server.log.event(Severity::Info, "stopped");
    if (announcement.json) ended = os::write_to_stdout(stopped_document(server, loop.ticks()));
  }
  const cli::ExitCode code =
      ended ? cli::ExitCode::Done : fail(options, announcement, ended.error());
  if (recording.is_stuck()) std::_Exit(cli::to_int(code));
  return code;
}

}  // namespace tickbox::server
