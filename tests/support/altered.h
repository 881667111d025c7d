#pragma once
// Bytes of a log that somebody has changed.

#include "core/rng.h"
#include "tests/support/bytes.h"

#include <cstddef>
#include <cstdint>

namespace tickbox::tests {

/// Returns bytes of which up to three are changed, added or taken away.
[[nodiscard]] inline Bytes altered(Bytes bytes, Rng& rng) {
  for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) {
    const std::uint64_t how = rng.below(6);
    if (how == 0 || bytes.empty()) {
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(rng.below(bytes.size() + 1)),
                   static_cast<std::byte>(rng.below(256)));
    } else if (how == 1) {
      bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(rng.below(bytes.size())));
    } else if (how == 2) {
      bytes[rng.below(bytes.size())] ^= std::byte{1} << rng.below(8);
    } else if (how == 3) {
      bytes[rng.below(bytes.size())] = static_cast<std::byte>(rng.below(12));
    } else {
      bytes[rng.below(bytes.size())] = static_cast<std::byte>(rng.below(256));
    }
  }
  return bytes;
}

}  // namespace tickbox::tests
