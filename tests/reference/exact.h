#pragma once
// Numbers without any rounding, and moments that are known up to what the time lattice takes off.

#include "sim/motion.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <optional>

namespace tickbox::test {

using Rational = boost::multiprecision::cpp_rational;

/// In ticks: one fine step.
inline const Rational kFineStep{1, sim::kFineSteps};

/// A moment of the continuous tick, in ticks from its start, and where on the lattice it may be:
/// less than `slack` fine steps earlier, and exactly there where `slack` is 0.
struct Instant {
  Rational time;
  int slack = 0;
  std::optional<sim::Axis> clock;  ///< two of one clock are earlier by the same amount

  [[nodiscard]] Rational earliest() const { return time - slack * kFineStep; }
};

/// Whether a is certainly before b, on the lattice too.
[[nodiscard]] inline bool surely_before(const Instant& a, const Instant& b) {
  if (a.slack == b.slack && a.clock == b.clock) return a.time < b.time;
  return b.slack > 0 ? a.time <= b.earliest() : a.time < b.time;
}

/// Whether a is certainly at b or after it, on the lattice too.
[[nodiscard]] inline bool surely_not_before(const Instant& a, const Instant& b) {
  if (a.slack == b.slack && a.clock == b.clock) return a.time >= b.time;
  return a.earliest() >= b.time;
}

/// Whether both are certainly the same, on the lattice too.
[[nodiscard]] inline bool surely_same(const Instant& a, const Instant& b) {
  return a.time == b.time && a.slack == b.slack && (a.slack == 0 || a.clock == b.clock);
}

}  // namespace tickbox::test
