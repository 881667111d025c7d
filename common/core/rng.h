#pragma once
// Random numbers as an argument: a sequence that follows from its seed, and unpredictable bytes,
// which are from the kernel in the programs and from a seed in the tests.

#include "core/assert.h"
#include "core/bytes.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tickbox {

/// splitmix64: a random sequence whose state is one u64, so that it can be hashed, saved and sent
/// like any field.
/// Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// Returns a number from 0 to bound − 1, without the bias of a remainder. Requires: bound > 0.
  constexpr std::uint64_t below(std::uint64_t bound) {
    TICKBOX_ASSERT(bound > 0);
    const std::uint64_t rejected_below = (0 - bound) % bound;
    for (;;) {
      const std::uint64_t draw = next();
      if (draw >= rejected_below) {
        return draw % bound;
      }
    }
  }

  /// Returns true in `numerator` of `denominator` cases. Requires: denominator > 0.
  constexpr bool chance(std::uint64_t numerator, std::uint64_t denominator) {
    return below(denominator) < numerator;
  }

  [[nodiscard]] constexpr std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

/// Unpredictable bytes: keys and cookies are drawn from them.
class Entropy {
 public:
  virtual ~Entropy() = default;
  virtual void fill(MutableBytes out) = 0;
};

/// Draws a whole number; all values of its type are equally likely.
template <std::unsigned_integral T>
[[nodiscard]] T draw_number(Entropy& entropy) {
  std::array<std::byte, sizeof(T)> drawn{};
  entropy.fill(drawn);
  return load_le<T>(drawn);
}

}  // namespace tickbox
