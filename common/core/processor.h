#pragma once
// What suits the processor better than the standard library: short spans of bytes as whole words, a
// binary search without branches, and memory that is read into the cache before its turn.

#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>

namespace tickbox {

// Short spans of bytes as whole words: a loop over a few words takes less time than a call of
// memcpy() or memcmp().

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

// A binary search without branches: in a list of some hundred ids, a processor guesses every second
// branch of std::lower_bound() wrong.

/// Returns the index of the first value that is not before `sought`, or the number of values.
/// Requires: sorted by `key_of`.
template <class Value, class Key, class KeyOf = std::identity>
[[nodiscard]] std::size_t first_not_before(std::span<const Value> values, const Key& sought,
                                           KeyOf key_of = {}) {
  if (values.empty()) return 0;
  const Value* first = values.data();
  for (std::size_t left = values.size(); left > 1;) {
    const std::size_t half = left / 2;
    first += std::invoke(key_of, first[half - 1]) < sought ? half : 0;
    left -= half;
  }
  const std::size_t behind = std::invoke(key_of, *first) < sought ? 1 : 0;
  return static_cast<std::size_t>(first - values.data()) + behind;
}

// Prefetch: begins to read memory into the processor's cache before its turn comes. What a thousand
// clients have does not fit into the cache. A plan takes longer than memory takes to answer: so the
// data of the next client arrive during the plan of this one.

inline constexpr std::size_t kCacheLineBytes = 64;

/// Begins to read `bytes` bytes. Reads nothing if the memory is not there.
inline void prefetch(const void* begin, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(begin);
  for (std::size_t at = 0; at < bytes; at += kCacheLineBytes) {
    __builtin_prefetch(first + at);
  }
}

}  // namespace tickbox
