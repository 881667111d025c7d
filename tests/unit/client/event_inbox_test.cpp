// Events in snapshots that are lost, repeated and out of order.

#include "client/event_inbox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace tickbox::client {
namespace {

class EventInboxTest : public ::testing::Test {
 protected:
  /// Receives a snapshot of `tick` with events of these numbers. The number is also the age of the
  /// event in ticks.
  void receive(std::uint32_t tick, std::initializer_list<int> numbers) {
    protocol::Snapshot snapshot;
    for (const int number : numbers) {
      snapshot.events.push_back({.number = static_cast<std::uint16_t>(number),
                                 .subject = {3},
                                 .what = static_cast<std::uint16_t>(number),
                                 .ago = static_cast<std::uint8_t>(number & 0xff),
                                 .kind = protocol::EventKind::Hit});
    }
    inbox_.receive(snapshot, {tick}, [this](const MatchEvent& event) { taken_.push_back(event); });
  }

  [[nodiscard]] std::vector<int> numbers() const {
    std::vector<int> numbers;
    for (const MatchEvent& event : taken_) {
      numbers.push_back(event.what);
    }
    return numbers;
  }

  EventInbox inbox_;
  std::vector<MatchEvent> taken_;
};

TEST_F(EventInboxTest, TakesEachOnceAndInOrder) {
  receive(100, {1, 2});
  receive(100, {1, 2});
  receive(102, {4});
  EXPECT_EQ(numbers(), (std::vector{1, 2})) << "the third is missing";
  EXPECT_EQ(inbox_.newest(), 2);
  receive(101, {3});
  receive(103, {3, 4, 5});
  EXPECT_EQ(numbers(), (std::vector{1, 2, 3, 4, 5}));
  EXPECT_EQ(inbox_.newest(), 5);
}

TEST_F(EventInboxTest, SaysWhenItHappened) {
  receive(1'000, {1});
  receive(1'010, {2});
  ASSERT_EQ(taken_.size(), 2U);
  EXPECT_EQ(
      taken_[0],
      (MatchEvent{.tick = {999}, .kind = protocol::EventKind::Hit, .subject = {3}, .what = 1}));
  EXPECT_EQ(taken_[1].tick, Tick{1'008});
  receive(2, {3});
  EXPECT_EQ(taken_[2].tick, Tick{0}) << "never before the first tick";
}

TEST_F(EventInboxTest, NumbersGoOnOverTheirEnd) {
  for (int number = 1; number < 0x10000 + 10; ++number) {
    receive(100, {number & 0xffff});
  }
  EXPECT_EQ(taken_.size(), 0x10000U + 9);
  EXPECT_EQ(inbox_.newest(), 9);
}

// Every order in which four snapshots of two events each can arrive, once and repeated.
TEST(EventInbox, TakesAllInWhateverOrderTheyCome) {
  std::vector<int> order{0, 1, 2, 3};
  do {
    EventInbox inbox;
    std::vector<int> taken;
    for (int round = 0; round < 4; ++round) {
      for (const int at : order) {
        protocol::Snapshot snapshot;
        for (const int number : {2 * at + 1, 2 * at + 2}) {
          snapshot.events.push_back({.number = static_cast<std::uint16_t>(number),
                                     .what = static_cast<std::uint16_t>(number)});
        }
        inbox.receive(snapshot, {50},
                      [&taken](const MatchEvent& event) { taken.push_back(event.what); });
      }
    }
    EXPECT_EQ(taken, (std::vector{1, 2, 3, 4, 5, 6, 7, 8}));
  } while (std::ranges::next_permutation(order).found);
}

}  // namespace
}  // namespace tickbox::client
