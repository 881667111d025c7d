#pragma once
// The live line on stderr: rewritten on a terminal, now and then a line of its own elsewhere. A
// terminal has room for its beginning, so what somebody must act on comes first, and what merely is
// goes last.

#include "client/client_stats.h"
#include "core/clock.h"
#include "core/ids.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::commands {

/// Who sees the live line.
enum class ProgressFor : std::uint8_t {
  Nobody,
  Terminals,  ///< only where stderr is one
  Everybody,  ///< a line every few seconds where it is none
};

class Progress {
 public:
  Progress(ProgressFor audience, Instant now);

  /// Whether a line is wanted now; asks once a second at most.
  [[nodiscard]] bool due(Instant now);

  void show(const std::string& line);

  /// Clears the line on a terminal, before anything else is written.
  void clear();

 private:
  bool terminal_ = false;
  bool shown_ = false;
  Instant next_;
  std::size_t width_ = 0;  ///< of what stands on the terminal
};

/// Times as 0.5, 0.99 and 0.999 quantiles, in milliseconds.
struct LiveFigures {
  std::size_t up = 0;
  std::size_t failed = 0;
  std::uint64_t hashes_mismatched = 0;
  bool server_is_silent = false;
  std::optional<double> server_tick_ms_p99{};
  double gap_ms_p50 = 0;
  double gap_ms_p99 = 0;
  double gap_ms_p999 = 0;
  double rtt_ms_p50 = 0;
  double rtt_ms_p99 = 0;
  double late_ms_p99 = 0;
  double cpu_percent = 0;
  double snapshots_per_second = 0;
  std::uint64_t corrections = 0;
  double megabytes_down_per_second = 0;
  double megabytes_up_per_second = 0;
};

/// Of many clients.
[[nodiscard]] std::string live_line(const LiveFigures& figures);

/// Of one, whose newest view is of `tick`.
[[nodiscard]] std::string live_line(const client::ClientStats& stats, Tick tick);

}  // namespace tickbox::commands
