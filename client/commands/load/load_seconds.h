#pragma once
// The seconds of a load run: each a line of --results, and together the columns of --report.

#include "client/commands/load/load_figures.h"
#include "client/commands/play/swarm.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tickbox::commands {

/// One client in the second. Values that are not known are below 0.
struct ClientSample {
  float snapshot_gap_ms = -1;  ///< mean gap between two views, each weighed by its own length
  float rtt_ms = -1;           ///< mean
  float corrected = -1;        ///< predictions
};

struct LoadSecond {
  std::vector<SecondFigure> figures{};
  std::vector<ClientSample> clients{};
};

/// What the progress line of a run shows besides its last second.
struct LiveMoment {
  double seconds = 0;     ///< of the measured time, that have passed
  double seconds_of = 0;  ///< the measured time; 0 before it begins
  SwarmStates states{};
  std::uint64_t hashes_mismatched = 0;  ///< so far
  bool server_is_silent = false;
};

/// Returns the progress line of a run. Its alarms come first.
[[nodiscard]] std::string live_line(const LoadSecond& last, const LiveMoment& moment);

/// Joins the second after `second` to it. Counts add up; of everything else the worse one stays.
void join(LoadSecond& second, const LoadSecond& later);

/// Returns the second as a line of --results.
[[nodiscard]] std::string to_line(const LoadSecond& second);

/// The most columns of a run, which a wide screen can show: twelve minutes at one a second.
inline constexpr std::size_t kColumnsMax = 720;
/// The most columns times clients. With more than 416 clients there are fewer columns, so that the
/// report stays below 5 MB.
inline constexpr std::size_t kCellsMax = 300'000;

/// The seconds of a whole run in bounded memory: a long run has fewer, longer ones.
class LoadTimeline {
 public:
  /// `clients`: of each second.
  explicit LoadTimeline(std::size_t clients)
      : columns_max_(std::min(kColumnsMax, kCellsMax / std::max<std::size_t>(clients, 1)) / 2 * 2) {
  }

  /// Adds the next second. If there is no space, each two neighbours become one, and so do those
  /// that follow.
  void add(LoadSecond&& second);

  [[nodiscard]] std::span<const LoadSecond> columns() const { return columns_; }

 private:
  std::size_t columns_max_;  ///< even
  std::vector<LoadSecond> columns_{};
  std::size_t joined_ = 1;   ///< added seconds in each column but perhaps the last
  std::size_t in_last_ = 0;  ///< added seconds in the last one
};

}  // namespace tickbox::commands
