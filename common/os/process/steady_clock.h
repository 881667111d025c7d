#pragma once
// The real clock of the programs, their calendar, and unpredictable bytes.

#include "core/clock.h"
#include "core/entropy.h"

namespace tickbox::os {

/// CLOCK_MONOTONIC: runs on through changes of the calendar, stops while the machine is suspended.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override;
};

/// CLOCK_REALTIME: UTC, as far as the machine knows it.
class SystemCalendar final : public WallClock {
 public:
  [[nodiscard]] WallTime now() const override;
};

/// Sleeps until `moment`; returns at once when it has passed. A signal does not cut it short.
void sleep_until(Instant moment);

// The Entropy of the programs.

/// Bytes that nobody can foretell, from the kernel by libsodium.  Thread: any.
class SystemEntropy final : public Entropy {
 public:
  /// Requires: net::crypto_ready().
  void fill(MutableBytes out) override;
};

}  // namespace tickbox::os
