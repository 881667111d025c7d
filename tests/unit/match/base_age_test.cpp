// The age that a base may have, by what a client acknowledges and what it is sent.

#include "server/match/sent_views.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tickbox::server {
namespace {

constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kQuiet = 6;  ///< ticks between snapshots to a quiet client

class BaseAgeTest : public ::testing::Test {
 protected:
  /// Sends a snapshot in each of the ticks from `first` to `last` that `interval` divides, and
  /// takes the acknowledgement of each after `round_trip` ticks.
  void play(std::uint32_t first, std::uint32_t last, std::uint32_t interval,
            std::uint32_t round_trip) {
    for (std::uint32_t tick = first; tick <= last; ++tick) {
      if (tick >= first + round_trip && (tick - round_trip) % interval == 0) {
        age_.on_acknowledged({tick - round_trip}, {tick});
      }
      if (tick % interval == 0) age_.on_sent({tick});
    }
  }

  BaseAge age_{kRate};
};

TEST(BaseAge, IsASecondWithinWhatCausesCanSay) {
  EXPECT_EQ(base_age_max(10), 24U);
  EXPECT_EQ(base_age_max(30), 30U);
  EXPECT_EQ(base_age_max(60), 60U);
  EXPECT_EQ(base_age_max(240), protocol::kBaseAgeMax);
}

TEST_F(BaseAgeTest, IsTheGreatestBeforeTheFirstAcknowledgement) {
  EXPECT_EQ(age_.limit({100}), base_age_max(kRate));
}

TEST_F(BaseAgeTest, IsTheRoundTripAndThreeTenthsOfASecond) {
  play(1, 100, 1, 4);
  EXPECT_EQ(age_.limit({100}), 4 + 3 * kRate / 10);
}

// With one packet in twenty lost, three in a row are lost about every 14 minutes, and five about
// every four days.
TEST_F(BaseAgeTest, OutlastsFiveLostSnapshotsOfAQuietClient) {
  play(1, 96, kQuiet, 4);
  EXPECT_EQ(age_.limit({96 + kQuiet}), 4 + 5 * kQuiet);
}

TEST_F(BaseAgeTest, CountsTheIntervalsOfAClientThatIsSentToRarely) {
  play(1, 100, 10, 4);
  EXPECT_EQ(age_.limit({109}), 4 + 49) << "snapshots of 60 to 100";
}

TEST_F(BaseAgeTest, IsNeverMoreThanCausesCanEncode) {
  play(1, 400, 1, 50);
  EXPECT_EQ(age_.limit({400}), base_age_max(kRate));
}

// The bases of a client that acknowledges ever older views get older by one tick per second only.
TEST_F(BaseAgeTest, GrowsSlowlyForAClientThatAcknowledgesLate) {
  play(1, 100, 1, 2);
  const std::int64_t honest = age_.limit({100});
  play(101, 100 + 5 * kRate, 1, 40);
  EXPECT_LE(age_.limit({100 + 5 * kRate}), honest + 5);
  EXPECT_GT(age_.limit({100 + 5 * kRate}), honest + 2) << "the network of an honest one may change";
  play(401, 500, 1, 3);
  EXPECT_EQ(age_.limit({500}), 3 + 3 * kRate / 10) << "a shorter round trip counts at once";
}

}  // namespace
}  // namespace tickbox::server
