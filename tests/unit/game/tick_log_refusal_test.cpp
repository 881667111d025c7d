// Bytes of a tick that a reader refuses, each beside the nearest ones that it takes.

#include "core/numbers.h"
#include "game/tick_log.h"
#include "tests/support/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace tickbox::game {
namespace {

using enum InputSource;
using tests::bytes;
using tests::Bytes;

constexpr std::uint64_t kClient = 0x0102'0304'0506'0708;

/// Of four seats 0 and 2 are taken: the stick of 0 points east, and its inputs are received.
LoggedWorld two_of_four() {
  LoggedWorld world{.tick = {70}};
  world.seats.resize(4);
  world.sources.assign(4, Neutral);
  world.sources[0] = Received;
  for (const std::uint16_t seat : {std::uint16_t{0}, std::uint16_t{2}}) {
    world.seats[seat] = {.generation = 1, .taken = true};
    world.entities.push_back({.id = player_body({seat}, 1),
                              .min = {},
                              .velocity = {},
                              .traits = {.move = static_cast<std::uint8_t>(seat == 0 ? 1 : 0)}});
  }
  return world;
}

bool reads(std::initializer_list<int> tick) {
  TickLogReader reader;
  reader.begin(two_of_four());
  LoggedTick read;
  return reader.read(bytes(tick), read).has_value();
}

TEST(TickLogReader, RefusesListsThatCannotBe) {
  EXPECT_TRUE(reads({}));
  EXPECT_FALSE(reads({0})) << "says that it says nothing";
  EXPECT_FALSE(reads({16})) << "a list that there is not";
  EXPECT_FALSE(reads({20, 1, 0, 4, 5})) << "beside one that there is";
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

TEST(TickLogReader, RefusesLeavesThatCannotBe) {
  EXPECT_TRUE(reads({1, 1, 0}));
  EXPECT_TRUE(reads({1, 1, 2}));
  EXPECT_TRUE(reads({1, 2, 0, 1})) << "both";
  EXPECT_FALSE(reads({1, 1, 1})) << "nobody is there";
  EXPECT_FALSE(reads({1, 1, 4})) << "no such seat";
  EXPECT_FALSE(reads({1, 2, 2, 0})) << "the seat after 2 is 3";
  EXPECT_FALSE(reads({1, 2, 0, 3})) << "seat 4";
  EXPECT_FALSE(reads({1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f})) << "beyond any seat";
  EXPECT_FALSE(reads({1, 2, 2, 0xff, 0xff, 0xff, 0xff, 0x0f})) << "round to seat 2 again";
  EXPECT_FALSE(reads({1, 1, 0x80, 0x00})) << "seat 0 in a longer form";
}

TEST(TickLogReader, RefusesJoinsThatCannotBe) {
  EXPECT_TRUE(reads({2, 1, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_FALSE(reads({2, 1, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8})) << "somebody is there";
  EXPECT_TRUE(reads({3, 1, 0, 1, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8})) << "not any more";
  EXPECT_FALSE(reads({2, 1, 4, 8, 1, 2, 3, 4, 5, 6, 7, 8})) << "no such seat";
  EXPECT_FALSE(reads({2, 1, 1, 8, 1, 2, 3, 4, 5, 6, 7})) << "ends early";
  EXPECT_FALSE(reads({2, 1, 1, 7, 1, 2, 3, 4, 5, 6, 7})) << "too short for a client";
  EXPECT_FALSE(reads({2, 1, 1, 7, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_FALSE(reads({2, 1, 1, 0x88, 0x00, 1, 2, 3, 4, 5, 6, 7, 8})) << "a size in a longer form";
  EXPECT_TRUE(reads({2, 2, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(TickLogReader, ReadsOverWhatALaterVersionAppendsToAJoin) {
  for (const std::uint32_t size : {9U, 300U, 1'024U, 1'025U}) {
    Bytes tick = bytes({2, 1, 3});
    NumberWriter out{tick};
    out.number(size);
    out.fixed(kClient);
    tick.resize(tick.size() + size - sizeof kClient, std::byte{0xee});
    TickLogReader reader;
    reader.begin(two_of_four());
    LoggedTick read;
    const bool is_read = reader.read(tick, read).has_value();
    EXPECT_EQ(is_read, size <= 1'024) << size;
    if (!is_read) continue;
    EXPECT_EQ(read.joins, std::vector{PlayerId{3}});
    EXPECT_EQ(read.clients, std::vector{kClient});
    EXPECT_EQ(read.inputs.size(), 3U);
  }
}

TEST(TickLogReader, RefusesInputsThatCannotBe) {
  EXPECT_TRUE(reads({4, 1, 0, 4, 5}));
  EXPECT_TRUE(reads({4, 2, 0, 4, 5, 1, 4, 5})) << "of both";
  EXPECT_FALSE(reads({4, 1, 1, 4, 5})) << "nobody is there";
  EXPECT_FALSE(reads({5, 1, 0, 1, 0, 4, 5})) << "nobody is there any more";
  EXPECT_FALSE(reads({4, 1, 4, 4, 5})) << "no such seat";
  EXPECT_FALSE(reads({4, 1, 0, 7, 5})) << "from nowhere that there is";
  EXPECT_FALSE(reads({4, 1, 0, 0x84, 0x00, 5})) << "its size in a longer form";
  EXPECT_FALSE(reads({4, 1, 0, 0xfc, 0xff, 0xff, 0xff, 0x0f, 5})) << "a huge size";
  EXPECT_FALSE(reads({4, 1, 0, 4, 1})) << "the stick is there already";
  EXPECT_FALSE(reads({4, 1, 0, 5, 1})) << "and so is said by no byte";
  EXPECT_FALSE(reads({4, 1, 0, 0})) << "nothing is new";
  EXPECT_TRUE(reads({4, 1, 0, 1})) << "but where it comes from";
  EXPECT_FALSE(reads({4, 1, 2, 2})) << "nothing is new";
  EXPECT_TRUE(reads({4, 1, 0, 4, 8}));
  EXPECT_FALSE(reads({4, 1, 0, 4, 9})) << "a direction that there is not";
  EXPECT_FALSE(reads({4, 1, 0, 4})) << "ends early";
  EXPECT_FALSE(reads({4, 1, 0, 8, 5, 0})) << "a byte more than an input has";

  EXPECT_TRUE(reads({4, 1, 0, 12, 0x11, 0xff, 0x03}));
  EXPECT_FALSE(reads({4, 1, 0, 4, 0x11})) << "a button without an aim";
  EXPECT_FALSE(reads({4, 1, 0, 8, 0x11, 0xff}));
  EXPECT_FALSE(reads({4, 1, 0, 12, 0x11, 0x00, 0x04})) << "aims where nothing is";
  EXPECT_FALSE(reads({4, 1, 0, 12, 0x41, 0x00, 0x00})) << "a button that there is not";
  EXPECT_FALSE(reads({4, 1, 0, 12, 0x51, 0x00, 0x00})) << "beside one that there is";
  EXPECT_FALSE(reads({4, 1, 0, 16, 0x11, 0x00, 0x00, 0x00})) << "a shot does not look back";
  EXPECT_TRUE(reads({4, 1, 0, 16, 0x21, 0x00, 0x00, 0xff}));
  EXPECT_TRUE(reads({4, 1, 0, 16, 0x31, 0x00, 0x00, 0xff})) << "both at once";
  EXPECT_FALSE(reads({4, 1, 0, 12, 0x21, 0x00, 0x00})) << "a ray does";
  EXPECT_FALSE(reads({4, 1, 0, 20, 0x21, 0x00, 0x00, 0xff, 0}));
}

TEST(TickLogReader, RefusesOutcomesThatCannotBe) {
  EXPECT_TRUE(reads({8, 1, 6, 0, 0, 2, 0x10, 0, 0})) << "seat 0 strikes seat 2";
  EXPECT_TRUE(reads({8, 2, 6, 0, 0, 2, 0x10, 0, 0, 6, 2, 0, 0, 0x10, 0, 0}));
  EXPECT_FALSE(reads({8, 2, 6, 0, 0, 2, 0x10, 0, 0, 6, 0, 0, 0, 0x10, 0, 0})) << "twice";
  EXPECT_FALSE(reads({8, 2, 6, 2, 0, 2, 0x10, 0, 0, 6, 0, 0, 0, 0x10, 0, 0})) << "the other way";
  EXPECT_FALSE(reads({8, 1, 6, 4, 0, 2, 0x10, 0, 0})) << "a shooter without a seat";
  EXPECT_FALSE(reads({8, 1, 6, 0, 0, 4, 0x10, 0, 0})) << "a victim without one";
  EXPECT_FALSE(reads({8, 1, 6, 0, 0, 0, 0, 0, 0x40})) << "a crate";
  EXPECT_FALSE(reads({8, 1, 6, 0, 0, 0, 0, 0, 0x80})) << "a bullet";
  EXPECT_FALSE(reads({8, 1, 5, 0, 0, 2, 0x10, 0}));
  EXPECT_FALSE(reads({8, 1, 7, 0, 0, 2, 0x10, 0, 0, 0}));
  EXPECT_FALSE(reads({8, 1, 6, 0, 0, 2, 0x10, 0})) << "ends early";
}

}  // namespace
}  // namespace tickbox::game
