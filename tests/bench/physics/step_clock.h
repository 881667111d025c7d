#pragma once
// The time that this thread itself has spent: what others on a busy machine take is not counted.

#include "core/clock.h"

namespace tickbox::bench {

/// Reads the thread's processor time, and knows what reading it costs. Without others on the
/// machine it agrees with the time on the wall.
class StepClock {
 public:
  /// Cost: a millisecond, to find out what a reading adds.
  StepClock();

  void start() { began_ = now(); }

  /// Since start(), in microseconds, less what the readings themselves took.
  [[nodiscard]] double elapsed_us() const;

 private:
  static Duration now();

  Duration began_{};
  Duration reading_{};
};

}  // namespace tickbox::bench
