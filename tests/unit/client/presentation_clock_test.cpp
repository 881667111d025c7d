// The clock of the presentation, and the arrivals of views on which it depends, on a virtual clock.

#include "client/presentation/presentation.h"
#include "core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::client::presentation_clock_test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// The interval and the jitter of arrivals of views on a virtual clock.

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

// A link opens again: the held views arrive at once, and count as one late arrival.
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

/// The jitter, computed again from the newest 128 arrivals.
Duration jitter_of(std::span<const Duration> latest, Duration line) {
  std::vector<Duration> newest(latest.end() - std::min<std::ptrdiff_t>(std::ssize(latest), 128),
                               latest.end());
  std::ranges::sort(newest, std::greater<>{});
  return newest[newest.size() / 50] - line;
}

TEST_F(ViewArrivalsTest, HaveTheJitterOfTheNewestAtAnyTime) {
  // So fast that the second of two arrivals that come together may be the later one.
  constexpr std::uint32_t kFast = 240;
  ViewArrivals arrivals{kFast};
  Rng rng{7};
  std::vector<Duration> latest;
  std::optional<Instant> began;
  Instant now = kStart;
  for (std::uint32_t tick = 1; tick <= 5'000; ++tick) {
    // Quiet and bad stretches; some arrivals come together.
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

// The moment shown, for sequences of arrivals on a virtual clock. A server ticks 50 times a second,
// and each test decides how late its views are.

class PresentationClockTest : public ::testing::Test {
 protected:
  /// The arrival of the view of `tick` with this delay.
  static Instant at(std::uint32_t tick, Duration late = {}) {
    return kStart + kPeriod * tick + late;
  }

  void view(std::uint32_t tick, Duration late = {}, bool has_news = true) {
    look(at(tick, late));
    clock_.on_view({tick}, has_news, at(tick, late));
    look(at(tick, late));
  }

  /// Views of the ticks from `first` to `last`, without delay.
  void views(std::uint32_t first, std::uint32_t last, std::uint32_t every = 1) {
    for (std::uint32_t tick = first; tick <= last; tick += every) {
      view(tick);
    }
  }

  /// The moment shown, in ticks. It never goes back.
  double look(Instant now) {
    const Duration moment = clock_.moment(now);
    EXPECT_GE(moment, last_);
    last_ = moment;
    return std::chrono::duration<double, std::nano>{moment} / kPeriod;
  }

  PresentationClock clock_{kRate};
  Duration last_{};
};

TEST_F(PresentationClockTest, StandsAtTheFirstViewUntilItIsTimeToGoOn) {
  EXPECT_EQ(clock_.moment(kStart), Duration::zero());
  EXPECT_FALSE(clock_.has_begun());
  view(10);
  EXPECT_TRUE(clock_.has_begun());
  EXPECT_EQ(look(at(10)), 10);
  views(11, 12);
  EXPECT_EQ(look(at(12)), 10);
  EXPECT_EQ(look(at(12, milliseconds{5})), 10.25);
}

TEST_F(PresentationClockTest, IsTwoIntervalsBehindWhereViewsComeSteadily) {
  for (const std::uint32_t every : {1U, 2U, 3U, 5U}) {
    SCOPED_TRACE(testing::Message() << every << " ticks");
    clock_ = PresentationClock{kRate};
    last_ = {};
    views(0, 300, every);
    EXPECT_EQ(clock_.delay(), 2 * every * kPeriod);
    EXPECT_EQ(look(at(300)), 300 - 2.0 * every);
    EXPECT_EQ(look(at(300, milliseconds{10})), 300.5 - 2.0 * every);
  }
}

TEST_F(PresentationClockTest, IsAnIntervalAndAHalfAndTheJitterBehindWhereThatIsMore) {
  Rng rng{1};
  for (std::uint32_t tick = 1; tick <= 400; ++tick) {
    view(tick, milliseconds{rng.below(19)});
  }
  EXPECT_GE(clock_.delay(), milliseconds{30 + 17});
  EXPECT_LE(clock_.delay(), milliseconds{30 + 18});
}

TEST_F(PresentationClockTest, RaisesItsDelayAtOnceAndLowersItSlowly) {
  views(1, 200);
  ASSERT_EQ(clock_.delay(), milliseconds{40});
  for (const std::uint32_t late : {210U, 220U, 230U}) {
    views(late - 9, late - 1);
    view(late, milliseconds{18});
  }
  EXPECT_EQ(clock_.delay(), milliseconds{48}) << "at the third of 128, and not by one alone";

  views(231, 340);
  EXPECT_EQ(clock_.delay(), milliseconds{48}) << "it remembers";
  views(341, 350);
  const Duration lowering = clock_.delay();
  EXPECT_LT(lowering, milliseconds{48});
  views(351, 360);
  EXPECT_EQ(lowering - clock_.delay(), milliseconds{4}) << "in a fifth of a second";
  views(361, 500);
  EXPECT_EQ(clock_.delay(), milliseconds{40});
  EXPECT_EQ(look(at(500)), 498);
}

TEST_F(PresentationClockTest, RunsATenthSlowerUntilARaisedDelayIsReached) {
  views(1, 200);
  for (std::uint32_t tick = 201; tick <= 205; ++tick) {
    view(tick, milliseconds{tick % 2 * 18});
  }
  ASSERT_EQ(clock_.delay(), milliseconds{48});
  EXPECT_EQ(look(at(205, milliseconds{18})), 203.9) << "where it would have been";
  EXPECT_EQ(look(at(205, milliseconds{19})), 203.945);
  views(206, 209);
  EXPECT_GT(look(at(209)), 209 - 2.4);
  views(210, 210);
  EXPECT_EQ(look(at(210)), 210 - 2.4) << "80 ms after it was raised";
}

TEST_F(PresentationClockTest, TakesNoNoticeOfOneHiccup) {
  views(1, 200);
  // The views of 400 ms arrive at once.
  for (std::uint32_t tick = 201; tick <= 220; ++tick) {
    view(tick, kPeriod * (220 - tick));
  }
  EXPECT_EQ(clock_.delay(), milliseconds{40});
  EXPECT_EQ(look(at(220)), 212.5) << "where it stood; it goes on from there";
  views(221, 300);
  EXPECT_EQ(look(at(300)), 298) << "and has caught up a second later";
}

TEST_F(PresentationClockTest, GoesAQuarterOfASecondBeyondTheNewestViewAndStands) {
  views(1, 200);
  EXPECT_EQ(look(at(202)), 200);
  EXPECT_EQ(look(at(210)), 208);
  EXPECT_EQ(look(at(214, milliseconds{10})), 212.5);
  EXPECT_EQ(look(at(215)), 212.5);
  EXPECT_EQ(look(at(400)), 212.5);
  EXPECT_EQ(look(at(100'000)), 212.5);
}

TEST_F(PresentationClockTest, LeavesOutAPauseOfTwoSeconds) {
  views(1, 200);
  EXPECT_EQ(look(at(299)), 212.5);
  view(300);
  EXPECT_EQ(look(at(300)), 298);
  views(301, 310);
  EXPECT_EQ(look(at(310)), 308);
  EXPECT_EQ(clock_.delay(), milliseconds{40});
}

// A server without changes is silent for a tenth of a second. This makes no view late.
TEST_F(PresentationClockTest, RunsOnAtItsPaceWhileThereIsNoNews) {
  views(1, 200);
  for (std::uint32_t tick = 205; tick <= 1'000; tick += 5) {
    view(tick, {}, false);
    EXPECT_EQ(look(at(tick)), tick - 2.0);
    EXPECT_EQ(look(at(tick, milliseconds{90})), tick + 2.5) << "and beyond the newest view";
  }
  EXPECT_EQ(clock_.delay(), milliseconds{40});
  views(1'005, 1'010);
  EXPECT_EQ(look(at(1'010)), 1'008.0);
}

// The first views are rare, until the server knows that they arrive.
TEST_F(PresentationClockTest, FindsItsDelayWithinASecondWhenItIsNew) {
  views(3, 24, 3);
  EXPECT_EQ(clock_.delay(), milliseconds{120});
  views(25, 30);
  EXPECT_EQ(clock_.delay(), milliseconds{40});
  views(31, 75);
  EXPECT_EQ(look(at(75)), 73);
}

TEST_F(PresentationClockTest, FollowsALinkThatBecomesLonger) {
  views(1, 300);
  for (std::uint32_t tick = 301; tick <= 800; ++tick) {
    view(tick, milliseconds{100});
    const double before = look(at(tick, milliseconds{101}));
    EXPECT_GE(look(at(tick, milliseconds{119})) - before, 0.8) << "it never stands";
  }
  EXPECT_EQ(clock_.delay(), milliseconds{40});
  EXPECT_EQ(look(at(801, milliseconds{100})), 799);
}

TEST_F(PresentationClockTest, FollowsAClockThatRunsFaster) {
  for (std::uint32_t tick = 1; tick <= 50 * 600; ++tick) {
    view(tick, microseconds{tick * 4});  // 200 millionths
  }
  EXPECT_LT(clock_.delay(), milliseconds{41});
  EXPECT_NEAR(look(at(30'000, milliseconds{120})), 29'998, 0.1);
}

// Before the fix, the delay behind a server whose clock ran 8.5 % faster grew by 65 ms a second,
// and behind a slower one it was 170 ms more than needed.
TEST_F(PresentationClockTest, FollowsTheRateOfTheServersClock) {
  for (const double rate : {0.915, 0.97, 1.03, 1.085}) {
    SCOPED_TRACE(rate);
    clock_ = PresentationClock{kRate};
    last_ = {};
    const auto arrival = [&](double tick) {
      return kStart + Duration{std::llround(static_cast<double>(kPeriod.count()) * tick / rate)};
    };
    for (std::uint32_t tick = 1; tick <= 50 * 30; ++tick) {
      clock_.on_view({tick}, true, arrival(tick));
      if (tick > 50 * 10) {
        EXPECT_NEAR(look(arrival(tick + 0.5)), tick + 0.5 - 2, 0.5);
      }
    }
    EXPECT_LT(clock_.delay(), milliseconds{43});
  }
}

// The moment never goes back, which every look() checks. Except for pauses it is never more than a
// tenth too fast or too slow, and a twentieth for a drift that jitter looks like.
TEST_F(PresentationClockTest, RunsSteadilyWhateverComes) {
  Rng rng{7};
  views(1, 100);
  Instant arrived = at(100);
  Instant looked = arrived;
  double shown = look(looked);
  for (std::uint32_t tick = 101; tick <= 5'000; ++tick) {
    if (rng.chance(1, 10)) continue;
    const Duration worst = tick / 1'000 % 2 == 0 ? milliseconds{10} : milliseconds{80};
    const Duration late = worst * static_cast<std::int64_t>(rng.below(1'000)) / 1'000;
    const Instant now = std::max(arrived, at(tick, late));
    for (int i = 0; i < 3; ++i) {
      const Instant next = looked + (now - looked) / (3 - i);
      const double passed = std::chrono::duration<double>{next - looked} / kPeriod;
      const double then = look(next);
      EXPECT_LE(then - shown, passed * 1.15 + 0.001) << "tick " << tick;
      EXPECT_GE(then - shown, passed * 0.85 - 0.001) << "tick " << tick;
      looked = next;
      shown = then;
    }
    clock_.on_view({tick}, rng.chance(2, 3), now);
    arrived = now;
  }
  EXPECT_GT(shown, 4'900);
}

}  // namespace
}  // namespace tickbox::client::presentation_clock_test
