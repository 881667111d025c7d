#pragma once
// The real clock of the programs.

#include "core/clock.h"

namespace tickbox::os {

/// CLOCK_MONOTONIC: runs on through changes of the calendar, stops while the machine is suspended.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override;
};

/// Sleeps until `moment`; returns at once when it has passed. A signal does not cut it short.
void sleep_until(Instant moment);

}  // namespace tickbox::os
