// Arrivals of views on a virtual clock: how often, how late.

#include "client/presentation/picture_clock.h"
#include "core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

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

/// The jitter, from all arrivals that it is made of.
Duration jitter_of(std::span<const Duration> latest, Duration line) {
  std::vector<Duration> newest(latest.end() - std::min<std::ptrdiff_t>(std::ssize(latest), 128),
                               latest.end());
  std::ranges::sort(newest, std::greater<>{});
  return newest[newest.size() / 50] - line;
}

TEST_F(ViewArrivalsTest, HaveTheJitterOfTheNewestAtAnyTime) {
  // So fast that of two that come together the second may be the later.
  constexpr std::uint32_t kFast = 240;
  ViewArrivals arrivals{kFast};
  Rng rng{7};
  std::vector<Duration> latest;
  std::optional<Instant> began;
  Instant now = kStart;
  for (std::uint32_t tick = 1; tick <= 5'000; ++tick) {
    // Quiet and bad stretches; some come together.
    const auto spread = tick / 300 % 2 == 0 ? std::uint64_t{3'000} : std::uint64_t{60'000};
    const Duration late = std::chrono::microseconds{rng.below(spread)};
    now = std::max(now, kStart + tick_duration(kFast) * tick + late);
    arrivals.add({tick}, true, now);
    const Duration was = now.time_since_epoch() - tick_duration(kFast) * tick;
    if (began && now - *began < Duration{std::chrono::seconds{1}} / 64) {
      latest.back() = std::max(latest.back(), was);
    } else {
      latest.push_back(was);
      began = now;
    }
    ASSERT_EQ(arrivals.jitter(), jitter_of(latest, arrivals.line())) << "tick " << tick;
  }
  EXPECT_GT(latest.size(), 500U);
}

}  // namespace
}  // namespace tickbox::client
