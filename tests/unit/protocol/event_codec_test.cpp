#include "protocol/event_codec.h"

#include "core/rng.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tickbox::protocol {
namespace {

std::vector<std::byte> encoded(const Events& events) {
  std::vector<std::byte> bytes;
  encode_events(events, bytes);
  return bytes;
}

bool is_read(const std::vector<std::uint8_t>& bytes) {
  const auto read = decode_events(std::as_bytes(std::span{bytes}));
  if (!read) {
    EXPECT_EQ(read.error(), net::DropReason::Malformed);
  }
  return read.has_value();
}

/// What one shot brings about, a byte for each of its numbers.
Events one_shot(std::uint8_t ago = 0) {
  Events events;
  events.push_back({.number = 7, .subject = {1}, .what = 2, .ago = ago, .kind = EventKind::Hit});
  events.push_back({.number = 8, .subject = {1}, .what = 3, .ago = ago, .kind = EventKind::Score});
  events.push_back({.number = 9, .subject = {2}, .what = 4, .ago = ago, .kind = EventKind::Spawn});
  return events;
}

/// Any number of any events, more often small than large, and often one shot's.
Events random_events(Rng& rng) {
  Events events;
  const auto number = static_cast<std::uint16_t>(rng.next());
  const auto any = [&rng](std::uint64_t below) { return rng.below(1 + rng.below(below)); };
  for (std::size_t count = 1 + rng.below(kSnapshotEventsMax); events.size() < count;) {
    Event event{.number = static_cast<std::uint16_t>(number + events.size()),
                .subject = {static_cast<std::uint16_t>(any(0x1'0000))},
                .what = static_cast<std::uint16_t>(any(0x1'0000)),
                .ago = static_cast<std::uint8_t>(any(0x100)),
                .kind = static_cast<EventKind>(rng.below(kEventKinds))};
    if (!events.empty() && rng.below(4) != 0) {
      const Event& before = events[events.size() - 1];
      event.ago = before.ago;
      event.subject =
          event.kind == EventKind::Score ? before.subject : events[events.size() / 2].subject;
      if (events.size() > 1)
        event.subject.value =
            rng.below(2) == 0 ? before.subject.value : events[events.size() - 2].what;
    }
    events.push_back(event);
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
  hit.push_back({.number = 1, .subject = {127}, .what = 127, .ago = 30, .kind = EventKind::Hit});
  EXPECT_EQ(encoded(hit).size(), 5U);
}

TEST(EventCodec, TellsWhatOneShotBroughtAboutInOne) {
  EXPECT_EQ(encoded(one_shot()).size(), 7U);
  Events hit_and_score = one_shot();
  hit_and_score.pop_back();
  EXPECT_EQ(encoded(hit_and_score).size(), 6U);
}

// Each of these would be another's, or of another time.
TEST(EventCodec, TellsApartWhatDoesNotBelongTogether) {
  const auto with = [](std::size_t index, auto change) {
    Events events = one_shot(5);
    change(events[index]);
    return encoded(events).size();
  };
  EXPECT_EQ(with(0, [](Event& hit) { hit.ago = 6; }), 11U);
  EXPECT_EQ(with(1, [](Event& score) { score.subject = {2}; }), 11U);
  EXPECT_EQ(with(1, [](Event& score) { score.kind = EventKind::Spawn; }), 11U);
  EXPECT_EQ(with(2, [](Event& spawn) { spawn.ago = 4; }), 9U);
  EXPECT_EQ(with(2, [](Event& spawn) { spawn.subject = {1}; }), 9U);
  EXPECT_EQ(with(2, [](Event& spawn) { spawn.kind = EventKind::Score; }), 9U);
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
  EXPECT_TRUE(is_read({7, 0, 3, 1, 2, 3}));
  EXPECT_FALSE(is_read({7, 0, 3, 1, 2})) << "cut before the score";
  EXPECT_TRUE(is_read({7, 0, 4, 1, 2, 3, 4}));
  EXPECT_FALSE(is_read({7, 0, 4, 1, 2, 3})) << "cut before the spawn";
  EXPECT_FALSE(is_read({7, 0, 5, 1, 2, 3, 4})) << "of no form";
  EXPECT_FALSE(is_read({7, 0, 0, 1, 2, 1, 1, 3})) << "a hit and its score, in two";
  EXPECT_FALSE(is_read({7, 0, 3, 1, 2, 3, 2, 2, 4})) << "and the spawn of whom it hit, in two";
  EXPECT_FALSE(is_read({7, 0, 0, 0x81, 0x00, 2})) << "a number with more bytes than it needs";
  EXPECT_FALSE(is_read({7, 0, 0, 1, 0xff, 0xff, 0x04})) << "what, over 16 bits";
  EXPECT_TRUE(is_read({7, 0, 0, 1, 0xff, 0xff, 0x03}));
  EXPECT_TRUE(is_read({7, 0, 31 << 3, 224, 1, 2})) << "255 ticks ago";
  EXPECT_FALSE(is_read({7, 0, 31 << 3, 225, 1, 2})) << "256 ticks ago";
}

TEST(EventCodec, RefusesMoreThanASnapshotHas) {
  std::vector<std::uint8_t> bytes{7, 0};
  for (std::size_t i = 1; i < kSnapshotEventsMax; ++i) {
    bytes.insert(bytes.end(), {0, 1, 2});
  }
  std::vector<std::uint8_t> strike = bytes;
  strike.insert(strike.end(), {4, 1, 2, 3, 4});
  EXPECT_FALSE(is_read(strike)) << "three, of which one has room";
  bytes.insert(bytes.end(), {0, 1, 2});
  EXPECT_TRUE(is_read(bytes));
  bytes.insert(bytes.end(), {0, 1, 2});
  EXPECT_FALSE(is_read(bytes)) << "one more than a snapshot has";
}

}  // namespace
}  // namespace tickbox::protocol
