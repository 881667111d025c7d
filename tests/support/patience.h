#pragma once
// Waiting for another thread or process without a fixed delay.

#include "os/process/steady_clock.h"

#include <chrono>
#include <thread>

namespace tickbox::tests {

/// Evaluates the condition until it is true. Returns whether it was true within half a minute: a
/// sanitized program on a busy machine is slow, and a passing test waits only as long as it must.
template <class Condition>
bool comes_true(Condition condition) {
  const os::SteadyClock clock;
  const Instant end = clock.now() + std::chrono::seconds{30};
  while (!condition()) {
    if (clock.now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds{20});
  }
  return true;
}

}  // namespace tickbox::tests
