// Numbers as bytes, the lowest byte first: one by one, one after the other, and hashed.

#include "core/bytes.h"

#include "core/hash.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <vector>

namespace tickbox {
namespace {

using namespace std::string_view_literals;

TEST(Bytes, LowestByteComesFirst) {
  std::array<std::byte, 4> bytes{};
  store_le<std::uint32_t>(bytes, 0x0a0b0c0dU);
  EXPECT_EQ(bytes[0], std::byte{0x0d});
  EXPECT_EQ(bytes[3], std::byte{0x0a});
  EXPECT_EQ(load_le<std::uint32_t>(bytes), 0x0a0b0c0dU);
  EXPECT_EQ(load_le<std::uint16_t>(bytes), 0x0c0dU);
}

TEST(BytesDeath, AssertRoom) {
  std::array<std::byte, 3> bytes{};
  EXPECT_DEATH(store_le<std::uint32_t>(bytes, 1U), "assertion failed");
}

constexpr std::array<std::byte, 3> kThree{std::byte{0xa1}, std::byte{0xa2}, std::byte{0xa3}};

TEST(ByteCursor, LaysFieldsOneAfterTheOtherLowestByteFirst) {
  std::array<std::byte, 19> written{};
  ByteWriter out{written};
  out.number(std::uint8_t{0x01});
  out.number(std::uint16_t{0x0302});
  out.bytes(kThree);
  out.number(std::uint32_t{0x07060504});
  out.number(std::uint64_t{0x0f0e0d0c0b0a0908});
  const std::uint8_t expected[] = {1, 2, 3,  0xa1, 0xa2, 0xa3, 4,  5,  6, 7,
                                   8, 9, 10, 11,   12,   13,   14, 15, 0};
  for (std::size_t i = 0; i < written.size(); ++i)
    EXPECT_EQ(written[i], std::byte{expected[i]}) << i;
}

TEST(ByteCursor, ReadsWhatWasWritten) {
  std::array<std::byte, 18> written{};
  ByteWriter out{written};
  out.number(std::uint64_t{0xfedcba9876543210});
  out.bytes(kThree);
  out.number(std::uint32_t{0x89abcdef});
  out.number(std::uint16_t{0xfffe});
  out.number(std::uint8_t{0xff});
  ByteReader in{written};
  std::array<std::byte, 3> three{};
  EXPECT_EQ(in.number<std::uint64_t>(), 0xfedcba9876543210U);
  in.bytes(three);
  EXPECT_EQ(three, kThree);
  EXPECT_EQ(in.number<std::uint32_t>(), 0x89abcdefU);
  EXPECT_EQ(in.number<std::uint16_t>(), 0xfffeU);
  EXPECT_EQ(in.number<std::uint8_t>(), 0xffU);
}

TEST(ByteCursor, TakesFieldsOfNoBytesAtTheEnd) {
  std::array<std::byte, 1> one{};
  ByteWriter out{one};
  out.number(std::uint8_t{7});
  out.bytes({});
  ByteReader in{one};
  EXPECT_EQ(in.number<std::uint8_t>(), 7U);
  in.bytes({});
  ByteWriter{MutableBytes{}}.bytes({});
  ByteReader{ConstBytes{}}.bytes({});
}

TEST(ByteCursorDeathTest, WritesNothingBeyondItsEnd) {
  std::vector<std::byte> two(2);
  EXPECT_DEATH(ByteWriter{two}.bytes(kThree), "assertion failed");
  EXPECT_DEATH(ByteWriter{two}.number(std::uint32_t{1}), "assertion failed");
  ByteWriter full{two};
  full.number(std::uint16_t{1});
  EXPECT_DEATH(full.number(std::uint8_t{1}), "assertion failed");
}

TEST(ByteCursorDeathTest, ReadsNothingBeyondItsEnd) {
  const std::vector<std::byte> two(2);
  std::array<std::byte, 3> three{};
  EXPECT_DEATH(ByteReader{two}.bytes(three), "assertion failed");
  EXPECT_DEATH(static_cast<void>(ByteReader{two}.number<std::uint32_t>()), "assertion failed");
  ByteReader empty{two};
  (void)empty.number<std::uint16_t>();
  EXPECT_DEATH(static_cast<void>(empty.number<std::uint8_t>()), "assertion failed");
}

// The published test vector of XXH3-64 for no input: recordings and peers rely on the values of
// this hash.
TEST(Hash, IsXxh3) {
  EXPECT_EQ(hash_bytes({}), 0x2d06800538d394c2ULL);
}

TEST(Hash, StreamsToTheSameValue) {
  std::array<std::byte, 1'000> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(i * 7);
  }
  StreamHasher stream{5};
  stream.add_bytes(ConstBytes{bytes}.first(313));
  stream.add_bytes(ConstBytes{bytes}.subspan(313));
  EXPECT_EQ(stream.digest(), hash_bytes(bytes, 5));
}

TEST(Hash, TakesFieldsLowestByteFirst) {
  FieldHasher<8> fields;
  fields.add(std::int16_t{-2});
  fields.add(std::uint32_t{1});
  constexpr std::array<std::byte, 6> kCanonical = {std::byte{0xfe}, std::byte{0xff}, std::byte{1},
                                                   std::byte{0},    std::byte{0},    std::byte{0}};
  EXPECT_EQ(fields.digest(9), hash_bytes(kCanonical, 9));
  StreamHasher stream{9};
  stream.add(std::int16_t{-2});
  stream.add(std::uint32_t{1});
  EXPECT_EQ(stream.digest(), fields.digest(9));
}

TEST(Hash, IsTheSameOfGatheredFields) {
  StreamHasher stream{7};
  BufferedHasher gathering{7};
  const auto add = [&](auto field) {
    stream.add(field);
    gathering.add(field);
  };
  for (std::uint32_t i = 0; i < 1'500; ++i) {
    add(static_cast<std::uint8_t>(i));
    add(std::uint64_t{i} << 40U);
    add(static_cast<std::int16_t>(i * 3));
    ASSERT_TRUE(i % 97 != 0 || gathering.digest() == stream.digest()) << i;
  }
  EXPECT_EQ(gathering.digest(), stream.digest());
}

TEST(Hash, DependsOnTheSeed) {
  EXPECT_NE(hash_bytes(as_bytes_of("tick"sv), 1), hash_bytes(as_bytes_of("tick"sv), 2));
}

}  // namespace
}  // namespace tickbox
