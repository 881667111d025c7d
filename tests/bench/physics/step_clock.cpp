#include "tests/bench/physics/step_clock.h"

#include <algorithm>
#include <ctime>

namespace tickbox::bench {

StepClock::StepClock() : reading_(Duration::max()) {
  constexpr int kTrials = 1'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Duration first = now();
    reading_ = std::min(reading_, now() - first);
  }
}

double StepClock::elapsed_us() const {
  const Duration elapsed = std::max(now() - began_ - reading_, Duration{0});
  return std::chrono::duration<double, std::micro>{elapsed}.count();
}

Duration StepClock::now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

}  // namespace tickbox::bench
