#pragma once
// Time is an argument: functions receive the current moment, and only the programs and the tests
// own a clock.

#include <chrono>
#include <cstdint>

namespace tickbox {

/// Spans of time, in nanoseconds.
using Duration = std::chrono::nanoseconds;

/// A moment on a clock that never runs backwards; its zero has no meaning.
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() const = 0;
};

/// A moment of the calendar in UTC, for times that are stored or read elsewhere, such as the expiry
/// of a token. It may jump, so no work within one process is timed with it.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

class WallClock {
 public:
  virtual ~WallClock() = default;
  [[nodiscard]] virtual WallTime now() const = 0;
};

/// Returns the length of one tick, rounded down to the nanosecond. Requires: ticks_per_second ≥ 1.
[[nodiscard]] constexpr Duration tick_duration(std::uint32_t ticks_per_second) {
  return Duration{1'000'000'000 / ticks_per_second};
}

}  // namespace tickbox
