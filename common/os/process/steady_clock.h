#pragma once
// The real clock of the programs, their calendar, and unpredictable bytes; sleeping until a moment.

#include "core/clock.h"
#include "core/rng.h"

namespace tickbox::os {

/// The clock CLOCK_MONOTONIC. Changes of the calendar do not affect it; it stops while the machine
/// is suspended.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override;
};

/// The clock CLOCK_REALTIME: UTC, as far as the machine knows it.
class SystemCalendar final : public WallClock {
 public:
  [[nodiscard]] WallTime now() const override;
};

/// Sleeps until `moment`; returns at once if it has passed. A signal does not end the sleep.
void sleep_until(Instant moment);

/// A source of unpredictable bytes, from the kernel through libsodium. Thread: any.
class SystemEntropy final : public Entropy {
 public:
  /// Requires: net::crypto_ready() has returned true.
  void fill(MutableBytes out) override;
};

/// Calls `is_over()` every millisecond until it returns true.
template <class IsOver>
void poll_until(IsOver is_over) {
  const SteadyClock clock;
  while (!is_over()) {
    sleep_until(clock.now() + std::chrono::milliseconds{1});
  }
}

}  // namespace tickbox::os
