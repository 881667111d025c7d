#pragma once
// The status of a server: what its shards publish for the admin side; its metrics as text for a
// monitoring system, and as a line of the log.

#include "core/clock.h"
#include "core/histogram.h"
#include "core/log_event.h"
#include "os/http/http.h"
#include "os/process/process.h"
#include "server/shard/metrics.h"
#include "server/shard/shard_status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::server {

enum class ServerState : std::uint8_t {
  Starting,
  Ready,
  Draining,  ///< plays on, and takes no new clients
  Stopping,  ///< runs no tick
};

/// Whether a server is ready while every seat is held.
enum class WhenFull : std::uint8_t { Ready, NotReady };

/// The status that the thread of a shard publishes for the admin side, at intervals.
struct ShardStatus {
  Instant at;  ///< when it was published
  Instant last_tick;
  bool has_run = false;  ///< it has run its --ticks, and others may still run theirs
  Metrics metrics;
  std::vector<RoomStatus> rooms;
  RecordingMetrics closed_recordings;  ///< of rooms that are closed

  /// Returns what the rooms have recorded, open and closed.
  [[nodiscard]] RecordingMetrics recording() const;
};

/// The status of the whole server.
struct Status {
  ServerState state = ServerState::Starting;
  WhenFull when_full = WhenFull::Ready;
  std::vector<ShardStatus> shards;  ///< at least one, once it has started

  /// Returns the metrics of all shards together.
  [[nodiscard]] Metrics metrics() const;
  [[nodiscard]] RecordingMetrics recording() const;

  /// Calls `visit(room)` for the open rooms, shard by shard.
  template <class Visit>
  void for_each_room(Visit visit) const {
    for (const ShardStatus& shard : shards) {
      for (const RoomStatus& room : shard.rooms) {
        visit(room);
      }
    }
  }

  /// Returns the oldest time of the last tick of a shard that still ticks, else the newest one of
  /// all. Requires: it has started.
  [[nodiscard]] Instant last_tick() const;
  /// Returns whether no shard has the time for new clients.
  [[nodiscard]] bool refuses_joins() const;
  [[nodiscard]] std::uint64_t seats() const;
  [[nodiscard]] std::uint64_t seats_held() const;
  /// Returns the number of open rooms.
  [[nodiscard]] std::uint64_t rooms() const;
};

/// The facts about a process that are not in Metrics.
struct ProcessFacts {
  std::string version;
  std::string commit;
  std::string simulation_hash;
  std::string server_name{};
  bool has_keys = false;      ///< of its own; else the published key admits everybody
  std::string gateway_url{};  ///< of --gateway-url; empty: none
  os::ProcessUse use{};
  std::vector<os::HttpCount> admin_requests{};
  std::vector<os::HttpCount> agones_requests{};  ///< status 0: without an answer
};

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
