#include "tests/simulator/memory_check.h"

#include "tests/support/allocations.h"

#include <fmt/format.h>

#include <algorithm>

namespace tickbox::simulator {
namespace {

/// Within them every buffer has met its worst case, as far as the profile has one.
constexpr std::uint32_t kLooksToWarmUp = 3;
/// A leak of one byte a tick is found within some hours.
constexpr std::uint64_t kSpareBytes = std::uint64_t{1} << 20U;

}  // namespace

void MemoryCheck::look() {
  const std::uint64_t now = tests::live_bytes();
  if (++looks_ <= kLooksToWarmUp) {
    most_ = std::max(most_, now);
  } else if (now > most_ + most_ / 10 + kSpareBytes) {
    findings_.add("memory", fmt::format("about the {} bytes of the beginning", most_),
                  fmt::format("{} bytes", now));
  }
}

}  // namespace tickbox::simulator
