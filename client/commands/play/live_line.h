#pragma once
// The figures of clients that play, as the line that Progress shows.

#include "client/client_stats.h"
#include "core/ids.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::commands {

/// The figures of the progress line; times are 0.5, 0.99 and 0.999 quantiles, in milliseconds.
struct LiveFigures {
  double seconds = 0;     ///< of the measured time, that have passed
  double seconds_of = 0;  ///< the measured time; 0 before it begins
  std::size_t up = 0;
  std::size_t away = 0;    ///< lost their connection, and try to return
  std::size_t failed = 0;  ///< never had a connection, or have lost it for good
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

/// Returns the progress line of many clients.
[[nodiscard]] std::string live_line(const LiveFigures& figures);

/// Returns in words whether the hashes of one client are those of the server; `tick` is that of its
/// newest view.
[[nodiscard]] std::string hash_in_words(const client::ClientStats& stats, Tick tick);

/// Returns the figures of one client's link and predictions, each in a few words.
[[nodiscard]] std::vector<std::string> link_in_words(const client::ClientStats& stats);

/// Returns the progress line of one client; `tick` is that of its newest view.
[[nodiscard]] std::string live_line(const client::ClientStats& stats, Tick tick);

}  // namespace tickbox::commands
