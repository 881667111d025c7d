#pragma once
// Checks that memory does not grow: the live bytes of the match, without those of the test itself.
// A buffer may be long for a moment, for example when a server stalls. So the median early in a run
// is compared with the median late in it.

#include "core/clock.h"
#include "tests/simulator/checks/findings.h"

#include <cstdint>
#include <vector>

namespace tickbox::simulator {

/// Median live bytes; 0 in a run that is too short to tell.
struct MemoryCounts {
  std::uint64_t early = 0;  ///< in the second quarter, after everything has started
  std::uint64_t late = 0;   ///< in the last quarter
};

class MemoryCheck {
 public:
  /// In shorter runs, clients that come and go weigh more than a leak.
  static constexpr Duration kShortest = std::chrono::minutes{20};

  explicit MemoryCheck(Findings& findings) : findings_(findings) {}

  /// Samples the live bytes. Call it at equal intervals.
  void look();

  /// Compares the medians at the end of a run.
  void look_back(Duration played);

  [[nodiscard]] const MemoryCounts& counts() const { return counts_; }

 private:
  Findings& findings_;
  std::vector<std::uint64_t> seen_;  ///< live bytes at each look
  MemoryCounts counts_;
};

}  // namespace tickbox::simulator
