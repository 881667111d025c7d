#include "tests/bench/frame.h"

#include "cli/exit_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <stdexcept>

namespace tickbox::bench {

std::uint64_t thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

StepClock::StepClock() {
  constexpr int kTrials = 1'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::uint64_t first = thread_time();
    reading_ = std::min(reading_, thread_time() - first);
  }
}

double StepClock::elapsed_us() const {
  const std::uint64_t elapsed = thread_time() - began_;
  return static_cast<double>(elapsed - std::min(elapsed, reading_)) / 1e3;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

double rounded(double value) {
  return std::round(value * 1e3) / 1e3;
}

void warn_of_slow_build([[maybe_unused]] std::string_view program) {
#if !defined(__OPTIMIZE__) || defined(TICKBOX_AUDIT)
  fmt::print(stderr, "{}: not a release build; its times mean nothing\n", program);
#endif
}

int run_or_report(std::string_view program, const std::function<int()>& run) {
  try {
    return run();
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return cli::to_int(cli::ExitCode::Failed);
  }
}

int exit_code_of(std::string_view program, bool is_sound, std::string_view why) {
  if (is_sound) return cli::to_int(cli::ExitCode::Done);
  fmt::print(stderr, "{}: {}\n", program, why);
  return cli::to_int(cli::ExitCode::CheckFailed);
}

}  // namespace tickbox::bench
