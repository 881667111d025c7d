#pragma once
// Time and randomness under the control of a test. The clock moves only when the test advances it,
// and the bytes come from a seed.

#include "core/clock.h"
#include "core/rng.h"

#include <cstddef>
#include <functional>
#include <utility>

namespace tickbox::tests {

class VirtualClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return now_; }

  void advance(Duration by) { now_ += by; }

 private:
  Instant now_{std::chrono::hours{1}};
};

/// A calendar that follows a clock, from a day in 2026 on.
class VirtualCalendar final : public WallClock {
 public:
  /// Borrows the clock.
  explicit VirtualCalendar(const Clock& clock) : clock_(clock), start_(clock.now()) {}

  [[nodiscard]] WallTime now() const override {
    constexpr WallTime kStart = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};
    return kStart + std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now() - start_) +
           offset_;
  }

  /// Jumps, as a network time service does when it corrects the time.
  void jump(std::chrono::milliseconds by) { offset_ += by; }

 private:
  const Clock& clock_;
  Instant start_;
  std::chrono::milliseconds offset_{};
};

class SeededEntropy final : public Entropy {
 public:
  explicit SeededEntropy(std::uint64_t seed) : rng_(seed) {}

  void fill(MutableBytes out) override {
    for (std::byte& byte : out) {
      byte = static_cast<std::byte>(rng_.next());
    }
    if (watcher_) watcher_(out);
  }

  /// Tells `watcher` each draw from now on: it learns the secrets of the handshakes.
  void watch(std::function<void(ConstBytes)> watcher) { watcher_ = std::move(watcher); }

 private:
  Rng rng_;
  std::function<void(ConstBytes)> watcher_;
};

}  // namespace tickbox::tests
