#pragma once
// Memory stays where it was: what this program's own operator new has given out to the match,
// without what the test itself keeps. A buffer may be long for a moment, as where a server stalls;
// so it is the usual amount that is compared, early in a run with late.

#include "core/clock.h"
#include "tests/simulator/findings.h"

#include <cstdint>
#include <vector>

namespace tickbox::simulator {

/// Live bytes, as they usually were; 0 in a run that is too short to tell.
struct MemoryCounts {
  std::uint64_t early = 0;  ///< in its second quarter: what begins has begun
  std::uint64_t late = 0;   ///< in its last
};

class MemoryCheck {
 public:
  /// In less, clients that come and go weigh more than a leak.
  static constexpr Duration kShortest = std::chrono::minutes{20};

  explicit MemoryCheck(Findings& findings) : findings_(findings) {}

  /// To be called at equal intervals.
  void look();

  /// At the end of a run.
  void look_back(Duration played);

  [[nodiscard]] const MemoryCounts& counts() const { return counts_; }

 private:
  Findings& findings_;
  std::vector<std::uint64_t> seen_;  ///< live bytes at each look
  MemoryCounts counts_;
};

}  // namespace tickbox::simulator
