#pragma once
// Time and randomness that a test decides: the clock stands until it is told, the bytes come from a
// seed.

#include "core/clock.h"
#include "core/entropy.h"
#include "core/rng.h"

#include <cstddef>

namespace tickbox::tests {

class VirtualClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return now_; }

  void advance(Duration by) { now_ += by; }

 private:
  Instant now_{std::chrono::hours{1}};
};

class SeededEntropy final : public Entropy {
 public:
  explicit SeededEntropy(std::uint64_t seed) : rng_(seed) {}

  void fill(MutableBytes out) override {
    for (std::byte& byte : out) {
      byte = static_cast<std::byte>(rng_.next());
    }
  }

 private:
  Rng rng_;
};

}  // namespace tickbox::tests
