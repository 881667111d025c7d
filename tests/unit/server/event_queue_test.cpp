// What a queue of events tells in which snapshot, and what it makes of acknowledgements.

#include "server/replication/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tickbox::server {
namespace {

constexpr std::uint32_t kRepeat = 15;

class EventQueueTest : public ::testing::Test {
 protected:
  bool add(std::uint32_t tick, std::uint16_t what = 0) {
    return queue_.add({tick}, {.subject = {7}, .what = what, .kind = protocol::EventKind::Score});
  }

  /// The numbers that the snapshot of `tick` tells.
  std::vector<std::uint16_t> tell(std::uint32_t tick) {
    events_.clear();
    queue_.tell({tick}, std::min(queue_.due({tick}), protocol::kSnapshotEventsMax), events_);
    std::vector<std::uint16_t> numbers;
    for (const protocol::Event& event : events_) {
      numbers.push_back(event.number);
    }
    return numbers;
  }

  EventQueue queue_{kRepeat};
  protocol::Events events_;
};

using Numbers = std::vector<std::uint16_t>;

TEST_F(EventQueueTest, TellsOnceWhatMayStillArrive) {
  add(100, 5);
  EXPECT_EQ(tell(100), Numbers{1});
  EXPECT_EQ(events_[0].what, 5);
  EXPECT_EQ(events_[0].subject, PlayerId{7});
  EXPECT_EQ(events_[0].ago, 0);
  EXPECT_EQ(tell(101), Numbers{});
  add(102);
  EXPECT_EQ(tell(103), Numbers{2});
  EXPECT_EQ(events_[0].ago, 1);
}

TEST_F(EventQueueTest, ForgetsWhatIsAcknowledged) {
  add(100);
  add(100);
  EXPECT_EQ(tell(100), (Numbers{1, 2}));
  queue_.acknowledge(1, {100});
  EXPECT_EQ(tell(101), Numbers{2}) << "the first came and the second did not";
  queue_.acknowledge(2, {101});
  EXPECT_EQ(tell(400), Numbers{});
}

// The client holds the view of the snapshot that told it, or a later one, and knows nothing of it.
TEST_F(EventQueueTest, TellsAgainWhatWasLost) {
  add(100);
  EXPECT_EQ(tell(100), Numbers{1});
  add(101);
  EXPECT_EQ(tell(101), Numbers{2});
  queue_.acknowledge(0, {99});
  EXPECT_EQ(tell(102), Numbers{}) << "it may still come";
  queue_.acknowledge(0, {100});
  EXPECT_EQ(tell(103), (Numbers{1, 2})) << "the second, if it came, came too early";
  queue_.acknowledge(0, {102});
  EXPECT_EQ(tell(104), Numbers{}) << "a word from before it was told again";
  queue_.acknowledge(2, {103});
  EXPECT_EQ(tell(105), Numbers{});
}

// It was only late: what was told, however often, may be acknowledged.
TEST_F(EventQueueTest, TakesAnAcknowledgementOfWhatItThoughtLost) {
  add(100);
  EXPECT_EQ(tell(100), Numbers{1});
  queue_.acknowledge(0, {100});
  EXPECT_EQ(queue_.due({101}), 1U);
  queue_.acknowledge(1, {100});
  EXPECT_EQ(tell(101), Numbers{});
}

TEST_F(EventQueueTest, TellsAgainAfterASilence) {
  add(100);
  EXPECT_EQ(tell(100), Numbers{1});
  EXPECT_EQ(tell(100 + kRepeat - 1), Numbers{});
  EXPECT_EQ(tell(100 + kRepeat), Numbers{1});
  EXPECT_EQ(events_[0].ago, kRepeat);
  EXPECT_EQ(tell(100 + 2 * kRepeat - 1), Numbers{});
  EXPECT_EQ(tell(100 + 400), Numbers{1});
  EXPECT_EQ(events_[0].ago, 255) << "and no more";
}

TEST_F(EventQueueTest, TakesNoAcknowledgementOfWhatWasNotTold) {
  add(100);
  add(100);
  queue_.acknowledge(1, {});
  queue_.acknowledge(2, {});
  EXPECT_EQ(tell(100), (Numbers{1, 2}));
  for (const int number : {3, 4, 1'000, 0x8000, 0xffff}) {
    queue_.acknowledge(static_cast<std::uint16_t>(number), {99});
  }
  EXPECT_EQ(tell(100 + kRepeat), (Numbers{1, 2}));
}

TEST_F(EventQueueTest, NumbersGoOnOverTheirEnd) {
  std::uint32_t expected = 1;
  for (std::uint32_t tick = 1; tick < 40'000; ++tick, expected += 2) {
    add(tick);
    add(tick);
    ASSERT_EQ(tell(tick), (Numbers{static_cast<std::uint16_t>(expected),
                                   static_cast<std::uint16_t>(expected + 1)}));
    queue_.acknowledge(static_cast<std::uint16_t>(expected + 1), {tick});
  }
}

TEST_F(EventQueueTest, TellsNoMoreAtOnceThanASnapshotHolds) {
  for (int i = 0; i < 20; ++i) {
    add(100);
  }
  EXPECT_EQ(queue_.due({100}), 20U);
  EXPECT_EQ(tell(100).size(), protocol::kSnapshotEventsMax);
  EXPECT_EQ(tell(101), (Numbers{17, 18, 19, 20}));
}

TEST_F(EventQueueTest, HoldsSoManyAndNoMore) {
  for (std::size_t i = 0; i < kEventsWaitingMax; ++i) {
    ASSERT_TRUE(add(100));
  }
  EXPECT_FALSE(add(100));
  EXPECT_EQ(tell(100).size(), protocol::kSnapshotEventsMax);
  queue_.acknowledge(protocol::kSnapshotEventsMax, {100});
  EXPECT_TRUE(add(101)) << "there is room again";
  EXPECT_EQ(tell(101).front(), protocol::kSnapshotEventsMax + 1);
}

}  // namespace
}  // namespace tickbox::server
