// The events of a snapshot as bits.

#include "views/events.h"

#include "tests/support/field_game.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tickbox::views {
namespace {

namespace field = tests::field;

constexpr std::uint8_t kSeatKind = 0;
constexpr std::uint8_t kHitKind = 1;

class EventsTest : public ::testing::Test {
 protected:
  using Ages = std::vector<std::uint32_t>;

  /// Writes an event for each age, in turn a new state of seat 3 and a hit by seat 5.
  static std::vector<std::byte> list(const Ages& ages, std::uint16_t number = 1) {
    std::vector<std::byte> bytes;
    engine::BitWriter out{bytes};
    out.write(number, 16);
    for (std::size_t i = 0; i < ages.size(); ++i) {
      const std::size_t before = out.written();
      write_event_head(ages[i], out);
      EXPECT_EQ(out.written() - before, event_head_bits(ages[i]));
      put(i, out);
    }
    out.write(0, 1);
    return bytes;
  }

  static void put(std::size_t i, engine::BitWriter& out) {
    const auto score = field::bytes_of(field::Score{.points = static_cast<std::int32_t>(i)});
    const auto hit = field::bytes_of(field::Hit{.shooter = {5}, .witness = {}});
    if (i % 2 == 0) {
      write_event(field::game(), {.kind = kSeatKind, .player = {3}, .bytes = score}, out);
    } else {
      write_event(field::game(), {.kind = kHitKind, .player = {}, .bytes = hit}, out);
    }
  }

  bool read(const std::vector<std::byte>& bytes) {
    return read_events(field::game(), bytes, received_);
  }

  ReceivedEvents received_;
};

TEST_F(EventsTest, NoBytesAreNoEvents) {
  EXPECT_TRUE(read(list({0})));
  EXPECT_TRUE(read({}));
  EXPECT_TRUE(received_.events.empty());
}

TEST_F(EventsTest, ComeBackInOrderWithTheirAgesAndValues) {
  const Ages ages{300, 256, 255, 62, 32, 31, 30, 1, 0};
  ASSERT_TRUE(read(list(ages, 65'533)));
  ASSERT_EQ(received_.events.size(), ages.size());
  for (std::size_t i = 0; i < ages.size(); ++i) {
    const ReceivedEvent& event = received_.events[i];
    EXPECT_EQ(event.number, static_cast<std::uint16_t>(65'533 + i));
    EXPECT_EQ(event.age, std::min(ages[i], kEventAgeMax));
    EXPECT_EQ(event.kind, i % 2 == 0 ? kSeatKind : kHitKind);
    EXPECT_EQ(event.player, i % 2 == 0 ? Player{3} : Player{});
    const ConstBytes bytes = received_.event(field::game(), i).bytes;
    if (i % 2 == 0) {
      EXPECT_EQ(reinterpret_cast<const field::Score*>(bytes.data())->points, i);
    } else {
      EXPECT_EQ(reinterpret_cast<const field::Hit*>(bytes.data())->shooter, Player{5});
    }
  }
}

TEST_F(EventsTest, AnAgeOfASecondOrMoreTakesAByteMore) {
  EXPECT_EQ(event_head_bits(0), 6U);
  EXPECT_EQ(event_head_bits(30), 6U);
  EXPECT_EQ(event_head_bits(31), 14U);
  EXPECT_EQ(event_head_bits(1'000'000), 14U);
}

TEST_F(EventsTest, AsManyAsASnapshotHoldsAndNoMore) {
  EXPECT_TRUE(read(list(Ages(kSnapshotEventsMax, 0))));
  EXPECT_FALSE(read(list(Ages(kSnapshotEventsMax + 1, 0))));
}

TEST_F(EventsTest, AListWithoutAnEventIsRefused) {
  EXPECT_FALSE(read(list({})));
}

TEST_F(EventsTest, AnAgeBeyondTheGreatestIsRefused) {
  const auto with_age = [](std::uint32_t more) {
    std::vector<std::byte> bytes;
    engine::BitWriter out{bytes};
    out.write(1, 16);
    out.write(1, 1);
    out.write(31, 5);
    out.write(more, 8);
    put(0, out);
    out.write(0, 1);
    return bytes;
  };
  EXPECT_TRUE(read(with_age(224)));
  EXPECT_EQ(received_.events[0].age, kEventAgeMax);
  EXPECT_FALSE(read(with_age(225)));
  EXPECT_FALSE(read(with_age(255)));
}

}  // namespace
}  // namespace tickbox::views
