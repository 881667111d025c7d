#pragma once
// Everything a running server owns: the shard, and the sockets, files, signals and clocks that it
// is connected with.

#include "cli/desync_file.h"
#include "core/clock.h"
#include "engine/identity.h"
#include "os/files/file_sink.h"
#include "os/net/udp_transport.h"
#include "os/process/log.h"
#include "os/process/signals.h"
#include "os/process/steady_clock.h"
#include "server/host/admin/admin_server.h"
#include "server/host/admin/recent_log.h"
#include "server/host/deny_file.h"
#include "server/host/options.h"
#include "server/host/recordings/recordings.h"
#include "server/host/server_keys.h"
#include "server/match/match.h"
#include "server/shard/log.h"
#include "server/shard/shard.h"

#include <expected>
#include <memory>
#include <optional>
#include <string>

namespace tickbox::server {

/// The log of the shard as lines of the system's log, the newest also for the admin side.
class OsLog final : public Log {
 public:
  explicit OsLog(const os::AsyncLog& log) : log_(log) {}

  void event(Severity severity, const LogEvent& event) override {
    log_.write(severity, event);
    if (log_.takes(severity)) recent_.add(calendar_.now(), severity, event);
  }

  [[nodiscard]] os::LogStatus status() const { return log_.status(); }

  [[nodiscard]] const os::AsyncLog& sink() const { return log_; }

  [[nodiscard]] const RecentLog& recent() const { return recent_; }

 private:
  const os::AsyncLog& log_;
  os::SystemCalendar calendar_;
  RecentLog recent_;
};

/// The members are in the order of construction: each uses only those above it.
struct Server {
  /// Both arguments must outlive the object.
  Server(const Options& with, const os::AsyncLog& to) : options(with), log(to) {}

  /// Makes all of it. Fails: with one line.
  [[nodiscard]] std::expected<void, std::string> open(engine::Games games);

  /// Copies the status for the admin side.
  void publish(ServerState state, Instant last_tick);

  const Options& options;
  OsLog log;
  os::SteadyClock clock;
  os::SystemCalendar calendar;
  std::optional<os::StopSignals> signals;  ///< set once files are read and names are looked up:
                                           ///< both may block, and until then a signal ends the
                                           ///< process
  os::SystemEntropy entropy;
  ServerKeys keys{options, log};
  DenyFile deny_file{options, log};
  std::unique_ptr<os::UdpTransport> transport;
  std::unique_ptr<AdminServer> admin;
  std::unique_ptr<Match> match;
  std::unique_ptr<Recordings> recordings;
  std::unique_ptr<cli::DesyncFiles> desyncs;
  std::unique_ptr<os::FileSink> results;  ///< the file of --match-results
  std::optional<Shard> shard;
  ClientList clients;  ///< the last copy for the admin side

 private:
  std::expected<void, std::string> open_sockets();
  std::expected<void, std::string> open_files(const engine::Identity& identity, std::uint64_t seed);
};

}  // namespace tickbox::server
