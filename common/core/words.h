#pragma once
// Short spans of bytes as whole words: a loop over a few words takes less time than a call of
// memcpy() or memcmp().

#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tickbox {

inline constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

/// Requires: a multiple of kWordBytes, and space for it.
inline void copy_words(ConstBytes from, std::byte* to) {
  for (std::size_t at = 0; at < from.size(); at += kWordBytes) {
    std::memcpy(to + at, from.data() + at, kWordBytes);
  }
}

/// Requires: a multiple of kWordBytes, and as many at `b`.
[[nodiscard]] inline bool are_equal_words(ConstBytes a, const std::byte* b) {
  std::uint64_t differences = 0;
  for (std::size_t at = 0; at < a.size(); at += kWordBytes) {
    std::uint64_t of_a = 0;
    std::uint64_t of_b = 0;
    std::memcpy(&of_a, a.data() + at, kWordBytes);
    std::memcpy(&of_b, b + at, kWordBytes);
    differences |= of_a ^ of_b;
  }
  return differences == 0;
}

}  // namespace tickbox
