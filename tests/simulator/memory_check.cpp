#include "tests/simulator/memory_check.h"

#include "tests/support/allocations.h"

#include <fmt/format.h>

#include <algorithm>

namespace tickbox::simulator {
namespace {

/// Within them every buffer has met its worst case, as far as the profile has one.
constexpr std::uint32_t kLooksToWarmUp = 3;
/// One in so many bytes more is what a buffer may yet take that meets its worst case late.
constexpr std::uint64_t kGrowthShare = 20;
/// The checks' own books: some hundred bytes for each address that ever sent anything. A leak of
/// one byte a tick is found within some hours.
constexpr std::uint64_t kSpareBytes = std::uint64_t{1} << 20U;

}  // namespace

void MemoryCheck::look() {
  const std::uint64_t now = tests::live_bytes();
  if (++looks_ <= kLooksToWarmUp) {
    counts_.settled = std::max(counts_.settled, now);
    return;
  }
  counts_.later = std::max(counts_.later, now);
  if (now > counts_.settled + counts_.settled / kGrowthShare + kSpareBytes) {
    findings_.add("memory", fmt::format("about the {} bytes of the beginning", counts_.settled),
                  fmt::format("{} bytes", now));
  }
}

}  // namespace tickbox::simulator
