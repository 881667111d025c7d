#pragma once
// The line that is shown while clients play. A terminal has room for its beginning, so what
// somebody must act on comes first, and what merely is goes last.

#include "client/client_stats.h"
#include "core/ids.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::commands {

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
