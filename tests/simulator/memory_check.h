#pragma once
// Memory stays where it was, whenever a recording has just ended: what this program's own operator
// new has given out, so of nothing but this run.

#include "tests/simulator/findings.h"

#include <cstdint>

namespace tickbox::simulator {

class MemoryCheck {
 public:
  explicit MemoryCheck(Findings& findings) : findings_(findings) {}

  void look();

 private:
  Findings& findings_;
  std::uint32_t looks_ = 0;
  std::uint64_t most_ = 0;  ///< bytes, while it was warming up
};

}  // namespace tickbox::simulator
