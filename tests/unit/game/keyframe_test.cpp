#include "game/keyframe.h"

#include "tests/support/altered.h"
#include "tests/support/bytes.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace tickbox::game {
namespace {

using enum InputSource;
using tests::altered;
using tests::bytes;
using tests::Bytes;
using tests::RecordedMatch;

Bytes encoded(const LoggedWorld& world) {
  Bytes bytes = tests::bytes({1, 2, 3});  // in place of what is there
  encode_keyframe(world, bytes);
  return bytes;
}

LoggedWorld some_world() {
  return {.tick = {77'000},
          .state_hash = 0x1112'1314'1516'1718,
          .random = 0x2122'2324'2526'2728,
          .seats = {{.generation = 1, .score = 300, .taken = true},
                    {.generation = 16, .score = 0, .taken = false},
                    {.generation = 2, .score = 0x3fff'ffff, .taken = true}},
          .sources = {Repeated, Neutral, Received},
          .entities = {{.id = player_body({0}, 1),
                        .min = {.x = -5, .y = 6},
                        .velocity = {.x = 7, .y = -8},
                        .traits = {.kind = EntityKind::Player, .move = 3, .timer = 30}},
                       {.id = player_body({2}, 2),
                        .min = {.x = 70'000, .y = -70'000},
                        .velocity = {},
                        .traits = {.kind = EntityKind::Player}},
                       {.id = crate_body(9),
                        .min = {.x = 1, .y = 2},
                        .velocity = {},
                        .traits = {.kind = EntityKind::Crate}},
                       {.id = bullet_body({2}, {90'000}),
                        .min = {.x = 3, .y = 4},
                        .velocity = {.x = 200'000, .y = -4},
                        .traits = {.kind = EntityKind::Bullet, .timer = 60}}}};
}

TEST(Keyframe, AsTheStandardSays) {
  LoggedWorld world = some_world();
  world.entities.resize(1);
  EXPECT_EQ(encoded(world), bytes({0xc8, 0x2c, 0x01, 0x00,                          // tick 77,000
                                   0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,  // hash
                                   0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21,  // random
                                   3,                                               // seats
                                   0x0b, 0xac, 0x02,                    // 1, repeated, taken; 300
                                   0x84, 0x01, 0,                       // 16, neutral, free; 0
                                   0x11, 0xff, 0xff, 0xff, 0xff, 0x03,  // 2, received, taken
                                   1,                                   // entities
                                   22,   0x00, 0x10, 0x00, 0x00,        // size, id
                                   0xfb, 0xff, 0xff, 0xff, 6,    0,    0,    0,     // place
                                   7,    0,    0,    0,    0xf8, 0xff, 0xff, 0xff,  // velocity
                                   3,    30}));                                     // stick, timer
}

TEST(Keyframe, ComesBackAsItWas) {
  LoggedWorld read;
  read.entities.resize(20);
  read.seats.resize(20);
  ASSERT_TRUE(decode_keyframe(encoded(some_world()), read));
  EXPECT_EQ(read, some_world()) << "nothing is left of before";
}

TEST(Keyframe, OfAMatchIsItsWorldAndWhereInputsCameFrom) {
  RecordedMatch match{{.seats = 12, .seed = 3}};
  for (int i = 0; i < 300; ++i) {
    const record::RecordedTick played = match.step();
    Bytes bytes;
    match.room().log().keyframe(match.world(), match.room().hash(), bytes);
    EXPECT_LE(bytes.size(), keyframe_bytes_of(match.world()));
    LoggedWorld read;
    ASSERT_TRUE(decode_keyframe(bytes, read));
    EXPECT_EQ(encoded(read), bytes);
    EXPECT_EQ(read, logged_world(match.world(), match.room().hash(), played));
    EXPECT_EQ(read.tick, played.tick);
    EXPECT_EQ(read.state_hash, played.state_hash);
    EXPECT_EQ(read.random, match.world().rng.state());
    EXPECT_TRUE(std::ranges::equal(read.seats, match.world().seats()));
    std::vector<EntityState> entities;
    match.world().append_entities(entities);
    EXPECT_EQ(read.entities, entities);
    std::vector<InputSource> sources(12, Neutral);
    for (std::size_t n = 0; n < played.inputs.size(); ++n) {
      sources[played.inputs[n].player.value] = played.sources[n];
    }
    ASSERT_EQ(read.sources, sources) << "tick " << played.tick.value;
  }
}

TEST(Keyframe, OfTheLargestRoomHasItsBytesAtTheMost) {
  LoggedWorld world{.tick = {0xffff'ffff}};
  world.seats.assign(kSeatsMax,
                     {.generation = kGenerations - 1, .score = 0xffff'ffff, .taken = true});
  world.sources.assign(kSeatsMax, Neutral);
  for (std::uint32_t i = 0; i < kLoggedEntitiesMax; ++i) {
    world.entities.push_back(
        {.id = crate_body(i), .min = {}, .velocity = {}, .traits = {.kind = EntityKind::Crate}});
  }
  const Bytes bytes = encoded(world);
  EXPECT_LE(bytes.size(), kKeyframeBytesMax);
  LoggedWorld read;
  ASSERT_TRUE(decode_keyframe(bytes, read));
  EXPECT_EQ(read, world);
}

TEST(Keyframe, IsRefusedWhereItCannotBe) {
  const auto reads_with = [](auto&& change) {
    LoggedWorld world = some_world();
    change(world);
    LoggedWorld read;
    return decode_keyframe(encoded(world), read).has_value();
  };
  EXPECT_TRUE(reads_with([](LoggedWorld&) {}));
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { w.seats[1].generation = kGenerations; }));
  EXPECT_FALSE(reads_with(
      [](LoggedWorld& w) { w.sources[0] = std::bit_cast<InputSource>(std::uint8_t{3}); }));
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { w.sources[1] = Received; })) << "nobody is there";
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { std::swap(w.entities[0], w.entities[1]); }));
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { w.entities[1] = w.entities[0]; })) << "twice";
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { w.entities[0].traits.move = 9; }));
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { w.entities[0].min.x = kWorldLimit; }));
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { w.entities.back().id = {0xc000'0000}; }))
      << "of no kind";
}

TEST(Keyframe, IsTheSameBytesAgainOrRefused) {
  const Bytes good = encoded(some_world());
  LoggedWorld read;
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(decode_keyframe(ConstBytes{good}.first(size), read)) << size;
  }
  Bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_keyframe(longer, read));
  int read_at_all = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Bytes flipped = good;
    flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    if (!decode_keyframe(flipped, read)) continue;
    ++read_at_all;
    EXPECT_EQ(encoded(read), flipped) << "bit " << bit;
  }
  EXPECT_GT(read_at_all, 300);
  Rng rng{6};
  for (int round = 0; round < 20'000; ++round) {
    const Bytes other = altered(good, rng);
    if (!decode_keyframe(other, read)) continue;
    ASSERT_EQ(encoded(read), other);
  }
}

}  // namespace
}  // namespace tickbox::game
