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
        EXPECT_EQ(sample.contains(client, turn), sample.contains(client + 1, turn + 1))
            << "the next client follows";
      }
      EXPECT_EQ(turns, 1) << client;
    }
    EXPECT_TRUE(sample.contains(16 - static_cast<std::size_t>(seed % 16), 0));
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
