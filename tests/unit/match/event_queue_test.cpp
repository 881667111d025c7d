// The events that a queue puts into each snapshot, and the effect of acknowledgements.

#include "server/match/event_delivery.h"
#include "tests/support/field_game.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tickbox::server {
namespace {

namespace field = tests::field;

constexpr std::uint32_t kRepeat = 15;
constexpr std::size_t kAmple = 1'250;  // bytes

class EventQueueTest : public ::testing::Test {
 protected:
  using Numbers = std::vector<std::uint16_t>;

  /// Adds a new state of seat 7.
  bool add(std::uint32_t tick, std::int32_t points = 0) {
    const auto score = field::bytes_of(field::Score{.points = points});
    std::vector<std::byte> bytes{std::byte{0xff}};  // an event before it
    std::size_t bits = 0;
    {
      engine::BitWriter out{bytes};
      views::write_event(field::game(), {.kind = 0, .player = {7}, .bytes = score}, out);
      bits = out.written();
    }
    return queue_.add({tick}, bytes, 8, bits);
  }

  /// Returns the numbers of the events in the snapshot of `tick`.
  Numbers sent(std::uint32_t tick, std::size_t bytes_max = kAmple) {
    std::vector<std::byte> bytes;
    const EventQueue::Due due = queue_.due({tick}, bytes_max);
    queue_.write({tick}, due.count, bytes);
    EXPECT_LE(bytes.size(), due.bytes);
    EXPECT_LE(due.bytes, bytes.size() + 1);
    EXPECT_LE(bytes.size(), bytes_max);
    EXPECT_TRUE(views::read_events(field::game(), bytes, received_));
    Numbers numbers;
    for (const views::ReceivedEvent& event : received_.events) {
      numbers.push_back(event.number);
    }
    return numbers;
  }

  [[nodiscard]] std::int32_t points(std::size_t i) const {
    return reinterpret_cast<const field::Score*>(received_.event(field::game(), i).bytes.data())
        ->points;
  }

  EventQueue queue_{kRepeat};
  views::ReceivedEvents received_;
};

TEST_F(EventQueueTest, SendsOnceWhatMayStillArrive) {
  add(100, 5);
  EXPECT_EQ(sent(100), Numbers{1});
  EXPECT_EQ(points(0), 5);
  EXPECT_EQ(received_.events[0].player, Player{7});
  EXPECT_EQ(received_.events[0].age, 0);
  EXPECT_EQ(sent(101), Numbers{});
  add(102, 6);
  EXPECT_EQ(sent(103), Numbers{2});
  EXPECT_EQ(points(0), 6);
  EXPECT_EQ(received_.events[0].age, 1);
}

TEST_F(EventQueueTest, ForgetsWhatIsAcknowledged) {
  add(100, 5);
  add(100, 6);
  EXPECT_EQ(sent(100), (Numbers{1, 2}));
  queue_.acknowledge(1, {100});
  add(101, 7);
  EXPECT_EQ(sent(101), (Numbers{2, 3})) << "the first came and the second did not";
  EXPECT_EQ(points(0), 6);
  EXPECT_EQ(points(1), 7);
  queue_.acknowledge(3, {101});
  EXPECT_EQ(sent(400), Numbers{});
}

// The client holds the view of the snapshot with the event, or a later view, but not the event.
TEST_F(EventQueueTest, SendsAgainWhatWasLost) {
  add(100);
  EXPECT_EQ(sent(100), Numbers{1});
  add(101);
  EXPECT_EQ(sent(101), Numbers{2});
  queue_.acknowledge(0, {99});
  EXPECT_EQ(sent(102), Numbers{}) << "it may still come";
  queue_.acknowledge(0, {100});
  EXPECT_EQ(sent(103), (Numbers{1, 2})) << "the second, if it came, came too early";
  queue_.acknowledge(0, {102});
  EXPECT_EQ(sent(104), Numbers{}) << "an acknowledgement from before it was sent again";
  queue_.acknowledge(2, {103});
  EXPECT_EQ(sent(105), Numbers{});
}

// The event was only late. An event that was sent, once or more often, may be acknowledged.
TEST_F(EventQueueTest, TakesAnAcknowledgementOfWhatItThoughtLost) {
  add(100);
  EXPECT_EQ(sent(100), Numbers{1});
  queue_.acknowledge(0, {100});
  EXPECT_EQ(queue_.due({101}, kAmple).count, 1U);
  queue_.acknowledge(1, {100});
  EXPECT_EQ(sent(101), Numbers{});
}

TEST_F(EventQueueTest, SendsAgainAfterASilence) {
  add(100);
  EXPECT_EQ(sent(100), Numbers{1});
  EXPECT_EQ(sent(100 + kRepeat - 1), Numbers{});
  EXPECT_EQ(sent(100 + kRepeat), Numbers{1});
  EXPECT_EQ(received_.events[0].age, kRepeat);
  EXPECT_EQ(sent(100 + 2 * kRepeat - 1), Numbers{});
  EXPECT_EQ(sent(100 + 400), Numbers{1});
  EXPECT_EQ(received_.events[0].age, 255) << "and no more";
}

TEST_F(EventQueueTest, TakesNoAcknowledgementOfWhatWasNotSent) {
  add(100);
  add(100);
  queue_.acknowledge(1, {});
  queue_.acknowledge(2, {});
  EXPECT_EQ(sent(100), (Numbers{1, 2}));
  for (const int number : {3, 4, 1'000, 0x8000, 0xffff}) {
    queue_.acknowledge(static_cast<std::uint16_t>(number), {99});
  }
  EXPECT_EQ(sent(100 + kRepeat), (Numbers{1, 2}));
}

TEST_F(EventQueueTest, NumbersGoOnOverTheirEnd) {
  std::uint32_t expected = 1;
  for (std::uint32_t tick = 1; tick < 40'000; ++tick, expected += 2) {
    add(tick);
    add(tick);
    ASSERT_EQ(sent(tick), (Numbers{static_cast<std::uint16_t>(expected),
                                   static_cast<std::uint16_t>(expected + 1)}));
    queue_.acknowledge(static_cast<std::uint16_t>(expected + 1), {tick});
  }
}

TEST_F(EventQueueTest, SendsNoMoreAtOnceThanASnapshotHolds) {
  for (int i = 0; i < 20; ++i) {
    add(100, i);
  }
  EXPECT_EQ(queue_.due({100}, kAmple).count, views::kSnapshotEventsMax);
  EXPECT_EQ(sent(100).size(), views::kSnapshotEventsMax);
  EXPECT_EQ(sent(101), (Numbers{17, 18, 19, 20}));
  EXPECT_EQ(points(0), 16);
}

TEST_F(EventQueueTest, SendsWhatFitsIntoTheBytes) {
  add(100, 1);
  add(100, 1);
  add(100, 1);
  const std::size_t one = 6 + 1 + 12 + 1 + 10;  // bits: head, kind, seat, points
  const auto bytes_of = [&](std::size_t events) {
    return (views::kEventListBits + events * one + 7) / 8;
  };
  EXPECT_EQ(queue_.due({100}, bytes_of(1) - 1).count, 0U);
  EXPECT_EQ(queue_.due({100}, bytes_of(1)).count, 1U);
  EXPECT_EQ(queue_.due({131}, bytes_of(1)).count, 0U) << "its age takes a byte more";
  EXPECT_EQ(sent(100, bytes_of(2)), (Numbers{1, 2}));
  EXPECT_EQ(sent(101), Numbers{3});
}

TEST_F(EventQueueTest, HoldsThisNumberOfEventsAndNoMore) {
  for (std::size_t i = 0; i < kEventsWaitingMax; ++i) {
    ASSERT_TRUE(add(100));
  }
  EXPECT_FALSE(add(100));
  EXPECT_EQ(sent(100).size(), views::kSnapshotEventsMax);
  queue_.acknowledge(views::kSnapshotEventsMax, {100});
  EXPECT_TRUE(add(101)) << "there is space again";
  EXPECT_EQ(sent(101).front(), views::kSnapshotEventsMax + 1);
}

}  // namespace
}  // namespace tickbox::server
