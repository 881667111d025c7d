// The order in which candidates are taken.

#include "core/rng.h"
#include "server/match/plan/plan_stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace tickbox::server {
namespace {

/// Draws a priority of any class: own, known at each distance, and new ones of each size.
std::uint32_t priority(Rng& rng) {
  switch (rng.below(8)) {
    case 0:
      return kOwnPriority;
    case 1:
    case 2:
    case 3:
      return kKnownPriority + 1 + static_cast<std::uint32_t>(rng.below(kFarUnits));
    default:
      return static_cast<std::uint32_t>(rng.below(kKnownPriority)) >> rng.below(30);
  }
}

TEST(BestFirst, TakesWhatSortingTakes) {
  Rng rng{3};
  std::array<Candidate, views::kMembersMax> memory;
  for (std::uint32_t round = 0; round < 200; ++round) {
    const std::span<Candidate> candidates = std::span{memory}.first(rng.below(memory.size() + 1));
    for (std::uint32_t i = 0; i < candidates.size(); ++i) {
      candidates[i] = {.slot = i, .priority = priority(rng)};
    }
    for (std::size_t i = candidates.size(); i > 1; --i) {
      std::swap(candidates[i - 1], candidates[rng.below(i)]);
    }
    std::array<Candidate, views::kMembersMax> sorted = memory;
    std::ranges::sort(std::span{sorted}.first(candidates.size()), kGoesBefore);
    BestFirst order{candidates};
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      ASSERT_EQ(order.pop(), sorted[i]) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace tickbox::server
