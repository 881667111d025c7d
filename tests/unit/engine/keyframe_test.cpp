#include "engine/keyframe.h"

#include "core/rng.h"
#include "laws/random_match.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <vector>

namespace tickbox::engine {
namespace {

constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kSeats = 6;

class KeyframeTest : public ::testing::Test {
 protected:
  KeyframeTest() {
    for (int tick = 0; tick < 120; ++tick) {
      match_.draw();
      match_.step();
    }
    encode_keyframe(match_.world(), bytes_);
  }

  laws::RandomMatch match_{tests::menagerie(),
                           make_map(tests::menagerie(), {.seats = kSeats}, kRate),
                           {.seed = 3, .tick_rate = kRate, .seats = kSeats}};
  std::vector<std::byte> bytes_;
};

TEST_F(KeyframeTest, IsReadBackAsTheSameWorld) {
  ASSERT_GT(match_.world().size(), 12U);
  const auto read = restore(bytes_, match_.world());
  ASSERT_TRUE(read);
  EXPECT_EQ(state_hash(*read), state_hash(match_.world()));
  std::vector<std::byte> again;
  encode_keyframe(*read, again);
  EXPECT_EQ(again, bytes_);
}

TEST_F(KeyframeTest, EveryPrefixIsRefused) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    EXPECT_FALSE(restore(ConstBytes{bytes_}.first(size), match_.world())) << size;
  }
}

TEST_F(KeyframeTest, EveryFlippedBitIsRefused) {
  for (std::size_t bit = 0; bit < 8 * bytes_.size(); ++bit) {
    std::vector<std::byte> damaged = bytes_;
    damaged[bit / 8] ^= std::byte{1} << bit % 8;
    EXPECT_FALSE(restore(damaged, match_.world())) << "bit " << bit;
  }
}

TEST_F(KeyframeTest, BytesThatFollowAreRefused) {
  bytes_.push_back({});
  EXPECT_EQ(restore(bytes_, match_.world()).error(), KeyframeError::Malformed);
}

}  // namespace
}  // namespace tickbox::engine
