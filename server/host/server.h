#pragma once
// Everything a running server owns: its shards, and the sockets, files, signals and clocks that
// they are connected with.

#include "core/clock.h"
#include "desync/files.h"
#include "engine/identity.h"
#include "os/files/file_sink.h"
#include "os/process/log.h"
#include "os/process/signals.h"
#include "os/process/steady_clock.h"
#include "server/host/admin/admin_server.h"
#include "server/host/admin/status_document.h"
#include "server/host/base/options.h"
#include "server/host/fleet/agones_client.h"
#include "server/host/rooms/rooms_option.h"
#include "server/host/rooms/served_room.h"
#include "server/host/rooms/shard_host.h"
#include "server/host/watched_file.h"
#include "server/shard/log.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::server {

/// The log of the shards as lines of the system's log, the newest also for the admin side.
/// Thread: any.
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

/// How far a server is, as ShardProgress.
struct ServerProgress {
  std::uint64_t ticks = 0;
  std::size_t clients = 0;
  std::uint32_t seats_held = 0;
};

/// The members are in the order of construction: each uses only those above it.
struct Server {
  /// All arguments must outlive the object.
  Server(const Options& with, engine::Games of, const os::AsyncLog& to)
      : options(with), games(of), log(to) {}

  /// Makes all of it; the shards do not run yet. Fails: with one line.
  [[nodiscard]] std::expected<void, std::string> open();

  /// Returns how far the shards are together: the most ticks of one, and the sums of clients and
  /// seats held. Thread: any.
  [[nodiscard]] ServerProgress progress() const;

  /// Counts what is outside of the shards. Thread: any, one at a time.
  void count_outside(Metrics& metrics) const;

  const Options& options;
  engine::Games games;
  OsLog log;
  FileShares shares;
  os::SteadyClock clock;
  os::SystemCalendar calendar;
  std::optional<os::StopSignals> signals;  ///< set once files are read and names are looked up:
                                           ///< both may block, and until then a signal ends the
                                           ///< process
  os::SystemEntropy entropy;
  WatchedFile<FileOfKeys> keys{watched_keys(options)};
  WatchedFile<DenyList> deny_file{watched_deny_file(options)};
  AgonesCounts agones_counts;
  std::unique_ptr<AdminServer> admin;
  std::unique_ptr<desync::Files> desyncs;
  std::unique_ptr<os::FileSink> results;  ///< the file of --match-results
  RecordingFolder recordings{recording_folder_of(options)};
  RoomOpener rooms{
      options, games, {.calendar = calendar, .entropy = entropy, .log = log, .folder = recordings}};
  std::vector<std::unique_ptr<ShardHost>> shards;
  std::vector<std::unique_ptr<ClosingRoom>> closing;  ///< used by the main thread, as what follows

 private:
  std::expected<void, std::string> open_sockets();
  std::expected<void, std::string> open_admin();
  std::expected<void, std::string> open_files();
  std::expected<FileOfKeys, std::string> open_keys();
  std::expected<DenyList, std::string> open_deny_file();
  std::expected<void, std::string> open_shards();
};

}  // namespace tickbox::server
