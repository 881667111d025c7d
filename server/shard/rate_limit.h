#pragma once
// A rate limiter that allows bursts and stores one number, the time paid up to. Source: the
// generic cell rate algorithm of ITU-T I.371.

#include "core/clock.h"

#include <algorithm>
#include <cstdint>

namespace tickbox::server {

/// An average rate, and the most that may be used at once after a pause.
struct Rate {
  std::int64_t per_second = 0;  ///< at least 1
  std::int64_t burst = 0;       ///< at least 1
};

class RateLimit {
 public:
  /// Consumes `amount` and returns true if `rate` allows it; otherwise consumes nothing.
  /// Requires: the same rate in every call.
  [[nodiscard]] bool consume(const Rate& rate, Instant now, std::int64_t amount = 1) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const Duration cost{amount * kSecond / rate.per_second};
    const Duration most{rate.burst * kSecond / rate.per_second};
    const Instant next = std::max(paid_until_, now) + cost;
    if (next - now > most) return false;
    paid_until_ = next;
    return true;
  }

  /// Returns the most that consume() would allow now.
  [[nodiscard]] std::int64_t available(const Rate& rate, Instant now) const {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const Duration used = std::max(Duration::zero(), paid_until_ - now);
    return rate.burst - (used.count() * rate.per_second + kSecond - 1) / kSecond;
  }

 private:
  Instant paid_until_{};
};

}  // namespace tickbox::server
