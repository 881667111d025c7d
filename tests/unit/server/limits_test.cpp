// Rate limits of requests to the server.

#include "server/shard/limits.h"

#include "server/shard/connect/admission.h"
#include "server/shard/connect/connect_service.h"
#include "tests/support/virtual_time.h"

#include <gtest/gtest.h>

namespace tickbox::server::limits_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr Rate kTen{.per_second = 10, .burst = 5};
constexpr Instant kStart{std::chrono::hours{1}};

int taken(RateLimit& limit, const Rate& rate, Instant now, int tries) {
  int count = 0;
  for (int i = 0; i < tries; ++i)
    count += limit.consume(rate, now) ? 1 : 0;
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
  EXPECT_TRUE(limit.consume(kBytes, kStart, 1'200));
  EXPECT_FALSE(limit.consume(kBytes, kStart, 301));
  EXPECT_TRUE(limit.consume(kBytes, kStart, 300));
  EXPECT_FALSE(limit.consume(kBytes, kStart, 1));
  EXPECT_TRUE(limit.consume(kBytes, kStart + seconds{1}, 1'000));
  EXPECT_FALSE(limit.consume(kBytes, kStart + seconds{10}, 1'501)) << "more than there ever is";
}

// The rate does not divide a second. Rounding changes each interval by less than a nanosecond,
// which does not show in an hour.
TEST(RateLimit, KeepsToItsRateForAnHour) {
  constexpr Rate kThird{.per_second = 3, .burst = 1};
  RateLimit limit;
  int count = 0;
  for (int ms = 0; ms < 3'600'000; ms += 10)
    count += limit.consume(kThird, kStart + milliseconds{ms}) ? 1 : 0;
  EXPECT_LE(count, 3 * 3'600 + 1);
  EXPECT_GE(count, 3 * 3'600 * 95 / 100);
}

constexpr Instant kNow{std::chrono::hours{1}};

net::Address ipv4(std::uint8_t third, std::uint8_t fourth) {
  net::Address address{.ip = {}, .port = 1'000};
  address.ip[10] = address.ip[11] = 0xff;
  address.ip[12] = 10;
  address.ip[14] = third;
  address.ip[15] = fourth;
  return address;
}

int taken(OpenLimits& limits, const net::Address& from, Instant now, int tries) {
  int count = 0;
  for (int i = 0; i < tries; ++i)
    count += limits.consume(from, now) ? 1 : 0;
  return count;
}

constexpr int kMany = 3'000;
static_assert(kMany > kOpensOfNetwork.burst);

TEST(OpenLimits, GivesEachNetworkItsBurstAndNoMore) {
  tests::SeededEntropy entropy{1};
  OpenLimits limits{entropy};
  EXPECT_EQ(taken(limits, ipv4(1, 1), kNow, kMany), kOpensOfNetwork.burst);
  EXPECT_EQ(taken(limits, ipv4(2, 1), kNow, 100), 100) << "another network is another's";
}

TEST(OpenLimits, TakesAllAddressesOfANetworkForOne) {
  tests::SeededEntropy entropy{2};
  OpenLimits limits{entropy};
  int count = 0;
  for (int i = 0; i < kMany; ++i) {
    net::Address from = ipv4(1, static_cast<std::uint8_t>(i));
    from.port = static_cast<std::uint16_t>(i);
    count += limits.consume(from, kNow) ? 1 : 0;
  }
  EXPECT_EQ(count, kOpensOfNetwork.burst);
}

TEST(OpenLimits, TakesTheFirst48BitsOfIpv6ForANetwork) {
  tests::SeededEntropy entropy{3};
  OpenLimits limits{entropy};
  net::Address from{.ip = {0x20, 0x01, 0x0d, 0xb8, 1, 2}, .port = 1};
  EXPECT_EQ(taken(limits, from, kNow, kMany), kOpensOfNetwork.burst);
  from.ip[6] = 9;
  EXPECT_EQ(taken(limits, from, kNow, 100), 0);
  from.ip[5] = 9;
  EXPECT_EQ(taken(limits, from, kNow, 100), 100);
}

TEST(OpenLimits, HasALimitForAllNetworksTogether) {
  tests::SeededEntropy entropy{4};
  OpenLimits limits{entropy};
  std::int64_t count = 0;
  for (int network = 0; network < 256; ++network)
    count += taken(limits, ipv4(static_cast<std::uint8_t>(network), 1), kNow, 100);
  EXPECT_EQ(count, kOpens.burst);
}

TEST(OpenLimits, GivesMoreAsTimePasses) {
  tests::SeededEntropy entropy{5};
  OpenLimits limits{entropy};
  EXPECT_EQ(taken(limits, ipv4(1, 1), kNow, kMany), kOpensOfNetwork.burst);
  EXPECT_EQ(taken(limits, ipv4(1, 1), kNow + seconds{1}, kMany), kOpensOfNetwork.per_second);
}

// Before the fix, a client that repeated its request counted as eight refusals, and six players
// fired an alert.
TEST(RecentRefusals, CountAClientOnceForEachReasonInTenSeconds) {
  using net::RefuseReason;
  RecentRefusals recent;
  const net::Address first{.ip = {1}, .port = 5};
  EXPECT_TRUE(recent.is_first(first, {}, RefuseReason::KeyUnknown, kStart));
  EXPECT_FALSE(recent.is_first(first, {}, RefuseReason::KeyUnknown, kStart + seconds{9}));
  EXPECT_TRUE(recent.is_first(first, {}, RefuseReason::Full, kStart + seconds{9}));
  EXPECT_TRUE(recent.is_first({.ip = {1}, .port = 6}, {}, RefuseReason::KeyUnknown, kStart));
  EXPECT_TRUE(recent.is_first({.ip = {2}, .port = 5}, {}, RefuseReason::KeyUnknown, kStart));
  EXPECT_TRUE(recent.is_first(first, {}, RefuseReason::KeyUnknown, kStart + kRefusalRepeats));
  EXPECT_TRUE(recent.is_first(first, 7, RefuseReason::Full, kStart + seconds{9}))
      << "another client of this address";
}

}  // namespace
}  // namespace tickbox::server::limits_test
