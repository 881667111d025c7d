#include "protocol/audit_codec.h"

#include "core/rng.h"
#include "net/handshake.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace tickbox::protocol {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes(std::initializer_list<int> values) {
  Bytes all;
  for (const int value : values)
    all.push_back(static_cast<std::byte>(value));
  return all;
}

/// One entry without its length.
ConstBytes only_entry(const Bytes& stream) {
  ConstBytes rest = stream;
  const auto entry = take_entry(rest);
  EXPECT_TRUE(entry && *entry);
  EXPECT_TRUE(rest.empty());
  return entry && *entry ? **entry : ConstBytes{};
}

Bytes encoded(const AuditTick& tick) {
  Bytes out;
  encode_tick(tick, out);
  return out;
}

Bytes encoded(const AuditKeyframe& keyframe) {
  Bytes out;
  encode_keyframe(keyframe, out);
  return out;
}

bool reads_tick(const Bytes& entry) {
  AuditTick tick;
  return decode_tick(entry, tick).has_value();
}

/// A tick whose hash is eight zeros, with more behind it.
Bytes tick_with(std::initializer_list<int> more) {
  Bytes all = bytes({0, 0, 0, 0, 0, 0, 0, 0});
  std::ranges::copy(bytes(more), std::back_inserter(all));
  return all;
}

AuditTick some_tick() {
  return {.state_hash = 0x0102030405060708,
          .leaves = {{3}, {4}, {200}},
          .joins = {{4}, {4'095}},
          .inputs = {{.player = {0}, .move = 8},
                     {.player = {1}, .move = {}, .buttons = 1, .aim = 1'023},
                     {.player = {130}, .move = 0, .buttons = 1, .aim = 256},
                     {.player = {131},
                      .move = {},
                      .buttons = 2,
                      .aim = 3,
                      .strikes = game::player_body({5}, 7)}}};
}

AuditKeyframe some_keyframe() {
  AuditKeyframe keyframe{.tick = {77'000}, .state_hash = 0x1112131415161718, .random = 0x21222324};
  for (std::uint32_t i = 0; i < 5; ++i)
    keyframe.seats.push_back({.generation = 60 * i, .score = i * 0x3fff'ffff, .taken = i % 2 == 1});
  keyframe.entities = samples::entities(4);
  keyframe.entities.push_back({.id = game::crate_body(9),
                               .min = {.x = -5, .y = 6},
                               .velocity = {.x = 7, .y = -8},
                               .traits = {.kind = game::EntityKind::Crate}});
  keyframe.entities.push_back({.id = game::bullet_body({2}, {90'000}),
                               .min = {.x = 1, .y = 2},
                               .velocity = {.x = 300'000, .y = -4},
                               .traits = {.kind = game::EntityKind::Bullet, .timer = 60}});
  return keyframe;
}

TEST(AuditTick, ComesBackAsItWas) {
  AuditTick read;
  ASSERT_TRUE(decode_tick(only_entry(encoded(some_tick())), read));
  EXPECT_EQ(read, some_tick());
}

TEST(AuditTick, OfAQuietRoomIsItsHash) {
  const Bytes quiet = encoded(AuditTick{.state_hash = 0x0807060504030201});
  EXPECT_EQ(quiet, bytes({8, 1, 2, 3, 4, 5, 6, 7, 8}));
  AuditTick read = some_tick();
  ASSERT_TRUE(decode_tick(only_entry(quiet), read));
  EXPECT_EQ(read, AuditTick{.state_hash = 0x0807060504030201}) << "nothing is left of before";
}

TEST(AuditTick, AsTheStandardSays) {
  EXPECT_EQ(encoded(some_tick()),
            bytes({37,                                     //
                   8,    7,    6,    5,    4,    3, 2, 1,  // hash
                   3,                                      // leaves and joins
                   3,    3,    0,    0xc3, 0x01,           // 3, 4, 200: gaps of 3, 0, 195
                   2,    4,    0xfa, 0x1f,                 // 4, 4,095: of 4, 4,090
                   0,    8,                                // seat 0: stick north-east
                   0,    31,   0xff, 0x07,                 // seat 1: stick stays, button 1, aim
                   0x80, 0x01, 16,   0x00, 0x05,           // seat 130: rest, button 1, aim
                   0,    63,   0x03, 0x08,                 // seat 131: stick stays, button 2, aim
                   0x05, 0x70, 0,    0}));                 // strikes seat 5 of generation 7
}

TEST(AuditTick, IsRefusedWhereItSaysItOtherwise) {
  EXPECT_TRUE(reads_tick(tick_with({})));
  EXPECT_FALSE(reads_tick(bytes({1, 2, 3, 4, 5, 6, 7})));
  EXPECT_FALSE(reads_tick(tick_with({0}))) << "says nothing";
  EXPECT_TRUE(reads_tick(tick_with({0, 7, 3})));
  EXPECT_FALSE(reads_tick(tick_with({0, 7}))) << "ends early";
  EXPECT_FALSE(reads_tick(tick_with({4, 7, 3}))) << "a list that there is not";
  EXPECT_FALSE(reads_tick(tick_with({1, 0}))) << "an empty list";
  EXPECT_TRUE(reads_tick(tick_with({1, 1, 0})));
  EXPECT_FALSE(reads_tick(tick_with({2, 2, 0}))) << "a list that ends early";
  EXPECT_FALSE(reads_tick(tick_with({2, 1, 0x80, 0x20}))) << "seat 4,096";
  EXPECT_TRUE(reads_tick(tick_with({2, 1, 0xff, 0x1f})));
  EXPECT_FALSE(reads_tick(tick_with({2, 2, 0xff, 0x1f, 0}))) << "the seat after 4,095";
  EXPECT_FALSE(reads_tick(tick_with({2, 1, 0x80, 0x00}))) << "a number in a longer form";
  EXPECT_FALSE(reads_tick(tick_with({2, 1, 0xff, 0xff, 0xff, 0xff, 0x7f}))) << "beyond 32 bits";
  EXPECT_FALSE(reads_tick(tick_with({0, 7, 9}))) << "move 9";
  EXPECT_FALSE(reads_tick(tick_with({0, 7, 15}))) << "an input that changes nothing";
  EXPECT_TRUE(reads_tick(tick_with({0, 7, 31, 0, 4})));
  EXPECT_FALSE(reads_tick(tick_with({0, 7, 31, 0, 0}))) << "presses no button";
  EXPECT_FALSE(reads_tick(tick_with({0, 7, 31, 0, 16}))) << "a button that there is not";
  EXPECT_FALSE(reads_tick(tick_with({0, 7, 31, 0}))) << "ends early";
  EXPECT_FALSE(reads_tick(tick_with({0, 7, 67}))) << "a bit without meaning";
  EXPECT_TRUE(reads_tick(tick_with({0, 7, 63, 0, 8, 1, 0, 0, 0})));
  EXPECT_FALSE(reads_tick(tick_with({0, 7, 63, 0, 8, 1, 0, 0}))) << "ends early";
  EXPECT_FALSE(reads_tick(tick_with({0, 7, 63, 0, 8, 1, 0, 0, 64}))) << "strikes a crate";
  EXPECT_FALSE(reads_tick(tick_with({0, 7, 35, 1, 0, 0, 0}))) << "strikes without a button";
}

TEST(AuditTick, IsTheSameBytesAgainOrRefused) {
  Rng rng{5};
  int read_at_all = 0;
  const Bytes good = encoded(some_tick());
  for (int round = 0; round < 20'000; ++round) {
    Bytes entry{good.begin() + 1, good.end()};
    entry.erase(entry.end() - static_cast<std::ptrdiff_t>(rng.below(12)), entry.end());
    for (std::uint64_t i = rng.below(4); i > 0; --i)
      entry[rng.below(entry.size())] = static_cast<std::byte>(rng.below(256));
    AuditTick tick;
    if (!decode_tick(entry, tick)) continue;
    ++read_at_all;
    ASSERT_TRUE(std::ranges::equal(only_entry(encoded(tick)), entry));
  }
  EXPECT_GT(read_at_all, 500);
}

TEST(AuditNews, IsWhatAPlayerWouldNotDoAnyway) {
  const auto news = [](game::Input input, std::uint8_t held) {
    return news_of({.player = {7}, .input = input}, held);
  };
  EXPECT_FALSE(news({.move = 3}, 3));
  EXPECT_FALSE(news({.move = 3, .aim = 99}, 3)) << "aim without a button";
  EXPECT_EQ(news({.move = 4, .aim = 99}, 3), (AuditInput{.player = {7}, .move = 4}));
  EXPECT_EQ(news({.move = 0}, 3), (AuditInput{.player = {7}, .move = 0}));
  EXPECT_EQ(news({.move = 3, .buttons = 1, .aim = 99}, 3),
            (AuditInput{.player = {7}, .move = {}, .buttons = 1, .aim = 99}));
  EXPECT_EQ(news({.move = 200, .buttons = 0xff, .aim = 60'000}, 3),
            (AuditInput{.player = {7}, .move = 0, .buttons = 3, .aim = 0}))
      << "as the game clamps it";
  EXPECT_FALSE(news({.move = 200, .buttons = 0xfc, .aim = 5}, 0));
}

TEST(AuditKeyframe, ComesBackAsItWas) {
  const auto read = decode_keyframe(only_entry(encoded(some_keyframe())));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, some_keyframe());
}

TEST(AuditKeyframe, OfTheLargestRoomIsAnEntry) {
  AuditKeyframe keyframe{.tick = {net::kTickMax}};
  keyframe.seats.assign(
      game::kSeatsMax, {.generation = game::kGenerations - 1, .score = 0xffff'ffff, .taken = true});
  for (std::uint32_t i = 0; i < kAuditEntitiesMax; ++i)
    keyframe.entities.push_back({.id = game::crate_body(i),
                                 .min = {},
                                 .velocity = {},
                                 .traits = {.kind = game::EntityKind::Crate}});
  const Bytes stream = encoded(keyframe);
  const auto read = decode_keyframe(only_entry(stream));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, keyframe);
}

TEST(AuditKeyframe, IsRefusedWhereItCannotBe) {
  const auto reads = [](auto change) {
    AuditKeyframe keyframe = some_keyframe();
    change(keyframe);
    return decode_keyframe(only_entry(encoded(keyframe))).has_value();
  };
  EXPECT_TRUE(reads([](AuditKeyframe&) {}));
  EXPECT_FALSE(reads([](AuditKeyframe& k) { k.tick = {net::kTickMax + 1}; }));
  EXPECT_FALSE(reads([](AuditKeyframe& k) { k.seats[1].generation = game::kGenerations; }));
  EXPECT_FALSE(reads([](AuditKeyframe& k) { std::swap(k.entities[0], k.entities[1]); }));
  EXPECT_FALSE(reads([](AuditKeyframe& k) { k.entities[1] = k.entities[0]; })) << "twice";
  EXPECT_FALSE(reads([](AuditKeyframe& k) { k.entities[0].traits.move = 9; }));
  EXPECT_FALSE(reads([](AuditKeyframe& k) { k.entities[0].min.x = kWorldLimit; }));
  EXPECT_FALSE(reads([](AuditKeyframe& k) { k.entities.back().id = {0xc000'0000}; }))
      << "of no kind";
}

TEST(AuditKeyframe, IsTheSameBytesAgainOrRefused) {
  const Bytes good = encoded(some_keyframe());
  const Bytes entry{only_entry(good).begin(), only_entry(good).end()};
  for (std::size_t size = 0; size < entry.size(); ++size)
    EXPECT_FALSE(decode_keyframe(ConstBytes{entry}.first(size))) << size;
  Bytes longer = entry;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_keyframe(longer));
  int read_at_all = 0;
  samples::with_each_bit_flipped(entry, [&](const Bytes& flipped, std::size_t bit) {
    const auto read = decode_keyframe(flipped);
    if (!read) return;
    ++read_at_all;
    EXPECT_TRUE(std::ranges::equal(only_entry(encoded(*read)), flipped)) << "bit " << bit;
  });
  EXPECT_GT(read_at_all, 500);
}

TEST(AuditEntry, WaitsUntilItIsWhole) {
  Bytes stream = encoded(some_tick());
  const std::size_t first = stream.size();
  encode_keyframe(some_keyframe(), stream);
  for (std::size_t size = 0; size <= stream.size(); ++size) {
    ConstBytes rest = ConstBytes{stream}.first(size);
    const auto entry = take_entry(rest);
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->has_value(), size >= first) << size;
    if (!*entry) {
      EXPECT_EQ(rest.size(), size) << "nothing is taken";
      continue;
    }
    const auto second = take_entry(rest);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->has_value(), size == stream.size()) << size;
  }
}

TEST(AuditEntry, HasALengthThatCanBe) {
  const auto takes = [](const Bytes& stream) {
    ConstBytes rest = stream;
    return take_entry(rest).has_value();
  };
  EXPECT_TRUE(takes({}));
  EXPECT_FALSE(takes(bytes({0}))) << "nothing is no entry";
  EXPECT_FALSE(takes(bytes({0x88, 0x00}))) << "in a longer form";
  EXPECT_TRUE(takes(bytes({0x80})));
  EXPECT_TRUE(takes(bytes({0x80, 0x80})));
  EXPECT_FALSE(takes(bytes({0x80, 0x80, 0x80})));
  EXPECT_FALSE(takes(bytes({0xff, 0xff, 0x7f}))) << "longer than any room";
  Bytes longest;
  for (std::size_t length = kAuditEntryBytesMax; length > 0; length >>= 7)
    longest.push_back(static_cast<std::byte>((length & 0x7f) | (length > 0x7f ? 0x80 : 0)));
  EXPECT_TRUE(takes(longest));
  longest[0] = static_cast<std::byte>(std::to_integer<unsigned>(longest[0]) + 1);
  EXPECT_FALSE(takes(longest));
}

}  // namespace
}  // namespace tickbox::protocol
