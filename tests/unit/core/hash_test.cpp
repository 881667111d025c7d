#include "core/hash.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace tickbox {
namespace {

using namespace std::string_view_literals;

// The published test vector of XXH3-64 for no input: whatever else changes, recordings and peers
// rely on these values.
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
  GatheringHasher gathering{7};
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
