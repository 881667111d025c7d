#pragma once
// How many datagrams are due: evenly at a rate; those that a stall has missed are not sent later.

#include "core/clock.h"

#include <algorithm>
#include <cstdint>

namespace tickbox::flood {

class Pace {
 public:
  Pace(std::uint64_t per_second, Instant start) : per_second_(per_second), start_(start) {}

  /// Those due since the last call. After a stall at most those of kCatchUp and one more: a burst
  /// that nobody asked for would overflow buffers, and prove nothing.
  [[nodiscard]] std::uint64_t take(Instant now) {
    const std::uint64_t all = amount_of(now - start_);
    const std::uint64_t due = all - taken_;
    const std::uint64_t most = amount_of(kCatchUp) + 1;
    missed_ += due > most ? due - most : 0;
    taken_ = all;
    return std::min(due, most);
  }

  /// The number that a stall has skipped: they are never sent.
  [[nodiscard]] std::uint64_t missed() const { return missed_; }

 private:
  static constexpr Duration kCatchUp = std::chrono::milliseconds{5};

  [[nodiscard]] std::uint64_t amount_of(Duration time) const {
    constexpr std::uint64_t kMicrosecondsPerSecond = 1'000'000;
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    return static_cast<std::uint64_t>(us) * per_second_ / kMicrosecondsPerSecond;
  }

  std::uint64_t per_second_;
  Instant start_;
  std::uint64_t taken_ = 0;
  std::uint64_t missed_ = 0;
};

}  // namespace tickbox::flood
