#include "server/room/limits.h"

#include <gtest/gtest.h>

namespace tickbox::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr Rate kTen{.per_second = 10, .burst = 5};
constexpr Instant kStart{std::chrono::hours{1}};

int taken(RateLimit& limit, const Rate& rate, Instant now, int tries) {
  int count = 0;
  for (int i = 0; i < tries; ++i) {
    count += limit.take(rate, now) ? 1 : 0;
  }
  return count;
}

TEST(RateLimit, AllowsABurstAndThenTheRate) {
  RateLimit limit;
  EXPECT_EQ(taken(limit, kTen, kStart, 100), 5);
  EXPECT_EQ(taken(limit, kTen, kStart + milliseconds{99}, 100), 0);
  EXPECT_EQ(taken(limit, kTen, kStart + milliseconds{100}, 100), 1);
  EXPECT_EQ(taken(limit, kTen, kStart + milliseconds{400}, 100), 3);
}

TEST(RateLimit, SavesUpNoMoreThanABurst) {
  RateLimit limit;
  EXPECT_EQ(taken(limit, kTen, kStart, 100), 5);
  EXPECT_EQ(taken(limit, kTen, kStart + seconds{60}, 100), 5);
}

TEST(RateLimit, TakesWhatItRefusesOffNothing) {
  RateLimit limit;
  EXPECT_EQ(taken(limit, kTen, kStart, 5), 5);
  EXPECT_EQ(taken(limit, kTen, kStart + milliseconds{50}, 1'000), 0);
  EXPECT_EQ(taken(limit, kTen, kStart + milliseconds{100}, 1), 1);
}

TEST(RateLimit, CountsAmounts) {
  constexpr Rate kBytes{.per_second = 1'000, .burst = 1'500};
  RateLimit limit;
  EXPECT_TRUE(limit.take(kBytes, kStart, 1'200));
  EXPECT_FALSE(limit.take(kBytes, kStart, 301));
  EXPECT_TRUE(limit.take(kBytes, kStart, 300));
  EXPECT_FALSE(limit.take(kBytes, kStart, 1));
  EXPECT_TRUE(limit.take(kBytes, kStart + seconds{1}, 1'000));
  EXPECT_FALSE(limit.take(kBytes, kStart + seconds{10}, 1'501)) << "more than there ever is";
}

// A rate that does not divide a second is never exceeded by rounding: it is a little faster by
// less than a nanosecond each.
TEST(RateLimit, KeepsToItsRateForAnHour) {
  constexpr Rate kThird{.per_second = 3, .burst = 1};
  RateLimit limit;
  int count = 0;
  for (int ms = 0; ms < 3'600'000; ms += 10) {
    count += limit.take(kThird, kStart + milliseconds{ms}) ? 1 : 0;
  }
  EXPECT_LE(count, 3 * 3'600 + 1);
  EXPECT_GE(count, 3 * 3'600 * 95 / 100);
}

}  // namespace
}  // namespace tickbox::server
