#pragma once
// The document of GET /v1/status: all that the live page shows of a server but its rooms' logs, and
// what `load` reads of it; and the newest lines of the log, which it has.

#include "core/clock.h"
#include "core/log_event.h"
#include "server/host/admin/status.h"
#include "server/shard/shard_status.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace tickbox::server {

struct RecentLine {
  std::uint64_t number = 0;  ///< of all lines, from 1
  WallTime time;
  Severity severity = Severity::Info;
  std::string text{};
};

/// Whether lines have the addresses of clients.
enum class Addresses : std::uint8_t { LeftOut, Shown };

/// The newest lines of the log, for those who watch the server in a browser.
/// Thread: any. Cost: formats a line, and locks for a few instructions, as AsyncLog does.
class RecentLog {
 public:
  static constexpr std::size_t kLinesMax = 100;
  /// A longer line is cut.
  static constexpr std::size_t kLineBytesMax = 500;

  void add(WallTime time, Severity severity, const LogEvent& event);

  /// Returns the lines that follow the one with this number, the oldest first. With LeftOut, none
  /// has a field `address`.
  [[nodiscard]] std::vector<RecentLine> after(std::uint64_t number, Addresses addresses) const;

 private:
  struct Line {
    RecentLine shown;
    std::string without_address;  ///< empty: the same
  };

  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<const Line>> lines_;
  std::uint64_t count_ = 0;
};

/// Whether the document has the clients and the last lines of the log, which tell of players.
enum class StatusReader : std::uint8_t { Page, Load };

/// The parts of the document beside Status.
struct StatusParts {
  const ProcessFacts& process;
  std::span<const std::string> addresses;  ///< at which clients connect, by shard
  Instant now;
  Instant began;         ///< when the admin side began to answer
  bool records = false;  ///< whether the server was asked for a recording
  StatusReader reader = StatusReader::Page;
  Instant clients_at;  ///< when `clients` was copied
  std::span<const ClientStatus> clients{};
  std::span<const RecentLine> log{};
};

/// Returns the document. Counts are since the start, each with the time at which it was read, so
/// that two documents make a rate. Requires: `status` is of a server that has started.
[[nodiscard]] std::string status_document(const Status& status, const StatusParts& parts);

}  // namespace tickbox::server
