#include "client/hash_sample.h"

#include <gtest/gtest.h>

#include <limits>

namespace tickbox::client {
namespace {

TEST(HashSample, HasEachClientOnceInAllTurns) {
  for (const std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{7}, std::numeric_limits<std::uint64_t>::max() / 2}) {
    const HashSample sample{.one_in = 16, .seed = seed};
    for (std::size_t client = 0; client < 40; ++client) {
      int turns = 0;
      for (std::uint64_t turn = 0; turn < 16; ++turn) {
        turns += sample.contains(client, turn) ? 1 : 0;
        EXPECT_EQ(sample.contains(client, turn), sample.contains(client, turn + 16));
      }
      EXPECT_EQ(turns, 1) << client;
    }
  }
}

// Each room has every Nth client. With a turn for every 16th client, one of 16 rooms had all that
// check.
TEST(HashSample, HasAPartOfTheClientsOfEachRoomInEachTurn) {
  constexpr std::size_t kClientsOfRoom = 256;
  const HashSample sample{.one_in = 16, .seed = 1};
  for (const std::size_t rooms : {1U, 2U, 3U, 4U, 15U, 16U, 17U, 32U, 60U, 256U}) {
    for (std::size_t room = 0; room < rooms; ++room) {
      for (std::uint64_t turn = 0; turn < 16; ++turn) {
        std::size_t checking = 0;
        for (std::size_t i = 0; i < kClientsOfRoom; ++i) {
          checking += sample.contains(i * rooms + room, turn) ? 1U : 0U;
        }
        EXPECT_GE(checking, kClientsOfRoom / 64)
            << "room " << room << " of " << rooms << ", turn " << turn;
        EXPECT_LE(checking, kClientsOfRoom / 4) << "room " << room << " of " << rooms;
      }
    }
  }
}

TEST(HashSample, IsAllClientsOrNone) {
  for (std::uint64_t turn = 0; turn < 3; ++turn) {
    for (std::size_t client = 0; client < 3; ++client) {
      EXPECT_TRUE((HashSample{.seed = 5}.contains(client, turn)));
      EXPECT_FALSE((HashSample{.one_in = 0}.contains(client, turn)));
    }
  }
}

TEST(HashSample, ChangesEveryThirtySeconds) {
  EXPECT_EQ(HashSample::turn_at({}), 0U);
  EXPECT_EQ(HashSample::turn_at(kSampleTurn - Duration{1}), 0U);
  EXPECT_EQ(HashSample::turn_at(kSampleTurn), 1U);
  EXPECT_EQ(HashSample::turn_at(16 * kSampleTurn), 16U);
}

}  // namespace
}  // namespace tickbox::client
