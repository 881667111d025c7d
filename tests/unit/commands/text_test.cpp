// Moments and numbers in words.

#include "client/commands/text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tickbox::commands {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNow{1'795'186'681'234ms};

TEST(When, WritesUtc) {
  EXPECT_EQ(utc_text(WallTime{}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(kNow), "2026-11-20T14:58:01Z");
  EXPECT_EQ(utc_text(WallTime{951'782'399'999ms}), "2000-02-28T23:59:59Z");
  EXPECT_EQ(utc_text(WallTime{951'782'400'000ms}), "2000-02-29T00:00:00Z");
}

// The start of a forged recording may be negative. Before the fix, it was shown as "after the year
// 9999".
TEST(When, SaysWhatIsBeforeItsCalendar) {
  EXPECT_EQ(utc_text(WallTime{-1ms}), "before the year 1970");
  EXPECT_EQ(utc_text(WallTime{std::chrono::milliseconds{INT64_MIN}}), "before the year 1970");
}

// A forged token may hold any time. Before the fix, a time beyond the years of the calendar was
// shown as a wrong date.
TEST(When, SaysWhatNoCalendarHas) {
  EXPECT_EQ(utc_text(WallTime{253'402'300'799'999ms}), "9999-12-31T23:59:59Z");
  EXPECT_EQ(utc_text(WallTime{253'402'300'800'000ms}), "after the year 9999");
  EXPECT_EQ(utc_text(WallTime{std::chrono::milliseconds{INT64_MAX}}), "after the year 9999");
}

TEST(When, TellsHowFarAMomentIs) {
  EXPECT_EQ(distance_text(kNow + 29'999ms, kNow), "in 29 s");
  EXPECT_EQ(distance_text(kNow - 12s, kNow), "12 s ago");
  EXPECT_EQ(distance_text(kNow, kNow), "0 s ago");
  EXPECT_EQ(distance_text(kNow + 119s, kNow), "in 119 s");
  EXPECT_EQ(distance_text(kNow + 120s, kNow), "in 2 min 0 s");
  EXPECT_EQ(distance_text(kNow - 4h - 59min, kNow), "4 h 59 min ago");
  EXPECT_EQ(distance_text(kNow + 47h, kNow), "in 47 h 0 min");
  EXPECT_EQ(distance_text(kNow + 49h, kNow), "in 2 days 1 h");
}

TEST(When, CountsSeconds) {
  EXPECT_EQ(seconds_until(kNow + 1'500ms, kNow), 1);
  EXPECT_EQ(seconds_until(kNow - 12s, kNow), -12);
  EXPECT_EQ(seconds_until(kNow - 1ms, kNow), -1) << "over is over";
}

TEST(Text, NumbersHaveTwoDigitsOrAllBeforeThePoint) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.00283), "0.0028");
  EXPECT_EQ(short_number(0.48), "0.48");
  EXPECT_EQ(short_number(7), "7.0");
  EXPECT_EQ(short_number(9.96), "10");
  EXPECT_EQ(short_number(45.05), "45");
  EXPECT_EQ(short_number(1'203.6), "1,204");
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
}

// Before, one tick was "1 ticks".
TEST(Counted, HasOneInTheSingular) {
  EXPECT_EQ(counted(0, "tick"), "0 ticks");
  EXPECT_EQ(counted(1, "tick"), "1 tick");
  EXPECT_EQ(counted(1'204, "tick"), "1,204 ticks");
  EXPECT_EQ(counted(1, "entity", "entities"), "1 entity");
  EXPECT_EQ(counted(2, "entity", "entities"), "2 entities");
}

}  // namespace
}  // namespace tickbox::commands
