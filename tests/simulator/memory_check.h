#pragma once
// Memory stays where it was, whenever a recording has just ended: what this program's own operator
// new has given out, so of nothing but this run.

#include "tests/simulator/findings.h"

#include <cstdint>

namespace tickbox::simulator {

/// Live bytes; 0 where nobody has looked.
struct MemoryCounts {
  std::uint64_t settled = 0;  ///< at most while it was warming up
  std::uint64_t later = 0;    ///< at most since
};

class MemoryCheck {
 public:
  explicit MemoryCheck(Findings& findings) : findings_(findings) {}

  void look();

  [[nodiscard]] const MemoryCounts& counts() const { return counts_; }

 private:
  Findings& findings_;
  std::uint32_t looks_ = 0;
  MemoryCounts counts_;
};

}  // namespace tickbox::simulator
