#pragma once
// Time as an argument: whoever needs it is handed a moment, and only the programs and the tests own
// a clock.

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

/// A moment of the calendar, UTC: for what is written down and read elsewhere or later, as the
/// expiry of a token. It may jump, so nothing that happens within one process goes by it.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

class WallClock {
 public:
  virtual ~WallClock() = default;
  [[nodiscard]] virtual WallTime now() const = 0;
};

/// Length of one tick, rounded down to the nanosecond.
[[nodiscard]] constexpr Duration tick_duration(std::uint32_t ticks_per_second) {
  return Duration{1'000'000'000 / ticks_per_second};
}

}  // namespace tickbox
