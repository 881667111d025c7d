#pragma once
// The random numbers from which the worlds are drawn: a sequence for each kind of world and size.

#include "core/rng.h"

#include <cstdint>

namespace tickbox::bench {

class Draws {
 public:
  Draws(int kind, int n)
      : rng_(static_cast<std::uint64_t>(kind) * 1'000'003 + static_cast<std::uint64_t>(n)) {}

  /// From 0 up to, not including, 1.
  double next() { return static_cast<double>(rng_.next() >> 11) * 0x1p-53; }

  /// From −1 up to, not including, 1.
  double next_signed() { return 2 * next() - 1; }

 private:
  Rng rng_;
};

}  // namespace tickbox::bench
