#pragma once
// The figures of about one second of a load run: a line of --results, and a column of --report.

#include "client/client_stats.h"
#include "client/commands/document.h"
#include "client/commands/play/swarm.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tickbox::commands {

/// Quantiles of what was measured in the second.
struct Spread {
  double p50 = 0;
  double p99 = 0;
  double max = 0;
};

/// One client in the second. Values that are not known are below 0.
struct ClientSample {
  float snapshot_gap_ms = -1;  ///< mean gap between two views, each weighed by its own length
  float rtt_ms = -1;           ///< mean
  float corrected = -1;        ///< predictions
};

struct LoadSample {
  double at = 0;         ///< end of the second, in seconds since the run began
  double seconds = 0;    ///< its length
  bool joining = false;  ///< began before the measured time
  SwarmStates states{};
  std::optional<Spread> snapshot_gap_ms{};
  std::optional<Spread> rtt_ms{};
  std::optional<Spread> bytes_down{};  ///< per second, over the clients
  std::optional<Spread> bytes_up{};
  std::uint64_t hashes_checked = 0;
  std::uint64_t hashes_mismatched = 0;
  client::PredictionCounts untouched{};
  client::PredictionCounts touched{};
  std::uint64_t corrected = 0;
  // The server's. Empty without --admin, or without an answer.
  std::optional<Spread> tick_ms{};
  std::optional<std::uint64_t> tick_overruns{};
  std::optional<std::uint64_t> ticks_skipped{};
  std::optional<double> server_cpu_percent{};
  std::optional<double> server_rss_bytes{};
  // The generator's.
  std::optional<double> generator_cpu_percent{};
  std::optional<Spread> late_ms{};
  double late_share = 0;
  bool is_too_late = false;  ///< the other figures may be those of the generator itself
  std::vector<ClientSample> clients{};
};

/// Returns all figures but those of each client, with the paths of the document where it has them.
[[nodiscard]] Figures figures_of(const LoadSample& sample);

/// Adds the second after `sample` to it. Counts add up; of everything else the worse one stays.
void merge(LoadSample& sample, const LoadSample& later);

/// Returns the sample as a line of --results.
[[nodiscard]] std::string to_line(const LoadSample& sample);

/// A list of values by client of one of its figures, for each figure of a client: its name and
/// where it is.
struct ClientFigure {
  const char* name;
  float ClientSample::* value;
};

[[nodiscard]] std::span<const ClientFigure> client_figures();

}  // namespace tickbox::commands
