#include "server/match/islands.h"

#include "core/rng.h"

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

TEST(Islands, LeaveEverybodyAloneAtFirst) {
  Islands islands;
  islands.clear(kSlots);
  for (SlotId slot = 0; slot < kSlots; ++slot) {
    EXPECT_EQ(islands.root_of(slot), slot);
    EXPECT_EQ(islands.next(slot), slot);
  }
}

TEST(Islands, JoinWhoeverHasJoinedEitherSide) {
  Islands islands;
  islands.clear(kSlots);
  islands.join(1, 2);
  islands.join(3, 4);
  EXPECT_NE(islands.root_of(2), islands.root_of(3));
  islands.join(4, 1);
  EXPECT_EQ(members_of(islands, 2), (std::set<SlotId>{1, 2, 3, 4}));
  for (const SlotId slot : {1U, 2U, 3U}) {
    EXPECT_EQ(islands.root_of(slot), islands.root_of(4));
  }
  EXPECT_EQ(members_of(islands, 5), std::set<SlotId>{5});
}

// Joining two members of the same ring would cut it.
TEST(Islands, StayWholeWhenJoinedAgain) {
  Islands islands;
  islands.clear(kSlots);
  islands.join(1, 2);
  islands.join(2, 3);
  islands.join(1, 3);
  islands.join(3, 1);
  islands.join(2, 2);
  EXPECT_EQ(members_of(islands, 3), (std::set<SlotId>{1, 2, 3}));
}

TEST(Islands, ForgetEverything) {
  Islands islands;
  islands.clear(kSlots);
  islands.join(1, 2);
  islands.clear(kSlots);
  EXPECT_NE(islands.root_of(1), islands.root_of(2));
  EXPECT_EQ(members_of(islands, 1), std::set<SlotId>{1});
}

TEST(Islands, TakeInWhoBeginsLater) {
  Islands islands;
  islands.clear(2);
  islands.join(0, 1);
  islands.begin(5);
  EXPECT_EQ(members_of(islands, 5), std::set<SlotId>{5});
  islands.join(5, 0);
  EXPECT_EQ(members_of(islands, 1), (std::set<SlotId>{0, 1, 5}));
}

// Against sets that are merged in the plain way.
TEST(Islands, AreTheSetsThatJoinsMake) {
  Rng rng{7};
  for (int round = 0; round < 200; ++round) {
    Islands islands;
    islands.clear(kSlots);
    std::vector<std::uint64_t> colours(kSlots);
    for (SlotId slot = 0; slot < kSlots; ++slot) {
      colours[slot] = slot;
    }
    for (std::uint64_t joins = rng.below(2 * kSlots); joins > 0; --joins) {
      const auto a = static_cast<SlotId>(rng.below(kSlots));
      const auto b = static_cast<SlotId>(rng.below(kSlots));
      islands.join(a, b);
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
