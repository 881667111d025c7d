#include "server/host/serve.h"

#include "os/process/standard_output.h"
#include "server/host/closing.h"
#include "server/host/tick_loop.h"

#include <cstdlib>
#include <string>

namespace tickbox::server {
namespace {

/// The time for the last packets to reach the last client.
constexpr Duration kLastWords = std::chrono::milliseconds{20};

/// The time for the end of the log to reach its followers.
constexpr Duration kLastRecords = std::chrono::milliseconds{200};
/// The time for the log and stdout to take their last lines, if all else is closed in time.
constexpr Duration kLastLines = std::chrono::seconds{1};

/// Disconnects the clients, and takes no new ones.
void disconnect_clients(Server& server, const TickLoop& loop) {
  server.log.event(Severity::Info,
                   {"stopping", {{"clients", server.shard->clients()}, {"ticks", loop.ticks()}}});
  server.publish(ServerState::Stopping, loop.last_tick());
  server.shard->stop(server.clock.now());
  server.recordings->recorder().finish();
  os::sleep_until(server.clock.now() + kLastWords);
}

/// Lets the followers of the log read its end.
void wait_for_followers(const Server& server, StopDeadline& deadline) {
  const Instant begun = server.clock.now();
  const auto log = server.recordings->recorder().tail();
  (void)deadline.wait(Duration::zero(), [&] {
    return log->followers() == 0 || server.clock.now() - begun >= kLastRecords;
  });
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
  Server server{options, log};
  StdoutWriter out;
  const auto fail = [&](const std::string& why) {
    return report_failure(options.programs, announcement, log, cli::ExitCode::Failed, why);
  };
  if (const auto opened = server.open(games); !opened) return fail(opened.error());
  if (const auto announced = announce_ready(server, announcement, out); !announced) {
    return report_failure(options.programs, {}, log, cli::ExitCode::Failed, announced.error());
  }
  TickLoop loop{server};
  loop.run();
  StopDeadline deadline{server};
  disconnect_clients(server, loop);
  Closing closing{server};
  const auto ended = closing.wait(deadline);
  if (ended) {
    wait_for_followers(server, deadline);
    server.admin->stop();
    server.log.event(Severity::Info, {"stopped"});
  }
  // The last lines go to streams that may be stuck, so nothing waits for them beyond the deadline.
  const Instant told = server.clock.now();
  const auto in_time = [&](auto condition) {
    return deadline.wait(Duration::zero(), [&] {
      return condition() || server.clock.now() - told >= kLastLines;
    }) && condition();
  };
  BackgroundCall<cli::ExitCode> report;
  report.begin("report", [&, ticks = loop.ticks()] {
    if (!ended) return fail(ended.error());
    if (!announcement.json) return cli::ExitCode::Done;
    const auto written = os::write_to_stdout(stopped_document(server, ticks));
    return written ? cli::ExitCode::Done : fail(written.error());
  });
  std::optional<cli::ExitCode> code;
  const bool is_reported = in_time([&] { return code || (code = report.poll()); });
  const bool is_logged = in_time([&] { return log.status().waiting == 0; });
  if (!is_reported) code = ended ? cli::ExitCode::Done : cli::ExitCode::Failed;
  if (closing.is_stuck() || !is_reported || !is_logged || out.is_stuck()) {
    std::_Exit(cli::to_int(*code));
  }
  return *code;
}

}  // namespace tickbox::server
