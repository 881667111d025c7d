#pragma once
// What the benchmarks share: the time that a thread itself has spent, and the ends of a program.

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::bench {

/// Processor time of this thread, in nanoseconds: what others on a busy machine take is not
/// counted.
[[nodiscard]] std::uint64_t thread_time();

/// Reads the thread's processor time, and knows what reading it costs. Without others on the
/// machine it agrees with the time on the wall.
class StepClock {
 public:
  /// Cost: a millisecond, to find out what a reading adds.
  StepClock();

  void start() { began_ = thread_time(); }

  /// Since start(), in microseconds, less what the readings themselves took.
  [[nodiscard]] double elapsed_us() const;

 private:
  std::uint64_t began_ = 0;
  std::uint64_t reading_ = UINT64_MAX;
};

/// Returns the value that this share of the others does not exceed; 0 of nothing.
[[nodiscard]] double quantile(std::vector<double> values, double share);

[[nodiscard]] inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

/// To a thousandth, for documents.
[[nodiscard]] double rounded(double value);

/// Times of such a build say nothing about those of a release.
void warn_of_slow_build(std::string_view program);

/// Runs a benchmark, and returns its exit code. Says why if it throws a std::runtime_error, such as
/// that it gets no socket, and returns the code of a failure.
[[nodiscard]] int run_or_report(std::string_view program, const std::function<int()>& run);

/// Returns the exit code of a benchmark; says `why` if what it measured is unsound.
[[nodiscard]] int exit_code_of(std::string_view program, bool is_sound, std::string_view why);

}  // namespace tickbox::bench
