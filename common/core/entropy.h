#pragma once
// Unpredictable bytes as an argument: from the kernel in the programs, from a seed in the tests.

#include "core/bytes.h"

#include <array>
#include <concepts>
#include <cstddef>

namespace tickbox {

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
