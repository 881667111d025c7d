#pragma once
// What a load run found, and the figures and words made of it.

#include "client/client_stats.h"
#include "client/commands/document.h"
#include "client/commands/load/server_watch.h"
#include "core/histogram.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::commands {

/// The server's figures over the measured time.
struct ServerFigures {
  BucketCounts tick_seconds;
  double overruns = 0;
  double rate_held = 0;
  double cpu_percent = 0;
  double resident_bytes = 0;
};

struct LoadReport {
  std::uint64_t clients_asked = 0;
  std::uint64_t clients_connected = 0;  ///< ever
  std::uint64_t clients_dropped = 0;
  double seconds = 0;                    ///< measured
  bool was_stopped = false;              ///< before its time was up
  std::vector<double> snapshot_rates{};  ///< per second, of each client that connected
  client::ClientStats stats{};           ///< of all clients, since they connected
  std::uint64_t bytes_down = 0;          ///< of all clients, while measured
  std::uint64_t bytes_up = 0;
  std::optional<ServerFigures> server{};          ///< nothing without --admin
  std::optional<double> generator_cpu_percent{};  ///< nothing where nobody connected
  Histogram lateness{};                           ///< microseconds
  double tick_ms = 0;                             ///< the tick's period; 0 when nobody connected
};

/// What was seen of a server between two moments; `ticks_seen` are those its clients saw pass.
[[nodiscard]] std::optional<ServerFigures> figures_between(const ServerSample& before,
                                                           const ServerSample& after,
                                                           double ticks_seen, double seconds_seen);

/// Every path of the document, with its value.
[[nodiscard]] Figures figures_of(const LoadReport& report);

/// Whether a path is the server's to tell, and so null without --admin.
[[nodiscard]] bool is_told_by_server(std::string_view path);

/// Whether the generator itself was too late to say anything about the server.
[[nodiscard]] bool is_saturated(const LoadReport& report);

}  // namespace tickbox::commands
