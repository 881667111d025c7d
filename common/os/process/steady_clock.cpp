// The kernel's monotonic clock, calendar and random bytes, and a sleep until a time of that clock.

#include "os/process/steady_clock.h"

#include <sodium/randombytes.h>

#include <cerrno>
#include <ctime>

namespace tickbox::os {

Instant SteadyClock::now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
}

WallTime SystemCalendar::now() const {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

void sleep_until(Instant moment) {
  constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
  const std::int64_t nanoseconds = moment.time_since_epoch().count();
  if (nanoseconds <= 0) return;
  const timespec when{.tv_sec = nanoseconds / kNanosecondsPerSecond,
                      .tv_nsec = nanoseconds % kNanosecondsPerSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr) == EINTR) {
  }
}

void SystemEntropy::fill(MutableBytes out) {
  randombytes_buf(out.data(), out.size());
}

}  // namespace tickbox::os
