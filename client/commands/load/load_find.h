#pragma once
// `load --find`: measures with one number of clients after another, and says with how many the
// requirements hold and what the limit is.

#include "client/commands/document.h"
#include "client/commands/load/load_verdict.h"

#include <cstddef>
#include <expected>
#include <functional>
#include <string_view>
#include <vector>

namespace tickbox::commands {

struct FindParts {
  std::size_t most = 0;  ///< clients. Requires: above 0
  /// The first number tried, or more: with fewer clients some figure is not known.
  std::size_t least = 1;
  double seconds = 0;  ///< for which each run measures
  const std::vector<Requirement>& requirements;
  /// Measures with this number of clients. Fails: with the verdict of a run that has not begun.
  std::function<std::expected<LoadMeasured, LoadVerdict>(std::size_t clients)> measure;
  std::function<void(std::string_view words)> print_note;  ///< before and after each step
};

/// The use of a processor by each of its threads at which the generator counts as full.
inline constexpr double kGeneratorCpuMax = 95;

/// The largest growth of the loss, of 1, with which the network is no limit.
inline constexpr double kLossGrowthMax = 0.01;

/// Measured for less than this, in seconds, a p99 of ticks is that of a few of them.
inline constexpr double kFindSecondsMin = 10;

/// Searches for the largest number of clients at which all requirements hold.
///
/// The first number is a sixteenth of the most. It doubles until one does not hold. Then it is the
/// middle between the largest that holds and the smallest that does not, until these two are 5 %
/// apart. They are measured again, because a number that was measured once may be luck. A number
/// with which the generator was late does not count at once: a busy machine may have held it up.
///
/// Ends earlier if a hash differs, nobody can connect, a figure of the requirements is not known,
/// or the run was stopped. The result has what was measured with the largest number of clients that
/// held each time. It has the last step instead if there is no such number, and if a hash differs
/// or the server is gone. Fails: as `measure` does.
[[nodiscard]] std::expected<LoadResult, LoadVerdict> find_clients(const FindParts& parts);

}  // namespace tickbox::commands
