#include "core/byte_cursor.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tickbox {
namespace {

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
  ByteWriter out{MutableBytes{}};
  out.bytes({});
  ByteReader in{ConstBytes{}};
  in.bytes({});
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

}  // namespace
}  // namespace tickbox
