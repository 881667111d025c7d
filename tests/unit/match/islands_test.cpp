#include "core/rng.h"
#include "server/match/match_history.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace tickbox::server {
namespace {

constexpr std::size_t kSlots = 40;

/// Returns the members of an island, walked from one of them.
std::set<SlotId> members_of(const Islands& islands, SlotId slot) {
  std::set<SlotId> members;
  for (SlotId member = slot; members.insert(member).second;) {
    member = islands.next(member);
  }
  return members;
}

// Against sets that are merged in the plain way, some with no join at all, again and again in the
// same memory.
TEST(Islands, AreTheSetsThatJoinsMake) {
  Rng rng{7};
  Islands islands;
  for (int round = 0; round < 200; ++round) {
    islands.clear(kSlots);
    std::vector<std::uint64_t> colours(kSlots);
    for (SlotId slot = 0; slot < kSlots; ++slot) {
      colours[slot] = slot;
    }
    for (std::uint64_t joins = rng.below(2 * kSlots); joins > 0; --joins) {
      const auto a = static_cast<SlotId>(rng.below(kSlots));
      const auto b = static_cast<SlotId>(rng.below(kSlots));
      islands.link(a, b);
      const std::uint64_t old = colours[a];
      for (std::uint64_t& colour : colours) {
        if (colour == old) colour = colours[b];
      }
    }
    for (SlotId a = 0; a < kSlots; ++a) {
      std::set<SlotId> expected;
      for (SlotId b = 0; b < kSlots; ++b) {
        if (colours[a] == colours[b]) expected.insert(b);
        EXPECT_EQ(islands.root_of(a) == islands.root_of(b), colours[a] == colours[b]);
      }
      ASSERT_EQ(members_of(islands, a), expected) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace tickbox::server
