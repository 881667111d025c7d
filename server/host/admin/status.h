#pragma once
// The metrics as text: for a monitoring system, and as a line of the log.

#include "core/clock.h"
#include "core/histogram.h"
#include "core/log_event.h"
#include "os/http/http.h"
#include "os/process/process.h"
#include "server/shard/metrics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::server {

/// The facts about a process that are not in Metrics.
struct ProcessFacts {
  std::string version;
  std::string commit;
  std::string simulation_hash;
  std::string server_name{};
  os::ProcessUse use{};
  std::vector<os::HttpCount> admin_requests{};
  std::vector<os::HttpCount> agones_requests{};  ///< status 0: without an answer
};

struct Status;

/// Returns the metrics in the text format of Prometheus, version 0.0.4: of all shards and rooms
/// together. Requires: the server has started.
[[nodiscard]] std::string exposition(const Status& status, const ProcessFacts& process);

/// What the summary says of the rooms.
struct SummaryOfRooms {
  std::uint64_t entities = 0;
  std::uint64_t recording_bytes = 0;
};

/// The interval of the summary that the server logs, so that a log alone shows how the server ran.
inline constexpr Duration kSummaryInterval = std::chrono::seconds{10};

class IntervalSummary {
 public:
  explicit IntervalSummary(Instant start) : since_(start) {}

  /// Adds a tick that took this long, in nanoseconds.
  void add_tick(std::uint64_t nanoseconds) { ticks_.add(nanoseconds); }

  [[nodiscard]] bool due(Instant now) const { return now - since_ >= kSummaryInterval; }

  /// Returns the event for the time since the last one, and begins the next interval.
  [[nodiscard]] LogEvent consume(const Metrics& metrics, const SummaryOfRooms& rooms, Instant now);

 private:
  Instant since_;
  Histogram ticks_;
  Traffic before_;
  std::uint64_t drops_before_ = 0;
};

}  // namespace tickbox::server
