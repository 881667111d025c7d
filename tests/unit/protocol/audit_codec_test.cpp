#include "protocol/audit_codec.h"

#include "games/catalog.h"
#include "tests/support/bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace tickbox::protocol {
namespace {

using tests::bytes;
using tests::Bytes;

constexpr std::size_t kEntryBytesMax = 1'000'000;

/// One entry without its length.
ConstBytes only_entry(const Bytes& stream) {
  ConstBytes rest = stream;
  const auto entry = take_entry(rest, kEntryBytesMax);
  EXPECT_TRUE(entry && *entry);
  EXPECT_TRUE(rest.empty());
  return entry && *entry ? **entry : ConstBytes{};
}

Bytes of_keyframe(ConstBytes keyframe) {
  Bytes out = bytes({1, 2, 3});  // in place of what is there
  encode_keyframe_entry(keyframe, out);
  return out;
}

Bytes of_tick(std::uint64_t state_hash, ConstBytes tick) {
  Bytes out = bytes({1, 2, 3});
  encode_tick_entry(state_hash, tick, out);
  return out;
}

constexpr std::uint64_t kHash = 0x0807060504030201;

TEST(AuditTick, IsAHashAndTheLogsBytes) {
  const Bytes entry = of_tick(kHash, bytes({4, 1, 0, 4, 3}));
  EXPECT_EQ(entry, bytes({13, 1, 2, 3, 4, 5, 6, 7, 8, 4, 1, 0, 4, 3}));
  const auto read = decode_tick_entry(only_entry(entry));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->state_hash, kHash);
  EXPECT_TRUE(std::ranges::equal(read->bytes, bytes({4, 1, 0, 4, 3})));
}

TEST(AuditTick, ThatNothingEnteredIsItsHash) {
  const Bytes entry = of_tick(kHash, {});
  EXPECT_EQ(entry, bytes({8, 1, 2, 3, 4, 5, 6, 7, 8}));
  const auto read = decode_tick_entry(only_entry(entry));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->state_hash, kHash);
  EXPECT_TRUE(read->bytes.empty());
}

TEST(AuditTick, IsRefusedWhereItIsTooShortForAHash) {
  EXPECT_FALSE(decode_tick_entry({}));
  EXPECT_FALSE(decode_tick_entry(bytes({1, 2, 3, 4, 5, 6, 7})));
  EXPECT_TRUE(decode_tick_entry(bytes({1, 2, 3, 4, 5, 6, 7, 8})));
}

TEST(AuditTick, OfAUsualTickHasTheBytesToReserve) {
  for (const GameTable* game : games::all_games()) {
    for (const std::size_t seats : {1U, 100U, engine::kSeatsMax}) {
      const Bytes tick(engine::tick_bytes_of(*game, seats));
      EXPECT_EQ(of_tick(kHash, tick).size(), tick_entry_bytes_of(*game, seats)) << seats;
    }
  }
}

TEST(AuditKeyframe, IsTheLogsBytes) {
  EXPECT_EQ(of_keyframe(bytes({7, 8, 9})), bytes({3, 7, 8, 9}));
  Bytes long_one(300, std::byte{5});
  const Bytes entry = of_keyframe(long_one);
  EXPECT_EQ(entry[0], std::byte{0xac});
  EXPECT_EQ(entry[1], std::byte{0x02});
  EXPECT_TRUE(std::ranges::equal(only_entry(entry), long_one));
}

// A keyframe, and a tick with its hash, as large as the log has them.
TEST(AuditEntry, OfTheLargestRoomIsTaken) {
  for (const GameTable* game : games::all_games()) {
    const std::size_t most = entry_bytes_max(*game, engine::kSeatsMax);
    EXPECT_GE(most, engine::keyframe_bytes_max(*game, engine::kSeatsMax));
    const Bytes entry = of_tick(kHash, Bytes(engine::kTickBytesMax, std::byte{5}));
    ConstBytes rest = entry;
    const auto taken = take_entry(rest, most);
    ASSERT_TRUE(taken && *taken);
    EXPECT_EQ((*taken)->size(), engine::kTickBytesMax + sizeof kHash);
  }
}

TEST(AuditEntry, WaitsUntilItIsWhole) {
  Bytes stream = of_tick(kHash, bytes({4, 1, 0, 4, 3}));
  const std::size_t first = stream.size();
  const Bytes keyframe = of_keyframe(Bytes(200));
  stream.insert(stream.end(), keyframe.begin(), keyframe.end());
  for (std::size_t size = 0; size <= stream.size(); ++size) {
    ConstBytes rest = ConstBytes{stream}.first(size);
    const auto entry = take_entry(rest, kEntryBytesMax);
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->has_value(), size >= first) << size;
    if (!*entry) {
      EXPECT_EQ(rest.size(), size) << "nothing is taken";
      continue;
    }
    const auto second = take_entry(rest, kEntryBytesMax);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->has_value(), size == stream.size()) << size;
  }
}

TEST(AuditEntry, HasALengthThatCanBe) {
  const auto takes = [](const Bytes& stream) {
    ConstBytes rest = stream;
    return take_entry(rest, kEntryBytesMax).has_value();
  };
  EXPECT_TRUE(takes({}));
  EXPECT_FALSE(takes(bytes({0}))) << "nothing is no entry";
  EXPECT_FALSE(takes(bytes({0x88, 0x00}))) << "in a longer form";
  EXPECT_TRUE(takes(bytes({0x80})));
  EXPECT_TRUE(takes(bytes({0x80, 0x80, 0x80, 0x80})));
  EXPECT_FALSE(takes(bytes({0x80, 0x80, 0x80, 0x80, 0x80}))) << "a number of no end";
  EXPECT_FALSE(takes(bytes({0xff, 0xff, 0x7f}))) << "longer than any entry";
  EXPECT_FALSE(takes(bytes({0xff, 0xff, 0xff, 0xff, 0x0f})));
  Bytes longest;
  for (std::size_t length = kEntryBytesMax; length > 0; length >>= 7)
    longest.push_back(static_cast<std::byte>((length & 0x7f) | (length > 0x7f ? 0x80 : 0)));
  EXPECT_TRUE(takes(longest));
  longest[0] = static_cast<std::byte>(std::to_integer<unsigned>(longest[0]) + 1);
  EXPECT_FALSE(takes(longest));
}

}  // namespace
}  // namespace tickbox::protocol
