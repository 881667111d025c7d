#pragma once
// Prefetch: begins to read memory into the processor's cache before its turn comes. What a thousand
// clients have does not fit into the cache. A plan takes longer than memory takes to answer: so the
// data of the next client arrive during the plan of this one.

#include <cstddef>

namespace tickbox {

inline constexpr std::size_t kCacheLineBytes = 64;

/// Begins to read `bytes` bytes. Reads nothing if the memory is not there.
inline void prefetch(const void* begin, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(begin);
  for (std::size_t at = 0; at < bytes; at += kCacheLineBytes) {
    __builtin_prefetch(first + at);
  }
}

}  // namespace tickbox
