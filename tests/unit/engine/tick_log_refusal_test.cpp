// Bytes of a tick that a reader refuses, each beside the nearest ones that it takes.

#include "engine/log/tick_log.h"
#include "tests/support/bytes.h"
#include "tests/unit/engine/yard.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace tickbox::engine {
namespace {

using tests::bytes;
using tests::Bytes;

/// Returns whether a reader takes the tick. Its room is a yard of four seats, of which 0 and 2 are
/// taken. The last input of seat 0 was received.
bool reads(const Bytes& tick) {
  static const World kWorld = [] {
    World world{tests::yard(), make_map(tests::yard(), {.seats = 4}, 60), 60, 1};
    world.occupy_seat({0});
    world.occupy_seat({2});
    return world;
  }();
  constexpr std::array kSources{InputSource::Received, InputSource::Neutral, InputSource::Neutral,
                                InputSource::Neutral};
  TickLogReader reader{tests::yard()};
  reader.begin(kWorld, kSources);
  DecodedTick read;
  return reader.read(tick, read).has_value();
}

bool reads(std::initializer_list<int> tick) {
  return reads(bytes(tick));
}

/// Returns a tick of one outcome, with its size.
Bytes outcome(std::initializer_list<int> content) {
  Bytes tick = bytes({8, 1, static_cast<int>(content.size())});
  const Bytes all = bytes(content);
  tick.insert(tick.end(), all.begin(), all.end());
  return tick;
}

TEST(TickLogRefusal, OfLists) {
  EXPECT_TRUE(reads({}));
  EXPECT_FALSE(reads({0})) << "no list";
  EXPECT_FALSE(reads({16})) << "an unknown list";
  EXPECT_FALSE(reads({20, 1, 0, 4, 5})) << "beside a known one";
  for (const int list : {1, 2, 4, 8}) {
    EXPECT_FALSE(reads({list})) << "no count";
    EXPECT_FALSE(reads({list, 0})) << "an empty list";
    EXPECT_FALSE(reads({list, 1})) << "ends early";
    EXPECT_FALSE(reads({list, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) << "more than seats";
    EXPECT_FALSE(reads({list, 0xff, 0xff, 0xff, 0xff, 0x0f})) << "far more";
  }
  EXPECT_TRUE(reads({4, 1, 0, 4, 5}));
  EXPECT_FALSE(reads({4, 1, 0, 4, 5, 0})) << "a byte more";
  EXPECT_FALSE(reads({4, 0x81, 0x00, 0, 4, 5})) << "a count in a longer form";
}

TEST(TickLogRefusal, OfMoreBytesThanATickMayHave) {
  Bytes tick(kTickBytesMax + 1);
  tick[0] = std::byte{8};
  EXPECT_FALSE(reads(tick));
}

TEST(TickLogRefusal, OfLeaves) {
  EXPECT_TRUE(reads({9, 1, 0, 1, 1, 0}));
  EXPECT_TRUE(reads({9, 1, 2, 1, 1, 0}));
  EXPECT_TRUE(reads({9, 2, 0, 1, 2, 1, 0, 1, 0})) << "both";
  EXPECT_FALSE(reads({1, 1, 0})) << "a leave without its outcome";
  EXPECT_FALSE(reads({9, 2, 0, 1, 1, 1, 0})) << "one outcome for two";
  EXPECT_FALSE(reads({9, 1, 0, 2, 1, 0, 1, 0})) << "two outcomes for one";
  EXPECT_FALSE(reads({8, 1, 1, 0})) << "an outcome without a leave";
  EXPECT_FALSE(reads({9, 1, 0, 1, 1, 1})) << "at the end of the tick";
  EXPECT_FALSE(reads({9, 1, 0, 1, 2, 0, 0})) << "an outcome with a seat";
  EXPECT_FALSE(reads({9, 1, 1, 1, 1, 0})) << "nobody is there";
  EXPECT_FALSE(reads({9, 1, 4, 1, 1, 0})) << "no such seat";
  EXPECT_FALSE(reads({9, 2, 2, 0, 2, 1, 0, 1, 0})) << "the seat after 2 is 3";
  EXPECT_FALSE(reads({9, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 1, 0})) << "beyond any seat";
  EXPECT_FALSE(reads({9, 1, 0x80, 0x00, 1, 1, 0})) << "seat 0 in a longer form";
}

TEST(TickLogRefusal, OfJoins) {
  EXPECT_TRUE(reads({10, 1, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 2}));
  EXPECT_TRUE(reads({10, 1, 1, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 2})) << "a user byte";
  EXPECT_FALSE(reads({2, 1, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8})) << "a join without its outcome";
  EXPECT_FALSE(reads({10, 1, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 0})) << "a leave in its place";
  EXPECT_FALSE(reads({10, 1, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 3})) << "at the end of the tick";
  EXPECT_FALSE(reads({10, 1, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 2})) << "somebody is there";
  EXPECT_TRUE(reads({11, 1, 0, 1, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8, 2, 1, 0, 1, 2}))
      << "who was there leaves";
  EXPECT_FALSE(reads({11, 1, 0, 1, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8, 2, 1, 2, 1, 0}))
      << "a leave after a join";
  EXPECT_FALSE(reads({11, 1, 0, 1, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 2, 1, 2, 1, 0}))
      << "of another seat too";
  EXPECT_FALSE(reads({10, 1, 4, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 2})) << "no such seat";
  EXPECT_FALSE(reads({10, 1, 1, 7, 1, 2, 3, 4, 5, 6, 7, 1, 1, 2})) << "too short for a client";
  EXPECT_FALSE(reads({10, 1, 1, 0x88, 0x00, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 2}))
      << "a size in a longer form";
}

TEST(TickLogRefusal, OfUserBytes) {
  for (const std::size_t size : {std::size_t{0}, kUserDataMax, kUserDataMax + 1}) {
    Bytes tick = bytes({10, 1, 1});
    NumberWriter out{tick};
    out.number(static_cast<std::uint32_t>(8 + size));
    tick.resize(tick.size() + 8 + size, std::byte{'x'});
    out.bytes(bytes({1, 1, 2}));
    EXPECT_EQ(reads(tick), size <= kUserDataMax) << size;
  }
}

TEST(TickLogRefusal, OfInputs) {
  EXPECT_TRUE(reads({4, 1, 0, 4, 5}));
  EXPECT_TRUE(reads({4, 2, 0, 4, 5, 1, 4, 5})) << "of both";
  EXPECT_FALSE(reads({4, 1, 1, 4, 5})) << "nobody is there";
  EXPECT_FALSE(reads({13, 1, 0, 1, 0, 4, 5, 1, 1, 0})) << "a player who leaves";
  EXPECT_FALSE(reads({4, 1, 4, 4, 5})) << "no such seat";
  EXPECT_FALSE(reads({4, 1, 0, 7, 5})) << "a source that does not exist";
  EXPECT_FALSE(reads({4, 1, 0, 0x84, 0x00, 5})) << "its size in a longer form";
  EXPECT_FALSE(reads({4, 1, 0, 0xfc, 0xff, 0xff, 0xff, 0x0f, 5})) << "a huge size";
  EXPECT_FALSE(reads({4, 1, 0, 0})) << "nothing is new";
  EXPECT_TRUE(reads({4, 1, 0, 1})) << "but the source";
  EXPECT_FALSE(reads({4, 1, 2, 2})) << "nothing is new";
  EXPECT_TRUE(reads({4, 1, 0, 4, 0})) << "the input by default";
  EXPECT_FALSE(reads({4, 1, 0, 4, 7})) << "walks faster than it can";
  EXPECT_FALSE(reads({4, 1, 0, 4, 3})) << "the value by default is written";
  EXPECT_FALSE(reads({4, 1, 0, 4, 0x45})) << "a bit that fills up is set";
  EXPECT_FALSE(reads({4, 1, 0, 4})) << "ends early";
  EXPECT_FALSE(reads({4, 1, 0, 8, 5, 0})) << "a byte more than an input has";
}

TEST(TickLogRefusal, OfOutcomes) {
  EXPECT_TRUE(reads({8, 1, 10, 20, 0, 1, 2, 3, 4, 5, 6, 7, 8})) << "seat 0 strikes";
  EXPECT_FALSE(reads({8, 1, 10, 21, 0, 1, 2, 3, 4, 5, 6, 7, 8})) << "at the end of the tick";
  EXPECT_FALSE(reads({8, 1, 9, 20, 0, 1, 2, 3, 4, 5, 6, 7})) << "of half an entity";
  EXPECT_FALSE(reads({8, 1, 11, 20, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9})) << "a byte more";
  EXPECT_FALSE(reads({8, 1, 11, 20, 0x80, 0x20, 1, 2, 3, 4, 5, 6, 7, 8})) << "seat 4,096";
  EXPECT_FALSE(reads(outcome({22}))) << "an unknown outcome";
  EXPECT_FALSE(reads(outcome({}))) << "none";
  EXPECT_FALSE(reads({8, 1, 0x81, 0x00, 16, 0})) << "a size in a longer form";

  EXPECT_TRUE(reads(outcome({6, 1, 2, 3, 4, 5, 6, 7, 8}))) << "removed";
  EXPECT_FALSE(reads(outcome({6, 1, 2, 3, 4, 5, 6, 7})));
  EXPECT_TRUE(reads(outcome({12, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0}))) << "decided";
  EXPECT_FALSE(reads(outcome({12, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0}))) << "an outcome of no game";
  EXPECT_TRUE(reads(outcome({14, 0, 0}))) << "a seat's state";
  EXPECT_TRUE(reads(outcome({16, 0}))) << "the room's";
  EXPECT_FALSE(reads(outcome({16, 1}))) << "of half a value";
  EXPECT_FALSE(reads(outcome({16, 4}))) << "with a bit that fills up";
  EXPECT_FALSE(reads(outcome({10, 0, 0, 0}))) << "a command that the game does not have";
  EXPECT_FALSE(reads(outcome({4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})))
      << "a kind that the game does not have";
}

TEST(TickLogRefusal, OfOutcomesInAnotherOrder) {
  const auto room_in_phase = [](int phase) { return 16 + phase; };
  EXPECT_TRUE(reads({8, 2, 2, room_in_phase(0), 0, 2, room_in_phase(1), 0}));
  EXPECT_FALSE(reads({8, 2, 2, room_in_phase(1), 0, 2, room_in_phase(0), 0}));
  EXPECT_TRUE(reads({8, 2, 2, 16, 0, 10, 20, 0, 1, 2, 3, 4, 5, 6, 7, 8})) << "then a strike";
  EXPECT_FALSE(reads({8, 2, 10, 20, 0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 16, 0})) << "after a strike";
  EXPECT_TRUE(reads({8, 2, 10, 20, 0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 17, 0})) << "at the end";
  EXPECT_FALSE(reads({8, 2, 2, 17, 0, 10, 20, 0, 1, 2, 3, 4, 5, 6, 7, 8})) << "then a strike";
}

}  // namespace
}  // namespace tickbox::engine
