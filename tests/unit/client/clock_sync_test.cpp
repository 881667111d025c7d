// The clock against a scripted server. "Right" has one meaning in all tests. All but the latest 2 %
// of the inputs have at least half a tick to spare. No input has much more than it needs, and next
// to none is missed.

#include "client/connection/clock_sync.h"

#include "protocol/snapshot.h"
#include "tests/unit/client/scripted_server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::client::clock_sync_test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Loopback, near and far.
constexpr Duration kWays[] = {microseconds{50}, milliseconds{20}, milliseconds{250}};
/// The largest share of missed inputs after the clock has settled.
constexpr double kMissedMost = 0.001;
/// On a steady link no input is earlier than this, in ticks.
constexpr double kSteadyMost = 1.8;

/// `slack` in ticks: one tick, plus the longest delay beyond half a round trip.
void expect_right(const Summary& summary, double slack) {
  EXPECT_LT(summary.missed, kMissedMost) << summary.missed_count << " inputs";
  EXPECT_GE(summary.low, 0.5);
  EXPECT_LE(summary.low, slack + 1.5);
  EXPECT_LE(summary.most, slack + 1.5);
}

void expect_steady(const Summary& summary) {
  EXPECT_EQ(summary.missed_count, 0U);
  EXPECT_GE(summary.least, 0.5);
  EXPECT_LE(summary.most, kSteadyMost);
}

/// How far a clock has been moved ahead in total.
Duration moved_by(const ClockSync& clock) {
  return clock.reading().moved + clock.reading().followed;
}

std::int32_t sixteenths_of(Duration duration, std::uint32_t tick_rate) {
  return static_cast<std::int32_t>(duration * 16 / tick_duration(tick_rate));
}

/// A link with the delay `before` until five seconds have passed, then with `after`.
Way step_at_five_seconds(Duration before, Duration after) {
  return {.delay = [=](Duration sent) { return sent < seconds{5} ? before : after; }};
}

/// A link that passes no packet for `length` in every `every`; then all of them arrive at once.
Way stalling(Duration one_way, Duration length, Duration every) {
  return {.delay = [=](Duration sent) {
    const Duration since = sent % every;
    return since < length ? one_way + length - since : one_way;
  }};
}

/// How the server's clock runs beside that of the client; as Way::at_client.
using Rate = std::function<Duration(Duration)>;

Duration of_seconds(double count) {
  return Duration{std::llround(count * 1e9)};
}

double seconds_of(Duration duration) {
  return static_cast<double>(duration.count()) * 1e-9;
}

Rate steady_rate(double rate) {
  return [=](Duration server) { return of_seconds(seconds_of(server) / rate); };
}

/// The same rate as the client's and another one, each for `length` of the client's time in turn.
Rate stepping_rate(double rate, double length) {
  return [=](Duration server) {
    const double both = length + length * rate;
    const double whole = std::floor(seconds_of(server) / both);
    const double rest = seconds_of(server) - whole * both;
    return of_seconds(whole * 2 * length + std::min(rest, length) +
                      std::max(0.0, rest - length) / rate);
  };
}

/// Faster and slower by up to 8.5 %, as a sine of this period.
Rate swinging_rate(double period) {
  return [=](Duration server) {
    const double turns = 2 * std::numbers::pi / period;
    return of_seconds(seconds_of(server) +
                      0.085 / turns * (1 - std::cos(turns * seconds_of(server))));
  };
}

/// A steady link, and the time after which one tick is to spare.
struct Steady {
  std::string name;
  Duration one_way;
  ScriptOptions options;
  Duration settled;
  double rate = 1;  ///< of the server's clock
};

std::vector<Steady> steady_links() {
  std::vector<Steady> links;
  for (const Duration way : kWays) {
    const std::string name = std::to_string(way / microseconds{1}) + " us";
    links.push_back({name, way, {.length = seconds{20}}, seconds{5}});
    for (const std::uint32_t snapshots : {10U, 30U}) {
      links.push_back({name + ", few margins",
                       way,
                       {.length = seconds{30}, .snapshots_per_second = snapshots},
                       seconds{6}});
    }
    for (const double rate : {0.9995, 1.0005}) {
      links.push_back({name + ", a drift", way, {.length = seconds{120}}, seconds{5}, rate});
    }
    links.push_back({name + ", a loop that turns often",
                     way,
                     {.length = seconds{30}, .turns_per_second = 1'000},
                     seconds{6}});
  }
  for (const std::uint32_t rate : {10U, 30U, 128U, 240U}) {
    links.push_back({std::to_string(rate) + " ticks a second",
                     milliseconds{20},
                     {.length = seconds{40}, .tick_rate = rate, .snapshots_per_second = rate},
                     seconds{20}});
  }
  // The first margins are wrong by 15 to 30 ticks, so the wire has them in whole ticks only.
  for (const Duration more : {-milliseconds{400}, milliseconds{250}, milliseconds{500}}) {
    links.push_back({"a wrong guess",
                     milliseconds{250},
                     {.length = seconds{20}, .guessed_more = more},
                     seconds{4}});
  }
  // A lost CONNECT is repeated for two seconds, and the clock cannot know which one was answered.
  for (const auto& [way, settled] : {std::pair{kWays[1], seconds{6}}, {kWays[2], seconds{16}}}) {
    links.push_back({"a guess of two seconds too much",
                     way,
                     {.length = seconds{30}, .guessed_more = seconds{2}},
                     settled});
  }
  return links;
}

TEST(ClockSync, LeavesOneTickToSpareOnSteadyLinks) {
  for (const Steady& link : steady_links()) {
    SCOPED_TRACE(link.name);
    Way way = Way::of(link.one_way);
    way.at_client = steady_rate(link.rate);
    expect_steady(summary_of(play(way, link.options), link.settled));
  }
}

// A clock that is being corrected runs up to 8.5 % faster or slower. Before the fix, 20 per mille
// for each tick of error were all that the client did: from 1 to 3 % on it sent most inputs late,
// and its speed ended at 5 %. The other way round it was ahead by up to 69 ticks.
TEST(ClockSync, FollowsTheRateOfTheServersClock) {
  struct Case {
    std::string name;
    Rate rate;
    bool is_steady = false;
  };

  std::vector<Case> cases;
  for (const double rate : {0.915, 0.95, 0.99, 1.01, 1.05, 1.085}) {
    cases.push_back({"rate " + std::to_string(rate), steady_rate(rate), true});
  }
  for (const double rate : {0.915, 1.085}) {
    for (const double length : {5.0, 15.0}) {
      cases.push_back({"steps to " + std::to_string(rate), stepping_rate(rate, length)});
    }
  }
  for (const double period : {4.0, 10.0, 30.0}) {
    cases.push_back({"swings in " + std::to_string(period), swinging_rate(period)});
  }
  for (const Case& each : cases) {
    for (const Duration one_way :
         {Duration{}, Duration{milliseconds{30}}, Duration{milliseconds{80}}}) {
      for (const std::uint32_t loss : {0U, 5U}) {
        for (const std::uint32_t rate : {10U, 30U, 60U, 128U, 240U}) {
          SCOPED_TRACE(testing::Message() << each.name << ", " << one_way.count() << " ns, loss "
                                          << loss << " %, " << rate << " Hz");
          Way way = Way::of(one_way);
          way.at_client = each.rate;
          way.loss_percent = loss;
          way.jitter = loss > 0 ? milliseconds{20} : Duration{};
          const std::uint32_t snapshots = rate == 128 ? 64 : std::min(rate, 60U);
          const Played played = play(
              way, {.length = seconds{60}, .tick_rate = rate, .snapshots_per_second = snapshots});
          // The first step shows after a round trip, in which 240 Hz lose 40 inputs.
          const bool is_far = one_way > milliseconds{50} && rate == 240;
          EXPECT_LE(summary_of(played, seconds{2}).missed, is_far ? 0.02 : 0.01);
          if (each.is_steady && loss == 0) {
            EXPECT_LE(summary_of(played, seconds{45}).most, kSteadyMost + 0.5);
          }
        }
      }
    }
  }
}

// Three late margins in a row are more than the 2 % that may be worse, whatever the earlier margins
// are. Three late margins that alternate with good ones are as many.
TEST(ClockSync, HastensAsSoonAsMoreThanTwoPercentAreTooLate) {
  constexpr std::int32_t kEarly = 40;  // in 1/16 ticks: two and a half
  constexpr std::int32_t kRight = 16;
  constexpr std::int32_t kLate = -24;
  for (const bool with_another : {false, true}) {
    Instant now{};
    ClockSync clock{60, {100}, milliseconds{20}, now};
    const auto tell = [&](std::int32_t margin) { clock.on_margin(margin, clock.reading()); };
    const auto step = [&] {
      const Instant due = clock.next_due();
      clock.ran();
      return clock.next_due() - due;
    };
    for (int i = 0; i < 140; ++i) {
      step();
      tell(kEarly + sixteenths_of(moved_by(clock), 60));
    }
    for (int i = 0; i < 3; ++i) {
      step();
      tell(kRight);
    }
    EXPECT_EQ(step(), tick_duration(60));
    for (int i = 0; i < 3; ++i) {
      step();
      if (with_another) tell(kRight);
      tell(kLate);
    }
    EXPECT_LT(step(), tick_duration(60)) << with_another;
  }
}

// Before the fix, the clock only crept, because margins ended at eight ticks and never showed an
// error of twelve.
TEST(ClockSync, FollowsAStepToAQuarterOfASecond) {
  const Way way = step_at_five_seconds(milliseconds{20}, milliseconds{250});
  const Played played = play(way, {.length = seconds{20}});
  EXPECT_LT(summary_of(played, seconds{5}, seconds{7}).missed_count, 105U);
  const Summary settled = summary_of(played, seconds{7});
  EXPECT_EQ(settled.missed_count, 0U);
  EXPECT_GE(settled.least, 0.5);
  EXPECT_LE(settled.most, kSteadyMost + 1) << "what was missed may have asked for a tick more";
}

TEST(ClockSync, ComesBackWhenTheWayIsShortAgain) {
  const Way way = step_at_five_seconds(milliseconds{250}, milliseconds{20});
  const Played played = play(way, {.length = seconds{20}});
  EXPECT_EQ(summary_of(played, seconds{5}).missed_count, 0U);
  expect_steady(summary_of(played, seconds{8}));
}

// Before the fix, each input that was late during the catch-up requested one more tick. Five such
// ticks, 80 ms, were returned at a rate of one in twenty seconds.
TEST(ClockSync, CreepsAlongAStepThatIsNoReasonToJump) {
  const Way longer = step_at_five_seconds(milliseconds{10}, milliseconds{125});
  const Played up = play(longer, {.length = seconds{20}});
  expect_steady(summary_of(up, seconds{9}));
  EXPECT_EQ(up.most_ticks_in_a_turn, 1U);
  const Way shorter = step_at_five_seconds(milliseconds{100}, milliseconds{10});
  const Played down = play(shorter, {.length = seconds{30}});
  EXPECT_EQ(summary_of(down, seconds{5}).missed_count, 0U);
  expect_steady(summary_of(down, seconds{18}));
}

// Packets that are held up and arrive all at once show in no margin. Only missed inputs reveal
// them.
TEST(ClockSync, MakesRoomForStallsThatKeepComing) {
  for (const Duration every : {seconds{1}, seconds{2}, seconds{5}}) {
    SCOPED_TRACE(testing::Message() << "every " << every.count() << " ns");
    const Way way = stalling(milliseconds{20}, milliseconds{60}, every);
    const Played played = play(way, {.length = seconds{200}});
    expect_right(summary_of(played, seconds{30}), 60 * 0.06 + 1);
  }
}

// Each trial with a smaller lead costs missed inputs, so trials become rarer.
TEST(ClockSync, TriesToDoWithLessEverMoreRarely) {
  const Way way = stalling(milliseconds{20}, milliseconds{60}, seconds{2});
  const Played played = play(way, {.length = seconds{2'000}});
  EXPECT_LE(summary_of(played, seconds{30}, seconds{1'000}).missed_count, 10U);
  EXPECT_LE(summary_of(played, seconds{1'000}).missed_count, 6U);
}

TEST(ClockSync, GivesBackWhatItNeedsNoMore) {
  const Way bad = stalling(milliseconds{20}, milliseconds{60}, seconds{2});
  const Way way{.delay = [&bad](Duration sent) {
    return sent < seconds{30} ? bad.delay(sent) : milliseconds{20};
  }};
  const Played played = play(way, {.length = seconds{300}});
  EXPECT_GT(summary_of(played, seconds{35}, seconds{60}).middle, 2.5);
  expect_steady(summary_of(played, seconds{290}));
}

// Stalls of 240 ms need a lead of 14 ticks. Misses add at most six ticks to the one spare tick, and
// what looks like a drift after a stall another two and a half.
TEST(ClockSync, GoesNoFurtherThanMarginsTell) {
  const Way way = stalling(milliseconds{20}, milliseconds{240}, seconds{2});
  const Played played = play(way, {.length = seconds{60}});
  EXPECT_LT(summary_of(played, seconds{30}).most, 10);
}

// One packet in ten is 50 ms later than the others, and its margin shows it.
TEST(ClockSync, MakesRoomForPacketsThatAreOftenLate) {
  int packets = 0;
  const Way way{.delay = [&packets](Duration) {
    return ++packets % 10 == 0 ? milliseconds{60} : milliseconds{10};
  }};
  const Summary settled = summary_of(play(way, {.length = seconds{30}}), seconds{10});
  EXPECT_LT(settled.missed, kMissedMost);
  EXPECT_LT(settled.most, 60 * 0.05 + 2.5);
}

// One margin in ten is a third of a second too small, more than the clock may lead. The others say
// that the lead is large enough.
TEST(ClockSync, LeadsByNoMoreThanTwoHundredMilliseconds) {
  ClockSync clock{60, Tick{1'000}, Duration{}, Instant{}};
  const Duration period = tick_duration(60);
  Duration most{};
  for (int i = 0; i < 3'000; ++i) {
    const std::int64_t unmoved = i % 10 == 9 ? -20 * 16 : 16;
    const auto margin = static_cast<std::int32_t>(std::clamp<std::int64_t>(
        unmoved + moved_by(clock) * 16 / period, protocol::kMarginLeast, protocol::kMarginMost));
    clock.on_margin(margin, clock.reading());
    clock.ran();
    most = std::max(most, moved_by(clock));
  }
  EXPECT_LE(most + period, milliseconds{200} + period / 2);
  EXPECT_GE(moved_by(clock) + period, milliseconds{200} - period / 2);
}

TEST(ClockSync, IsMovedByNoOutlier) {
  int packets = 0;
  const Way way{.delay = [&packets](Duration) {
    return ++packets == 600 ? milliseconds{220} : milliseconds{20};
  }};
  // The input of the late packet is missed, and this alone is no reason to move either.
  const Played late = play(way, {.length = seconds{20}});
  expect_steady(summary_of(late, seconds{3}, seconds{9}));
  EXPECT_LE(summary_of(late, seconds{9}).most, kSteadyMost);
  const Way stalled = stalling(milliseconds{20}, milliseconds{60}, seconds{30});
  const Played once = play(stalled, {.length = seconds{50}});
  EXPECT_GE(summary_of(once, seconds{29}).missed_count, 1U);
  EXPECT_LE(summary_of(once, seconds{32}).most, kSteadyMost);
}

/// Loss and jitter, with eight seeds of two minutes each.
void expect_to_outlive_loss(Duration one_way, std::uint32_t snapshots) {
  constexpr std::size_t kSeeds = 8;
  double missed = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Way way = Way::of(one_way);
    way.jitter = milliseconds{8};
    way.loss_percent = 5;
    const Played played =
        play(way, {.length = seconds{120}, .snapshots_per_second = snapshots, .seed = seed});
    const Summary settled = summary_of(played, seconds{5});
    missed += settled.missed;
    EXPECT_GE(settled.low, 0.5);
    EXPECT_LE(settled.middle, 3.5) << "two ticks to spare are enough";
  }
  EXPECT_LT(missed / kSeeds, kMissedMost);
}

// Margins of packets that arrive show nothing of lost packets. With one tick to spare an input
// survives one loss, and misses request another tick.
TEST(ClockSync, OutlivesLossAndJitter) {
  for (const Duration one_way : kWays) {
    for (const std::uint32_t snapshots : {60U, 10U}) {
      SCOPED_TRACE(testing::Message() << one_way.count() << " ns, " << snapshots << " snapshots");
      expect_to_outlive_loss(one_way, snapshots);
    }
  }
}

TEST(ClockSync, GoesOnAfterAPause) {
  for (const Duration one_way : kWays) {
    for (const Duration pause : {milliseconds{400}, milliseconds{5'000}, milliseconds{60'000}}) {
      SCOPED_TRACE(testing::Message() << one_way.count() << " ns, for " << pause.count() << " ns");
      const Duration from = seconds{10};
      const Duration back = from + pause;
      const Played played =
          play(Way::of(one_way),
               {.length = back + seconds{10}, .pause_from = from, .pause_length = pause});
      EXPECT_EQ(played.most_ticks_in_a_turn, 1U);
      const Summary at_once = summary_of(played, back, back + seconds{1});
      EXPECT_LT(at_once.missed_count, 30U);
      EXPECT_GE(at_once.least, 0) << "what is sent again is sent in time";
      expect_steady(summary_of(played, back + seconds{1}));
    }
  }
}

TEST(ClockSync, CatchesUpAShortPause) {
  const Played played =
      play(Way::of(milliseconds{20}),
           {.length = seconds{20}, .pause_from = seconds{10}, .pause_length = milliseconds{200}});
  EXPECT_GE(played.most_ticks_in_a_turn, 12U);
  expect_steady(summary_of(played, seconds{10} + milliseconds{300}));
}

// A turn sends all inputs since the last turn. The oldest of them must be earlier by the time
// between two turns.
TEST(ClockSync, ServesALoopThatTurnsTenTimesASecond) {
  for (const Duration one_way : kWays) {
    SCOPED_TRACE(testing::Message() << one_way.count() << " ns");
    const Played played = play(Way::of(one_way), {.length = seconds{120}, .turns_per_second = 10});
    expect_right(summary_of(played, seconds{5}), 60 * 0.1 + 1);
  }
}

TEST(ClockSync, TakesMarginsOfManyTicksAsTheyAre) {
  ClockSync clock{60, Tick{1'000}, Duration{}, Instant{}};
  const Duration period = tick_duration(60);
  const auto hear = [&clock](int times) {
    for (int i = 0; i < times; ++i) {
      clock.on_margin(-30 * 16, {});
      clock.ran();
    }
  };
  hear(3);
  EXPECT_EQ(moved_by(clock), 31 * period);
  hear(20);
  EXPECT_EQ(moved_by(clock), 31 * period) << "what was sent before the jump is no news";
}

TEST(ClockSync, MovesForNoMarginAlone) {
  ClockSync clock{60, Tick{1'000}, Duration{}, Instant{}};
  const Instant due = clock.next_due();
  int ran = 0;
  for (const std::int32_t margin : {-100, 16, 16, 16, 16}) {
    clock.on_margin(margin, {});
    clock.ran();
    ++ran;
    EXPECT_EQ(moved_by(clock), Duration{});
    EXPECT_EQ(clock.next_due(), due + ran * tick_duration(60));
  }
}

/// Gives a clock some good margins: a new clock would jump.
void settle(ClockSync& clock) {
  for (int i = 0; i < 40; ++i) {
    clock.on_margin(16, clock.reading());
    clock.ran();
  }
  ASSERT_EQ(moved_by(clock), Duration{});
}

TEST(ClockSync, RunsBetweenNinetyFiveAndAHundredAndTwentyFivePercent) {
  struct Case {
    std::int32_t most;
    std::int32_t tenth;
  };

  // The last case is early enough to wait, except for every tenth margin.
  for (const Case& margins : {Case{-100, -100}, Case{120, 120}, Case{365, -320}}) {
    SCOPED_TRACE(margins.most);
    ClockSync clock{60, Tick{1'000}, Duration{}, Instant{}};
    const Duration period = tick_duration(60);
    settle(clock);
    for (int i = 0; i < 400; ++i) {
      const Instant before = clock.next_due();
      clock.on_margin(
          (i % 10 == 9 ? margins.tenth : margins.most) + sixteenths_of(moved_by(clock), 60),
          clock.reading());
      ASSERT_EQ(clock.next_due(), before) << "a jump";
      clock.ran();
      const Duration step = clock.next_due() - before;
      EXPECT_GE(step, period * 1'000 / 1'250);
      EXPECT_LE(step, period * 1'000 / 950);
    }
    EXPECT_GT(std::chrono::abs(moved_by(clock)), 4 * period);
  }
}

TEST(ClockSync, JumpsBeyondTwelveTicks) {
  ClockSync clock{240, Tick{1'000}, Duration{}, Instant{}};
  for (int i = 0; i < 4; ++i)
    settle(clock);
  for (int i = 0; i < 40; ++i) {
    clock.on_margin(i % 10 < 3 ? -15 * 16 : 16, {});
    clock.ran();
  }
  EXPECT_GE(moved_by(clock), 15 * tick_duration(240));
}

// A server that was stopped for five seconds has an input that it cannot use for 300 ticks. Margins
// show no more than 67 of them, and a clock that waits for the server has no input to send.
TEST(ClockSync, GoesBackAtOnceAfterAPauseOfTheServer) {
  ClockSync clock{60, Tick{1'000}, Duration{}, Instant{}};
  settle(clock);
  const Tick next = clock.next();
  const Instant due = clock.next_due();
  clock.on_room({next.value - 2}, {next.value - 1}, clock.reading());
  EXPECT_EQ(clock.next(), next) << "the server is not late";
  clock.on_room({next.value - 302}, {next.value - 1}, clock.reading());
  EXPECT_EQ(clock.next(), Tick{next.value - 300});
  EXPECT_EQ(clock.next_due(), due);
  EXPECT_EQ(moved_by(clock), Duration{}) << "its margins stay what they are";
}

// One packet that is early proves nothing: an attacker may have sent a copy of it on a faster path.
TEST(ClockSync, GoesBackAShortWayOnlyAfterTwoEarlyPackets) {
  ClockSync clock{60, Tick{1'000}, Duration{}, Instant{}};
  settle(clock);
  const Tick next = clock.next();
  for (int i = 0; i < 5; ++i) {
    clock.on_room({next.value - 12}, {next.value - 1}, clock.reading());
    clock.on_room({next.value - 2}, {next.value - 1}, clock.reading());
    EXPECT_EQ(clock.next(), next);
  }
  clock.on_room({next.value - 12}, {next.value - 1}, clock.reading());
  clock.on_room({next.value - 12}, {next.value - 1}, clock.reading());
  EXPECT_EQ(clock.next(), Tick{next.value - 10});
}

// A client whose own clock stood learns from one head that the ticks it would run next are over.
TEST(ClockSync, GoesOnFromTheRoomsTickAfterItStood) {
  ClockSync clock{60, Tick{1'000}, Duration{}, Instant{}};
  settle(clock);
  const Tick room = clock.next() + 120;
  clock.on_room(room, {clock.next().value - 1}, clock.reading());
  EXPECT_EQ(clock.next(), room + 1);
}

TEST(ClockSync, IsMovedByNoTurnThatWasLate) {
  ClockSync clock{60, Tick{1'000}, Duration{}, Instant{}};
  settle(clock);
  EXPECT_EQ(clock.begin_turn(clock.next_due() + milliseconds{100}), 0U);
  for (int i = 0; i < 6; ++i)
    clock.ran();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(clock.begin_turn(clock.next_due()), 0U);
    clock.on_margin(16, clock.reading());
    clock.ran();
  }
  EXPECT_EQ(moved_by(clock), Duration{});
}

// Five late margins come in two seconds. Half a second would hold at most two of them.
TEST(ClockSync, RemembersTwoSecondsOfAFastServer) {
  ClockSync clock{240, Tick{1'000}, Duration{}, Instant{}};
  const Duration period = tick_duration(240);
  for (int i = 0; i < 240 * 10; ++i) {
    const std::int64_t unmoved = i % 97 == 0 ? -4 * 16 : 16;
    clock.on_margin(static_cast<std::int32_t>(unmoved + moved_by(clock) * 16 / period),
                    clock.reading());
    clock.ran();
  }
  EXPECT_GE(moved_by(clock), 4 * period);
}

}  // namespace
}  // namespace tickbox::client::clock_sync_test
