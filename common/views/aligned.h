#pragma once
// Where values begin that stand one after another in one buffer.

#include <cstddef>
#include <cstdint>

namespace tickbox::views {

/// Returns the first multiple of the largest alignment of a declared type (eight bytes) from
/// `bytes` on.
[[nodiscard]] constexpr std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t kAlign = alignof(std::uint64_t);
  return (bytes + kAlign - 1) / kAlign * kAlign;
}

}  // namespace tickbox::views
