#pragma once
// The results of a load run, and the figures made of them.

#include "client/client_stats.h"
#include "client/commands/document.h"
#include "client/commands/load/server_watch.h"
#include "core/histogram.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::commands {

/// The server's figures over the measured time.
struct ServerFigures {
  CumulativeBuckets tick_seconds;
  double overruns = 0;
  double skipped = 0;  ///< ticks that were due and never ran
  double rate_held = 0;
  double cpu_percent = 0;
  double resident_bytes = 0;
};

struct LoadReport {
  std::optional<std::uint64_t> first_client{};  ///< the id of the first client; empty with --token
  std::uint64_t clients_asked = 0;
  std::uint64_t clients_connected = 0;  ///< at any time
  std::uint64_t clients_dropped = 0;
  std::uint64_t clients_checked = 0;     ///< those that have compared a hash
  std::uint64_t clients_rejoined = 0;    ///< outages that ended with a seat
  std::uint64_t clients_moved = 0;       ///< hand-overs to another server
  std::uint64_t matches_ended = 0;       ///< while they played
  double seconds = 0;                    ///< measured time
  bool was_stopped = false;              ///< before the end of its time
  std::vector<double> snapshot_rates{};  ///< per second, of each client that connected
  client::ClientStats stats{};           ///< of all clients, since they connected
  std::uint64_t bytes_down = 0;          ///< of all clients, during the measured time
  std::uint64_t bytes_up = 0;
  bool was_restarted = false;              ///< the server, so that its figures are not known
  std::optional<ServerFigures> server{};   ///< empty without --admin, or without an answer
  std::optional<ServerFigures> joining{};  ///< before the measured time, while the clients join
  std::uint64_t generator_threads = 1;
  std::optional<double> generator_cpu_percent{};  ///< empty if no client connected
  Histogram outages{};                            ///< microseconds
  Histogram lateness{};                           ///< microseconds
  double late_share = 0;           ///< of the time, 0 to 1; later than a tick; of the worst thread
  bool is_part_saturated = false;  ///< of a merge: any of its parts
  double tick_ms = 0;              ///< the tick period; 0 if no client connected
  std::string game{};              ///< empty as well
  std::uint32_t game_version = 0;
};

/// Returns the server's figures between two samples. `ticks_seen` is the number of ticks that its
/// clients saw pass in `seconds_seen`.
[[nodiscard]] std::optional<ServerFigures> figures_between(const ServerSample& before,
                                                           const ServerSample& after,
                                                           double ticks_seen, double seconds_seen);

/// Returns all figures of the document.
[[nodiscard]] Figures figures_of(const LoadReport& report);

/// Returns whether the server reports the figure of this path, which is then null without --admin.
[[nodiscard]] bool is_told_by_server(std::string_view path);

/// The least share of the due ticks that a server must run to hold its rate.
inline constexpr double kRateHeldMin = 0.99;

/// The largest share of the time in which the load generator may be late: a quantile of 0.99 does
/// not see more.
inline constexpr double kLateShareMax = 0.01;

/// The longest pause of the load generator with which it can judge. A client that was paused for
/// longer leaves out ticks.
inline constexpr double kLateMaxMs = 250;

/// Returns whether the load generator itself was too late for the figures to describe the server:
/// one in a hundred polls later than a tick, or too large a share of the time, or one long pause.
/// `lateness`: of its polls, in microseconds. `tick_ms`: 0 if no client has connected.
[[nodiscard]] bool is_too_late(const Histogram& lateness, double late_share, double tick_ms);

/// Returns the same of the measured time of a run.
[[nodiscard]] bool is_saturated(const LoadReport& report);

}  // namespace tickbox::commands
