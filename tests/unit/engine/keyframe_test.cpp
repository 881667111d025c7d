#include "engine/keyframe.h"

#include "core/rng.h"
#include "package/laws/random_match.h"
#include "tests/support/declared_values.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tickbox::engine::keyframe_test {
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
  const std::vector<InputSource> neutral_ = std::vector<InputSource>(kSeats, InputSource::Neutral);
};

TEST_F(KeyframeTest, EveryPrefixIsRefused) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    EXPECT_FALSE(restore(ConstBytes{bytes_}.first(size), match_.world())) << size;
  }
}

// The hash covers all but the sources of inputs: a keyframe with a wrong source is read.
TEST_F(KeyframeTest, EveryFlippedBitIsRefusedOrIsOfASource) {
  std::size_t sources = 0;
  for (std::size_t bit = 0; bit < 8 * bytes_.size(); ++bit) {
    std::vector<std::byte> damaged = bytes_;
    damaged[bit / 8] ^= std::byte{1} << bit % 8;
    if (!restore(damaged, match_.world())) continue;
    ++sources;
    EXPECT_NE(decode_keyframe(damaged, match_.world())->sources, neutral_) << "bit " << bit;
  }
  const auto players = std::ranges::count_if(match_.world().seats(), &SeatInfo::taken);
  EXPECT_EQ(sources, static_cast<std::size_t>(players)) << "neutral becomes received";
}

TEST_F(KeyframeTest, FitsIntoTheBytesThatAreReservedForIt) {
  EXPECT_LE(bytes_.size(), keyframe_bytes_of(match_.world()));
  EXPECT_LT(keyframe_bytes_of(match_.world()), 5 * bytes_.size());
}

/// Adds crates to a world, all in one place.
void pile_up(std::uint32_t crates, World& world) {
  const auto is_crate = [](const KindTable& kind) { return kind.type.name == "Crate"; };
  const auto kind = std::ranges::find_if(world.game().kinds, is_crate);
  const std::vector<std::byte> state = tests::value_with(kind->type, {});
  for (std::uint32_t i = 0; i < crates; ++i) {
    world.add({.head = {.id = spawned_id(IdClass::ByServer,
                                         {.lineage = world.next_lineage++, .tick = world.tick}),
                        .min = {5 * kUnit, 5 * kUnit},
                        .kind = static_cast<std::uint8_t>(kind - world.game().kinds.begin())},
               .state = state,
               .input = {}});
  }
}

// Rules may put bodies into each other. What the server can step, it can record.
TEST_F(KeyframeTest, APileIsReadBackUnlessItsStepWouldTakeSeconds) {
  for (const std::uint32_t crates : {100U, 1'000U}) {
    World world = match_.world();
    pile_up(crates, world);
    encode_keyframe(world, bytes_);
    const auto read = restore(bytes_, world);
    ASSERT_TRUE(read) << crates;
    EXPECT_EQ(state_hash(*read), state_hash(world)) << crates;
  }
  World world = match_.world();
  pile_up(3'000, world);
  encode_keyframe(world, bytes_);
  EXPECT_EQ(decode_keyframe(bytes_, world).error(), KeyframeError::Crowded);
}

TEST_F(KeyframeTest, BytesThatFollowAreRefused) {
  bytes_.push_back({});
  EXPECT_EQ(restore(bytes_, match_.world()).error(), KeyframeError::Malformed);
}

}  // namespace
}  // namespace tickbox::engine::keyframe_test
