#pragma once
// The one loop that drives a server.

#include "core/clock.h"
#include "server/host/metrics_text.h"
#include "server/host/server.h"
#include "server/host/service_end.h"
#include "server/shard/paced_logs.h"
#include "server/shard/tick_pacer.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tickbox::server {

/// Drains the socket, ticks, publishes and handles signals. The shard has no clock, the pacer no
/// thread, and the recording's file has a thread of its own.
class TickLoop {
 public:
  /// The first tick is due one period from now.
  explicit TickLoop(Server& server);

  /// Runs until the server is to stop (ServiceEnd), until the room's last tick, or for
  /// options.ticks ticks.
  void run();

  /// Returns the number of ticks that have run.
  [[nodiscard]] std::uint64_t ticks() const { return ticks_; }

  /// Returns when the last tick ended; before the first one, when the loop was made.
  [[nodiscard]] Instant last_tick() const { return last_tick_; }

 private:
  [[nodiscard]] bool is_over();
  void begin_drain();
  [[nodiscard]] std::uint64_t ticks_left() const;
  void run_due_ticks();
  void run_tick(Duration receiving, Duration stalled, bool is_last);
  void reload_files();
  void kick_ordered();
  void log_kicked(std::string_view reason, std::size_t count);
  void log_and_publish();
  void log_lost_lines(Instant now);
  void wait();

  Server& server_;
  Shard& shard_;
  TickPacer pacer_;
  ServiceEnd end_;
  IntervalSummary summary_;
  StallLog stalls_;
  PacedCount lost_lines_;
  std::uint64_t lines_dropped_ = 0;  ///< lines of the log, when it last looked
  OverrunLog overruns_;
  Instant last_tick_;
  Instant published_;
  Duration received_{};  ///< the time that drains have taken since the last tick
  std::uint64_t ticks_ = 0;
  std::uint64_t heard_ = 0;  ///< datagrams received, when it last slept
  int hangups_ = 0;          ///< number of hangup signals handled
  int strays_ = 0;           ///< number of signals without a meaning, logged
};

}  // namespace tickbox::server
