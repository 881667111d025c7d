#pragma once
// The loop that drives a shard of the server.

#include "core/clock.h"
#include "server/host/admin/status.h"
#include "server/host/rooms/shard_host.h"
#include "server/host/server.h"
#include "server/shard/paced_logs.h"
#include "server/shard/tick_time.h"

#include <cstddef>
#include <cstdint>

namespace tickbox::server {

/// Drains the socket, ticks, publishes, and runs the orders of other threads. The shard has no
/// clock, the pacer no thread, and the recordings' files have threads of their own.
/// Thread: the shard's, for all of it.
class TickLoop {
 public:
  /// The first tick is due one period from now.
  TickLoop(Server& server, ShardHost& host);

  /// Runs until it is to stop, until a room's last tick, or for options.ticks ticks.
  void run();

  /// Waits until it is to stop. Then disconnects the clients, and ends the rooms' logs.
  void end();

 private:
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] std::uint64_t ticks_left() const;
  void run_due_ticks();
  void run_tick(Duration receiving, Duration stalled, bool is_last);
  void log_and_publish();
  void log_event(Severity severity, LogEvent event);
  void log_lost_lines(Instant now);
  void publish(Instant now);
  void wait();

  Server& server_;
  ShardHost& host_;
  Shard& shard_;
  TickPacer pacer_;
  IntervalSummary summary_;
  StallLog stalls_;
  PacedCount lost_lines_;
  std::uint64_t lines_dropped_ = 0;  ///< lines of the log, when it last looked
  OverrunLog overruns_;
  Instant last_tick_;  ///< when it ended; before the first one, when the loop was made
  Instant published_;
  Duration received_{};  ///< the time that drains have taken since the last tick
  std::uint64_t ticks_ = 0;
  std::uint64_t heard_ = 0;  ///< datagrams received, when it last slept
};

}  // namespace tickbox::server
