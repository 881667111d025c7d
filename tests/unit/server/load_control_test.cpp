// What a shard gives up while its ticks take too long, with a model of its ticks.

#include "server/shard/paced_logs.h"
#include "server/shard/tick_time.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tickbox::server::load_control_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kRate = 60;
constexpr Duration kPeriod = tick_duration(kRate);
constexpr std::uint64_t kWorkMax = 500'000;
constexpr std::uint64_t kWanted = 120'000;
/// Of the work wanted, what is done however small the limit is.
constexpr std::uint64_t kLeast = kWanted / 6;

/// A shard whose ticks take `step` of their period, and `sending` of it with all snapshots.
struct Model {
  double step = 0;
  double sending = 0;
};

Duration of_period(double share) {
  return Duration{static_cast<std::int64_t>(share * static_cast<double>(kPeriod.count()))};
}

class LoadControlTest : public testing::Test {
 protected:
  /// Runs a tick; returns its time as a share of the period.
  double run_tick(const Model& model) {
    const std::uint64_t done = std::clamp(load_.work_limit(), kLeast, kWanted);
    const double sending = model.sending * static_cast<double>(done) / static_cast<double>(kWanted);
    load_.add_tick({.sending = of_period(sending), .rest = of_period(model.step)},
                   {.wanted = kWanted, .done = done});
    return sending + model.step;
  }

  void run_for(int ticks, const Model& model) {
    for (int i = 0; i < ticks; ++i) {
      run_tick(model);
    }
  }

  LoadControl load_{kRate, kWorkMax};
};

TEST_F(LoadControlTest, GivesNothingUpWhileThereIsTime) {
  run_for(600, {.step = 0.3, .sending = 0.5});
  EXPECT_EQ(load_.level(), Overload::None);
  EXPECT_GE(load_.work_limit(), kWanted);
  EXPECT_NEAR(load_.load(), 800, 2);
}

TEST_F(LoadControlTest, ALittleWorkIsNotLimitedHoweverLongTheTick) {
  LoadControl load{kRate, kWorkMax};
  for (int i = 0; i < 600; ++i) {
    load.add_tick({.rest = of_period(0.5)}, {});
  }
  EXPECT_EQ(load.work_limit(), kWorkMax) << "nobody plays";
}

TEST_F(LoadControlTest, FindsTheWorkForWhichThereIsTimeAndStaysThere) {
  run_for(60, {.step = 0.3, .sending = 0.5});
  run_for(60, {.step = 0.4, .sending = 1.1});
  EXPECT_EQ(load_.level(), Overload::FewerSnapshots);
  for (int i = 0; i < 600; ++i) {
    const double time = run_tick({.step = 0.4, .sending = 1.1});
    EXPECT_GE(time, 0.80) << i;
    EXPECT_LE(time, 0.90) << i;
  }
  EXPECT_EQ(load_.level(), Overload::FewerSnapshots);
}

// Ticks are never alike: the limit follows their mean, not each of them.
TEST_F(LoadControlTest, DoesNotSwingWhereTicksDiffer) {
  std::mt19937_64 random{5};
  std::uniform_real_distribution<double> factor{0.5, 1.5};
  std::vector<std::uint64_t> limits;
  for (int i = 0; i < 1'200; ++i) {
    const double by = factor(random);
    run_tick({.step = 0.4 * by, .sending = 1.1 * by});
    if (i >= 60) limits.push_back(load_.work_limit());
  }
  const auto [least, most] = std::ranges::minmax(limits);
  EXPECT_GT(least, kWanted / 5);
  EXPECT_LT(most, kWanted * 3 / 5);
  EXPECT_EQ(load_.level(), Overload::FewerSnapshots);
}

TEST_F(LoadControlTest, RefusesJoinsASecondAfterEvenTheFewestSnapshotsAreTooMany) {
  run_for(600, {.step = 0.3, .sending = 0.5});
  run_for(60, {.step = 1.2, .sending = 0.5});
  EXPECT_NE(load_.level(), Overload::RefusesJoins);
  run_for(30, {.step = 1.2, .sending = 0.5});
  EXPECT_EQ(load_.level(), Overload::RefusesJoins);
  EXPECT_EQ(load_.work_limit(), 0U);
}

TEST_F(LoadControlTest, RecoversByItselfTwoSecondsAfterTheLoadHasEnded) {
  run_for(600, {.step = 1.2, .sending = 0.5});
  ASSERT_EQ(load_.level(), Overload::RefusesJoins);
  run_for(110, {.step = 0.3, .sending = 0.5});
  EXPECT_EQ(load_.level(), Overload::RefusesJoins);
  run_for(60, {.step = 0.3, .sending = 0.5});
  EXPECT_EQ(load_.level(), Overload::None);
  EXPECT_GE(load_.work_limit(), kWanted);
}

TEST_F(LoadControlTest, AdmitsJoinsOnceRarerSnapshotsSuffice) {
  run_for(600, {.step = 1.2, .sending = 0.5});
  run_for(180, {.step = 0.4, .sending = 1.1});
  EXPECT_EQ(load_.level(), Overload::FewerSnapshots);
}

// A page fault, a debugger, a machine that was suspended.
TEST_F(LoadControlTest, SlowTicksNowAndThenChangeNothing) {
  for (int second = 0; second < 20; ++second) {
    run_tick({.step = second % 2 == 0 ? 600.0 : 3.0, .sending = 0.4});
    EXPECT_EQ(load_.level(), Overload::None) << second;
    run_for(59, {.step = 0.3, .sending = 0.4});
    EXPECT_EQ(load_.level(), Overload::None) << second;
    EXPECT_GE(load_.work_limit(), kWanted) << second;
  }
}

// Half a second over and half a second of rest is an overload too, but no reason to begin and end
// twice a second.
TEST_F(LoadControlTest, LevelsDoNotFlicker) {
  int changes = 0;
  Overload before = load_.level();
  for (int i = 0; i < 1'200; ++i) {
    run_tick({.step = i % 60 < 30 ? 1.3 : 0.2, .sending = 0.3});
    changes += load_.level() != before ? 1 : 0;
    before = load_.level();
  }
  EXPECT_LE(changes, 2);
}

TEST(Lasting, BeginsAndEndsAfterATime) {
  Lasting lasting{3, 2};
  const auto count = [&](bool is_so) {
    lasting.count(is_so, is_so);
    return lasting.is_on();
  };
  EXPECT_FALSE(count(true));
  EXPECT_FALSE(count(true));
  EXPECT_FALSE(count(false));
  EXPECT_FALSE(count(true));
  EXPECT_TRUE(count(true));
  EXPECT_TRUE(count(false));
  EXPECT_TRUE(count(true));
  EXPECT_TRUE(count(false));
  EXPECT_FALSE(count(false));
}

TEST(OverloadLog, WritesTheFirstChangeAtOnceAndThenAtMostEveryTenSeconds) {
  tests::MemoryLog lines;
  LimitedLog log{lines};
  OverloadLog overload;
  Metrics metrics;
  metrics.clients = 3;
  const Instant start{seconds{100}};
  const auto write = [&](Overload level, Duration after) {
    metrics.load = {.overload = level, .share = 1'313};
    overload.write(log, metrics, start + after);
    return lines.lines().size();
  };
  EXPECT_EQ(write(Overload::None, seconds{0}), 0U);
  metrics.snapshots.put_off = 12;
  EXPECT_EQ(write(Overload::FewerSnapshots, seconds{1}), 1U);
  EXPECT_EQ(lines.lines().back(),
            "overloaded level=fewer_snapshots load_percent=131.3 put_off=12 clients=3");
  EXPECT_EQ(write(Overload::None, seconds{2}), 1U);
  EXPECT_EQ(write(Overload::RefusesJoins, seconds{3}), 1U);
  metrics.snapshots.put_off = 20;
  EXPECT_EQ(write(Overload::RefusesJoins, seconds{11}), 2U);
  EXPECT_EQ(lines.lines().back(),
            "overloaded level=refuses_joins load_percent=131.3 put_off=8 clients=3");
  EXPECT_EQ(write(Overload::None, milliseconds{21'500}), 3U);
  EXPECT_EQ(lines.lines().back(), "overload_over load_percent=131.3 put_off=0 clients=3");
}

}  // namespace
}  // namespace tickbox::server::load_control_test
