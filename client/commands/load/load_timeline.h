#pragma once
// The samples of a whole run in bounded memory: a long run has fewer, longer ones.

#include "client/commands/load/load_sample.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tickbox::commands {

/// The most samples of a run, which a wide screen can show: twelve minutes at one a second.
inline constexpr std::size_t kColumnsMax = 720;
/// The most samples times clients. With more than a thousand clients there are fewer samples, so
/// that the report stays below 5 MB.
inline constexpr std::size_t kCellsMax = 720'000;

class LoadTimeline {
 public:
  /// `clients`: of each sample.
  explicit LoadTimeline(std::size_t clients);

  /// Adds the sample of the next second. If there is no space, each two neighbours become one, and
  /// so do those that follow.
  void add(LoadSample&& sample);

  [[nodiscard]] std::span<const LoadSample> samples() const { return samples_; }

  /// Returns the number of seconds in each sample but perhaps the last.
  [[nodiscard]] std::size_t seconds_per_sample() const { return merged_; }

 private:
  std::size_t samples_max_;  ///< even
  std::vector<LoadSample> samples_{};
  std::size_t merged_ = 1;   ///< added samples in each of samples_
  std::size_t in_last_ = 0;  ///< added samples in the last one
};

}  // namespace tickbox::commands
