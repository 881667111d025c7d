#include "net/event_codec.h"

#include "core/rng.h"
#include "tests/unit/net/samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tickbox::net {
namespace {

std::vector<std::byte> encoded(const Events& events) {
  std::vector<std::byte> bytes;
  encode_events(events, bytes);
  return bytes;
}

bool is_read(const std::vector<std::uint8_t>& bytes) {
  const auto read = decode_events(std::as_bytes(std::span{bytes}));
  if (!read) {
    EXPECT_EQ(read.error(), DropReason::Malformed);
  }
  return read.has_value();
}

/// Any number of any events, more often small than large.
Events random_events(Rng& rng) {
  Events events;
  const auto number = static_cast<std::uint16_t>(rng.next());
  const auto any = [&rng](std::uint64_t below) { return rng.below(1 + rng.below(below)); };
  for (std::size_t count = 1 + rng.below(kSnapshotEventsMax); events.size() < count;) {
    events.push_back({.number = static_cast<std::uint16_t>(number + events.size()),
                      .subject = {static_cast<std::uint16_t>(any(0x1'0000))},
                      .what = static_cast<std::uint16_t>(any(0x1'0000)),
                      .ago = static_cast<std::uint8_t>(any(0x100)),
                      .kind = static_cast<EventKind>(rng.below(kEventKinds))});
  }
  return events;
}

TEST(EventCodec, GivesBackAnyEvents) {
  Rng rng{17};
  for (int round = 0; round < 2'000; ++round) {
    const Events events = random_events(rng);
    const auto bytes = encoded(events);
    EXPECT_EQ(bytes.size(), encoded_bytes(events));
    EXPECT_LE(bytes.size(), event_bytes_max(events.size()));
    const auto read = decode_events(bytes);
    ASSERT_TRUE(read);
    EXPECT_TRUE(std::ranges::equal(*read, events));
  }
}

TEST(EventCodec, TakesAsFewBytesAsThePageSays) {
  EXPECT_EQ(encoded(samples::events()).size(), samples::kEventBytes);
  EXPECT_TRUE(encoded({}).empty());
  Events hit;
  hit.push_back({.number = 1, .subject = {127}, .what = 127, .ago = 62, .kind = EventKind::Hit});
  EXPECT_EQ(encoded(hit).size(), 5U);
}

TEST(EventCodec, TakesAllThatAnEventCanBeAtMost) {
  Events events;
  while (!events.full()) {
    events.push_back({.number = static_cast<std::uint16_t>(events.size()),
                      .subject = {0xffff},
                      .what = 0xffff,
                      .ago = 255,
                      .kind = EventKind::Spawn});
  }
  EXPECT_EQ(encoded(events).size(), event_bytes_max(events.size()));
}

TEST(EventCodec, RefusesWhatNobodyWrites) {
  EXPECT_TRUE(is_read({7, 0, 0, 1, 2}));
  EXPECT_FALSE(is_read({})) << "none";
  EXPECT_FALSE(is_read({7})) << "cut in the number";
  EXPECT_FALSE(is_read({7, 0})) << "a number of nothing";
  EXPECT_FALSE(is_read({7, 0, 0, 1})) << "cut in an event";
  EXPECT_FALSE(is_read({7, 0, 3, 1, 2})) << "of no kind";
  EXPECT_FALSE(is_read({7, 0, 0, 0x81, 0x00, 2})) << "a number with more bytes than it needs";
  EXPECT_FALSE(is_read({7, 0, 0, 1, 0xff, 0xff, 0x04})) << "what, over 16 bits";
  EXPECT_TRUE(is_read({7, 0, 0, 1, 0xff, 0xff, 0x03}));
  EXPECT_TRUE(is_read({7, 0, 63 << 2, 192, 1, 2})) << "255 ticks ago";
  EXPECT_FALSE(is_read({7, 0, 63 << 2, 193, 1, 2})) << "256 ticks ago";
}

TEST(EventCodec, RefusesMoreThanASnapshotHas) {
  std::vector<std::uint8_t> bytes{7, 0};
  for (std::size_t i = 0; i < kSnapshotEventsMax; ++i) {
    bytes.insert(bytes.end(), {0, 1, 2});
  }
  EXPECT_TRUE(is_read(bytes));
  bytes.insert(bytes.end(), {0, 1, 2});
  EXPECT_FALSE(is_read(bytes));
}

}  // namespace
}  // namespace tickbox::net
