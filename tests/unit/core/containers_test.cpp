// Containers of a fixed capacity.

#include "core/inplace_vector.h"
#include "core/rng.h"
#include "core/tick_ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace tickbox {
namespace {

TEST(InplaceVector, KeepsTheOrderWhenOneIsErased) {
  InplaceVector<int, 4> numbers;
  for (const int number : {1, 2, 3, 4})
    numbers.push_back(number);
  EXPECT_TRUE(numbers.full());
  numbers.erase_at(1);
  ASSERT_EQ(numbers.size(), 3U);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[1], 3);
  EXPECT_EQ(numbers[2], 4);
}

TEST(BoundedVectorDeath, AssertsItsCapacity) {
  InplaceVector<int, 1> numbers;
  numbers.push_back(1);
  EXPECT_DEATH(numbers.push_back(2), "assertion failed: !full\\(\\)");
  EXPECT_DEATH(static_cast<void>(numbers[1]), "assertion failed: index < size_");
}

constexpr std::uint32_t kDepth = 8;
constexpr std::uint32_t kNewestTick = std::numeric_limits<std::uint32_t>::max();

using Ring = TickRing<int, kDepth>;

TEST(TickRing, HoldsNothingAtFirst) {
  Ring ring;
  for (std::uint32_t tick = 0; tick < 3 * kDepth; ++tick) {
    EXPECT_EQ(ring.find({tick}), nullptr) << tick;
    EXPECT_EQ(ring.find({kNewestTick - tick}), nullptr) << tick << " before the last tick of all";
  }
  ring.for_each([](int) { ADD_FAILURE() << "a value of no tick"; });
}

TEST(TickRing, HoldsEachTickUntilOneADepthLaterTakesItsSlot) {
  Ring ring;
  for (std::uint32_t tick = 0; tick < 5 * kDepth; ++tick) {
    ring.insert({tick}) = static_cast<int>(tick);
    for (std::uint32_t old = 0; old <= tick; ++old) {
      const int* value = ring.find({old});
      ASSERT_EQ(value != nullptr, tick - old < kDepth) << old << " at " << tick;
      if (value != nullptr) {
        ASSERT_EQ(*value, static_cast<int>(old));
      }
    }
    ASSERT_EQ(ring.find({tick + 1}), nullptr) << "not inserted yet";
    ASSERT_EQ(ring.find({tick + kDepth}), nullptr) << "the slot's next tick";
  }
}

// A value of zero is a value: neither tick 0 nor what a slot begins with stands for "empty".
TEST(TickRing, TellsTickZeroFromNoTick) {
  Ring ring;
  EXPECT_EQ(ring.find({0}), nullptr);
  ring.insert({0}) = 0;
  ASSERT_NE(ring.find({0}), nullptr);
  EXPECT_EQ(ring.at({0}), 0);
  EXPECT_EQ(ring.find({kDepth}), nullptr);
  ring.erase({0});
  EXPECT_EQ(ring.find({0}), nullptr);
}

// The numbers that mark empty slots are ticks of other slots: these ticks must work like all
// others.
TEST(TickRing, HoldsTheTicksThatMarkEmptySlots) {
  Ring ring;
  for (std::uint32_t tick = 0; tick <= kDepth; ++tick) {
    ring.clear();
    ring.insert({tick}) = 1;
    for (std::uint32_t other = 0; other <= 2 * kDepth; ++other)
      ASSERT_EQ(ring.find({other}) != nullptr, other == tick) << other << " beside " << tick;
  }
}

TEST(TickRing, GoesOnPastTheLastTickOfU32) {
  Ring ring;
  for (std::uint32_t i = 0; i < 2 * kDepth; ++i) {
    const Tick tick = Tick{kNewestTick - kDepth + 1} + i;  // the second half: 0, 1, …
    ring.insert(tick) = static_cast<int>(i);
    for (std::uint32_t age = 0; age < kDepth && age <= i; ++age)
      ASSERT_EQ(ring.at({tick.value - age}), static_cast<int>(i - age)) << age << " before " << i;
    ASSERT_EQ(ring.find({tick.value - kDepth}), nullptr) << i;
    ASSERT_EQ(ring.find(tick + 1), nullptr) << i;
  }
  EXPECT_EQ(ring.find({kNewestTick}), nullptr) << "its slot is that of the tick before the wrap";
}

// Ticks that were skipped, as in a pause, have no value. Their slots hold values of other ticks.
TEST(TickRing, AnswersNothingForTicksLeftOut) {
  Ring ring;
  for (std::uint32_t tick = 1; tick <= kDepth; ++tick)
    ring.insert({tick}) = static_cast<int>(tick);
  ring.insert({100}) = 100;
  for (std::uint32_t tick = kDepth + 1; tick < 100; ++tick)
    ASSERT_EQ(ring.find({tick}), nullptr) << tick;
  EXPECT_EQ(ring.at({100}), 100);
  EXPECT_EQ(ring.find({4}), nullptr) << "in whose slot 100 is";
  EXPECT_EQ(ring.at({5}), 5) << "older than its depth, but nobody took its slot";
}

TEST(TickRing, GivesASlotToAnEarlierTickAsWell) {
  Ring ring;
  ring.insert({20}) = 20;
  ring.insert({12}) = 12;
  EXPECT_EQ(ring.at({12}), 12);
  EXPECT_EQ(ring.find({20}), nullptr);
}

TEST(TickRing, ErasesTheTickThatIsNamedAndNoOther) {
  Ring ring;
  ring.insert({3}) = 3;
  ring.insert({4}) = 4;
  ring.erase({3 + kDepth});
  EXPECT_EQ(ring.at({3}), 3) << "another tick of its slot was erased";
  ring.erase({3});
  EXPECT_EQ(ring.find({3}), nullptr);
  EXPECT_EQ(ring.at({4}), 4);
  ring.erase({3});
  EXPECT_EQ(ring.find({3}), nullptr) << "erased twice";
  ring.insert({3}) = 5;
  EXPECT_EQ(ring.at({3}), 5);
}

TEST(TickRing, MovesAValueToAnotherTick) {
  for (std::uint32_t to = 0; to <= 3 * kDepth; ++to) {
    Ring ring;
    for (std::uint32_t tick = 0; tick < kDepth; ++tick)
      ring.insert({tick}) = static_cast<int>(tick);
    ring.move({3}, {to});
    for (std::uint32_t tick = 0; tick <= 3 * kDepth; ++tick) {
      const int* value = ring.find({tick});
      const bool is_kept = tick < kDepth && tick != 3 && tick % kDepth != to % kDepth;
      ASSERT_EQ(value != nullptr, tick == to || is_kept) << tick << " after a move to " << to;
      if (value != nullptr) {
        ASSERT_EQ(*value, tick == to ? 3 : static_cast<int>(tick));
      }
    }
  }
}

TEST(TickRing, IsEmptyOnceCleared) {
  Ring ring;
  for (std::uint32_t tick = 0; tick < kDepth; ++tick)
    ring.insert({tick}) = 1;
  ring.clear();
  for (std::uint32_t tick = 0; tick <= 2 * kDepth; ++tick)
    EXPECT_EQ(ring.find({tick}), nullptr) << tick;
  ring.insert({2}) = 2;
  EXPECT_EQ(ring.at({2}), 2);
}

TEST(TickRing, KeepsTheMemoryOfAListForTheNextTickOfItsSlot) {
  TickRing<std::vector<int>, kDepth> ring;
  ring.for_each_slot([](std::vector<int>& list) { list.reserve(100); });
  std::vector<int>& list = ring.insert({1});
  EXPECT_GE(list.capacity(), 100U);
  list.push_back(7);
  ring.erase({1});
  EXPECT_EQ(ring.find({1}), nullptr);
  std::vector<int>& next = ring.insert({1 + kDepth});
  EXPECT_EQ(&next, &list);
  EXPECT_EQ(next, std::vector{7}) << "still there: insert() clears nothing";
  EXPECT_GE(next.capacity(), 100U);
}

TEST(TickRing, VisitsTheValuesOfTheTicksThatItHolds) {
  Ring ring;
  for (const std::uint32_t tick : {2U, 5U, 7U, 10U, kNewestTick})
    ring.insert({tick}) = static_cast<int>(tick % 100);
  ring.erase({5});
  std::vector<int> visited;
  ring.for_each([&](int value) { visited.push_back(value); });
  EXPECT_EQ(visited, (std::vector{10, static_cast<int>(kNewestTick % 100)}))
      << "2 lies in the slot of 10, 7 in that of the last tick of all";
}

TEST(TickRingDeath, RefusesToNameATickThatIsNotThere) {
  Ring ring;
  ring.insert({3}) = 3;
  EXPECT_DEATH(static_cast<void>(ring.at({3 + kDepth})), "value != nullptr");
}

TEST(SequenceRing, TellsSequencesApartThatAgreeInTheirLow32Bits) {
  SequenceRing<int, kDepth> ring;
  const std::uint64_t far = (std::uint64_t{1} << 32) + 5;
  ring.insert(far) = 1;
  EXPECT_EQ(ring.find(5), nullptr);
  EXPECT_EQ(ring.at(far), 1);
  ring.insert(std::numeric_limits<std::uint64_t>::max()) = 2;
  EXPECT_EQ(ring.at(std::numeric_limits<std::uint64_t>::max()), 2);
}

// Against a map from slot to the tick that was put there last.
TEST(TickRing, AnswersAsAMapDoesWhateverIsDone) {
  Rng rng{1};
  Ring ring;
  std::map<std::uint32_t, std::pair<std::uint32_t, int>> slots;
  std::uint64_t found = 0;
  for (int i = 0; i < 20'000; ++i) {
    // Around tick 0, on both sides of the wrap.
    const auto tick = static_cast<std::uint32_t>(rng.below(4 * kDepth)) - 2 * kDepth;
    const auto slot = slots.find(tick % kDepth);
    const bool is_held = slot != slots.end() && slot->second.first == tick;
    const int* value = ring.find({tick});
    ASSERT_EQ(value != nullptr, is_held) << tick;
    if (is_held) {
      ASSERT_EQ(*value, slot->second.second);
    }
    found += is_held ? 1U : 0U;
    const std::uint64_t deed = rng.below(100);
    if (deed < 60) {
      ring.insert({tick}) = i;
      slots[tick % kDepth] = {tick, i};
    } else if (deed < 90) {
      ring.erase({tick});
      if (is_held) slots.erase(slot);
    } else if (deed == 99) {
      ring.clear();
      slots.clear();
    }
    std::size_t visited = 0;
    ring.for_each([&](int) { ++visited; });
    ASSERT_EQ(visited, slots.size());
  }
  EXPECT_GT(found, 1'000U);
}

}  // namespace
}  // namespace tickbox
