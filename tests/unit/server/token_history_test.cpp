#include "server/shard/connect/token_history.h"

#include "tests/support/virtual_time.h"

#include <gtest/gtest.h>

namespace tickbox::server::token_history_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WallTime kStart{std::chrono::hours{500'000}};

net::TokenId id_of(std::uint64_t number) {
  net::TokenId id{};
  store_le(id, number);
  return id;
}

ShownToken token(std::uint64_t number, WallTime expires) {
  return {.id = id_of(number),
          .expires = expires,
          .address = {.ip = {}, .port = static_cast<std::uint16_t>(number)},
          .connection = static_cast<std::uint32_t>(number + 1)};
}

class TokenHistoryTest : public testing::Test {
 protected:
  static constexpr std::size_t kCapacity = 100;
  tests::SeededEntropy entropy_{1};
  TokenHistory history_{kCapacity, entropy_};

  void fill(WallTime expires) {
    for (std::uint64_t i = 0; i < kCapacity; ++i) {
      ASSERT_TRUE(history_.insert(token(i, expires), kStart)) << i;
    }
  }
};

TEST_F(TokenHistoryTest, FindsWhatItWasTold) {
  EXPECT_EQ(history_.find(id_of(1)), nullptr);
  fill(kStart + seconds{60});
  for (std::uint64_t i = 0; i < kCapacity; ++i) {
    const ShownToken* found = history_.find(id_of(i));
    ASSERT_NE(found, nullptr) << i;
    EXPECT_EQ(found->connection, i + 1);
    EXPECT_FALSE(found->consumed);
  }
  EXPECT_EQ(history_.find(id_of(kCapacity)), nullptr);
  EXPECT_EQ(history_.size(), kCapacity);
}

TEST_F(TokenHistoryTest, RemembersThatOneIsConsumed) {
  fill(kStart + seconds{60});
  history_.find(id_of(7))->consumed = true;
  EXPECT_TRUE(history_.find(id_of(7))->consumed);
  EXPECT_FALSE(history_.find(id_of(8))->consumed);
}

TEST_F(TokenHistoryTest, RefusesWhenFullAndForgetsNobody) {
  fill(kStart + seconds{60});
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    EXPECT_FALSE(history_.insert(token(1'000 + i, kStart + seconds{60}),
                                 kStart + milliseconds{59 * static_cast<std::int64_t>(i)}));
  }
  for (std::uint64_t i = 0; i < kCapacity; ++i) {
    EXPECT_NE(history_.find(id_of(i)), nullptr) << i;
  }
}

TEST_F(TokenHistoryTest, HasRoomAgainFromTheVeryMillisecondOnInWhichTokensExpire) {
  fill(kStart + seconds{60});
  EXPECT_FALSE(
      history_.insert(token(1'000, kStart + seconds{90}), kStart + seconds{60} - milliseconds{1}));
  // It clears out once a second at most.
  EXPECT_TRUE(
      history_.insert(token(1'000, kStart + seconds{90}), kStart + seconds{61} - milliseconds{1}));
  EXPECT_EQ(history_.size(), 1U);
  EXPECT_EQ(history_.find(id_of(0)), nullptr);
  EXPECT_NE(history_.find(id_of(1'000)), nullptr);
}

TEST_F(TokenHistoryTest, KeepsThoseThatHaveNotExpiredWithAllTheyWere) {
  for (std::uint64_t i = 0; i < kCapacity; ++i) {
    const seconds life{i % 3 == 0 ? 10 : 100};
    ASSERT_TRUE(history_.insert(token(i, kStart + life), kStart));
    history_.find(id_of(i))->consumed = i % 2 == 0;
  }
  ASSERT_TRUE(history_.insert(token(1'000, kStart + seconds{200}), kStart + seconds{10}));
  for (std::uint64_t i = 0; i < kCapacity; ++i) {
    const ShownToken* found = history_.find(id_of(i));
    ASSERT_EQ(found != nullptr, i % 3 != 0) << i;
    if (found == nullptr) continue;
    EXPECT_EQ(found->consumed, i % 2 == 0);
    EXPECT_EQ(found->connection, i + 1);
  }
}

TEST_F(TokenHistoryTest, ReplacesAPendingTokenByAUsedOneAlsoWhenFull) {
  fill(kStart + seconds{60});
  ShownToken used = token(1'000, kStart + seconds{90});
  used.consumed = true;
  history_.replace(id_of(7), used);
  EXPECT_EQ(history_.find(id_of(7)), nullptr);
  ASSERT_NE(history_.find(id_of(1'000)), nullptr);
  EXPECT_TRUE(history_.find(id_of(1'000))->consumed);
  EXPECT_EQ(history_.size(), kCapacity);
  used.connection = 5;
  history_.replace(id_of(8), used);
  EXPECT_EQ(history_.find(id_of(1'000))->connection, 5U);
  EXPECT_EQ(history_.size(), kCapacity - 1) << "two tokens of one client take one place";
}

TEST_F(TokenHistoryTest, ForgetsOneAndFindsTheOthers) {
  for (std::uint64_t round = 0; round < 50; ++round) {
    for (std::uint64_t i = 0; i < kCapacity; ++i) {
      ASSERT_TRUE(history_.insert(token(round * kCapacity + i, kStart + seconds{60}), kStart));
    }
    for (std::uint64_t i = 0; i < kCapacity; ++i) {
      history_.remove(id_of(round * kCapacity + i * 37 % kCapacity));
      history_.remove(id_of(round * kCapacity + i * 37 % kCapacity));
      ASSERT_EQ(history_.size(), kCapacity - 1 - i);
      for (std::uint64_t j = 0; j < kCapacity; ++j) {
        const std::uint64_t number = round * kCapacity + j * 37 % kCapacity;
        ASSERT_EQ(history_.find(id_of(number)) != nullptr, j > i);
      }
    }
  }
}

// After a clock was set back, the history must not refuse all tokens until the old time returns.
TEST_F(TokenHistoryTest, ClearsOutAfterTheClockWasSetBack) {
  fill(kStart + seconds{60});
  EXPECT_FALSE(history_.insert(token(1'000, kStart + seconds{60}), kStart + seconds{30}));
  EXPECT_FALSE(history_.insert(token(1'000, kStart + seconds{60}), kStart - seconds{3'600}));
  EXPECT_TRUE(history_.insert(token(1'000, kStart + seconds{90}), kStart + seconds{60}));
}

// A stranger chooses ids that differ in two bytes only. The keyed table still holds them.
TEST(TokenHistory, HoldsAsManyAsItWasMadeForWhateverTheirIds) {
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{2}, std::size_t{1'000}}) {
    tests::SeededEntropy entropy{2};
    TokenHistory history{capacity, entropy};
    for (std::uint64_t i = 0; i < capacity; ++i) {
      ASSERT_TRUE(history.insert(token(i << 40, kStart + seconds{60}), kStart));
    }
    EXPECT_FALSE(history.insert(token(~std::uint64_t{0}, kStart + seconds{60}), kStart));
    EXPECT_EQ(history.find(id_of(~std::uint64_t{0})), nullptr) << "a search ends in a full table";
  }
}

}  // namespace
}  // namespace tickbox::server::token_history_test
