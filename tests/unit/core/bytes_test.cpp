#include "core/bytes.h"

#include <gtest/gtest.h>

#include <array>

namespace tickbox {
namespace {

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

}  // namespace
}  // namespace tickbox
