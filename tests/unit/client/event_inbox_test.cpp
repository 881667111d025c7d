// Events in snapshots that are lost, repeated and out of order.

#include "client/match/snapshot_world.h"
#include "engine/declared.h"
#include "tests/support/field_game.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tickbox::client {
namespace {

namespace field = tests::field;

/// The kind of an event that is a player's new state. In this game the state holds a number.
constexpr std::uint8_t kSeat = 0;

/// An event that was taken.
struct Taken {
  Tick tick;
  std::uint8_t kind = 0;
  Player player;
  std::int64_t points = 0;

  friend bool operator==(const Taken&, const Taken&) = default;
};

class Receiver {
 public:
  /// Receives a snapshot of `tick` with events of these numbers, new states of seat 3. The number
  /// is also the age of the event in ticks, and the points.
  void receive(std::uint32_t tick, const std::vector<int>& numbers) {
    views::ReceivedEvents received;
    for (const int number : numbers) {
      const std::vector<std::byte> score = field::bytes_of(field::Score{.points = number});
      received.events.push_back({.number = static_cast<std::uint16_t>(number),
                                 .age = static_cast<std::uint8_t>(number & 0xff),
                                 .kind = kSeat,
                                 .player = {3},
                                 .first = received.bytes.size()});
      received.bytes.insert(received.bytes.end(), score.begin(), score.end());
    }
    inbox_.receive(field::game(), received, {tick}, [this](Tick at, const views::Event& event) {
      taken_.push_back(
          {.tick = at,
           .kind = event.kind,
           .player = event.player,
           .points = engine::value_of(field::game().seat.fields()[0], 0, event.bytes)});
    });
  }

  [[nodiscard]] std::vector<int> points() const {
    std::vector<int> points;
    for (const Taken& event : taken_) {
      points.push_back(static_cast<int>(event.points));
    }
    return points;
  }

  [[nodiscard]] const std::vector<Taken>& taken() const { return taken_; }

  [[nodiscard]] std::uint16_t newest() const { return inbox_.newest(); }

 private:
  EventInbox inbox_;
  std::vector<Taken> taken_;
};

TEST(EventInbox, TakesEachOnceAndInOrder) {
  Receiver receiver;
  receiver.receive(100, {1, 2});
  receiver.receive(100, {1, 2});
  receiver.receive(102, {4});
  EXPECT_EQ(receiver.points(), (std::vector{1, 2})) << "the third is missing";
  EXPECT_EQ(receiver.newest(), 2);
  receiver.receive(101, {3});
  receiver.receive(103, {3, 4, 5});
  EXPECT_EQ(receiver.points(), (std::vector{1, 2, 3, 4, 5}));
  EXPECT_EQ(receiver.newest(), 5);
}

TEST(EventInbox, SaysWhenItHappened) {
  Receiver receiver;
  receiver.receive(1'000, {1});
  receiver.receive(1'010, {2});
  ASSERT_EQ(receiver.taken().size(), 2U);
  EXPECT_EQ(receiver.taken()[0], (Taken{.tick = {999}, .kind = kSeat, .player = {3}, .points = 1}));
  EXPECT_EQ(receiver.taken()[1].tick, Tick{1'008});
  receiver.receive(2, {3});
  EXPECT_EQ(receiver.taken()[2].tick, Tick{0}) << "never before the first tick";
}

TEST(EventInbox, NumbersGoOnOverTheirEnd) {
  Receiver receiver;
  for (int number = 1; number < 0x10000 + 10; ++number) {
    receiver.receive(100, {number & 0xffff});
  }
  EXPECT_EQ(receiver.taken().size(), 0x10000U + 9);
  EXPECT_EQ(receiver.newest(), 9);
}

// Every order in which four snapshots of two events each can arrive, once and repeated.
TEST(EventInbox, TakesAllInWhateverOrderTheyCome) {
  std::vector<int> order{0, 1, 2, 3};
  do {
    Receiver receiver;
    for (int round = 0; round < 4; ++round) {
      for (const int at : order) {
        receiver.receive(50, {2 * at + 1, 2 * at + 2});
      }
    }
    EXPECT_EQ(receiver.points(), (std::vector{1, 2, 3, 4, 5, 6, 7, 8}));
  } while (std::ranges::next_permutation(order).found);
}

}  // namespace
}  // namespace tickbox::client
