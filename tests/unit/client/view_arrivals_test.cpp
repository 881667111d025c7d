// Arrivals of views on a virtual clock: how often, how late.

#include "client/view_arrivals.h"

#include <gtest/gtest.h>

namespace tickbox::client {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kRate = 50;
constexpr Duration kPeriod = milliseconds{20};
constexpr Instant kStart{std::chrono::hours{1}};

class ViewArrivalsTest : public ::testing::Test {
 protected:
  void view(std::uint32_t tick, Duration late = {}, bool has_news = true) {
    arrivals_.add({tick}, has_news, kStart + kPeriod * tick + late);
  }

  ViewArrivals arrivals_{kRate};
};

TEST_F(ViewArrivalsTest, AreLateByTheLineOfThePromptest) {
  view(1, milliseconds{40});
  EXPECT_EQ(arrivals_.line(), kStart.time_since_epoch() + milliseconds{40});
  EXPECT_EQ(arrivals_.jitter(), Duration::zero());
  view(2, milliseconds{30});
  EXPECT_EQ(arrivals_.line(), kStart.time_since_epoch() + milliseconds{30});
  EXPECT_EQ(arrivals_.jitter(), milliseconds{10});
}

TEST_F(ViewArrivalsTest, OfWhichTheLatestInFiftyDoNotCount) {
  for (std::uint32_t tick = 1; tick <= 110; ++tick) {
    view(tick, tick == 30 || tick == 60 ? milliseconds{15} : milliseconds{0});
  }
  EXPECT_EQ(arrivals_.jitter(), Duration::zero());
  view(111, milliseconds{14});
  EXPECT_EQ(arrivals_.jitter(), milliseconds{14});
}

// A way that opens again: what was held up comes at once, and counts as one late arrival.
TEST_F(ViewArrivalsTest, ThatComeTogetherCountOnce) {
  for (std::uint32_t tick = 1; tick <= 100; ++tick) {
    view(tick);
  }
  for (std::uint32_t tick = 101; tick <= 120; ++tick) {
    view(tick, kPeriod * (120 - tick));
  }
  EXPECT_EQ(arrivals_.jitter(), Duration::zero());
  EXPECT_EQ(arrivals_.line(), kStart.time_since_epoch());
}

TEST_F(ViewArrivalsTest, AreForgottenAfterAWhile) {
  view(1, -milliseconds{5});
  for (std::uint32_t tick = 2; tick <= 128; ++tick) {
    view(tick);
  }
  EXPECT_EQ(arrivals_.line(), kStart.time_since_epoch() - milliseconds{5});
  view(129);
  EXPECT_EQ(arrivals_.line(), kStart.time_since_epoch());
}

TEST_F(ViewArrivalsTest, ComeAsOftenAsTheirTicksSay) {
  EXPECT_EQ(arrivals_.interval(), kPeriod) << "unless more is known";
  view(3);
  view(6);
  EXPECT_EQ(arrivals_.interval(), 3 * kPeriod);
  view(12);
  EXPECT_EQ(arrivals_.interval(), 3 * kPeriod) << "one was lost";
}

TEST_F(ViewArrivalsTest, SayNothingOfHowOftenWhileThereIsNoNews) {
  view(1);
  view(3);
  for (std::uint32_t tick = 8; tick <= 500; tick += 5) {
    view(tick, {}, false);
  }
  EXPECT_EQ(arrivals_.interval(), 2 * kPeriod);
  view(502);
  EXPECT_EQ(arrivals_.interval(), 2 * kPeriod);
}

TEST_F(ViewArrivalsTest, MayComeLessOftenFromNowOn) {
  for (std::uint32_t tick = 1; tick <= 100; ++tick) {
    view(tick);
  }
  for (std::uint32_t tick = 104; tick <= 224; tick += 4) {
    view(tick);
  }
  EXPECT_EQ(arrivals_.interval(), kPeriod);
  view(228);
  EXPECT_EQ(arrivals_.interval(), 4 * kPeriod);
}

}  // namespace
}  // namespace tickbox::client
