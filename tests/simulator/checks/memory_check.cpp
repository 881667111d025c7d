#include "tests/simulator/checks/memory_check.h"

#include "tests/support/allocations.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace tickbox::simulator {
namespace {

/// A growth of at most one byte in this many counts as flat.
constexpr std::uint64_t kGrowthShare = 100;
/// Late players may have played longer, or over a worse link, than early ones. Vectors of bodies
/// keep the size that the largest crowd so far needed, and double when a larger one comes, possibly
/// late in a run. In half an hour of 79 seeds the largest growth was 1.0 MB.
constexpr std::uint64_t kSpareBytes = std::uint64_t{3} << 19U;

std::uint64_t median(std::span<std::uint64_t> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

}  // namespace

void MemoryCheck::look() {
  const std::uint64_t now = tests::live_bytes();
  const tests::OwnBooks books;
  seen_.push_back(now);
}

void MemoryCheck::look_back(Duration played) {
  const std::size_t quarter = seen_.size() / 4;
  if (played < kShortest || quarter == 0) return;
  const std::span seen{seen_};
  counts_ = {.early = median(seen.subspan(quarter, quarter)), .late = median(seen.last(quarter))};
  if (counts_.late <= counts_.early + counts_.early / kGrowthShare + kSpareBytes) return;
  findings_.add("memory", fmt::format("about the {} bytes of the second quarter", counts_.early),
                fmt::format("{} bytes in the last", counts_.late));
}

}  // namespace tickbox::simulator
