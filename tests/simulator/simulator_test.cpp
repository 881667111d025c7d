// A small run of the simulator: a hundred runs without findings, planted bugs that are found, and
// the same bits for the same seed.

#include "games/arena/arena.h"
#include "games/bomber/bomber.h"
#include "games/platformer/platformer.h"
#include "tests/simulator/run.h"
#include "tests/support/menagerie.h"
#include "tests/support/short_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <ostream>
#include <set>
#include <string>

namespace tickbox::simulator {
namespace {

using std::chrono::seconds;

/// Few seeds if each step is checked and slow.
#ifdef TICKBOX_AUDIT
constexpr std::uint64_t kSeeds = 6;
constexpr seconds kLength{10};
#else
constexpr std::uint64_t kSeeds = 100;
constexpr seconds kLength{60};
#endif
/// Parts that processors can share. There are as many as profiles, so each part has runs of one
/// profile.
constexpr std::uint64_t kParts = kProfiles;

/// A match of the menagerie takes ten times as long: nearly all of its entities are in sight.
#ifdef TICKBOX_AUDIT
constexpr std::uint64_t kOtherSeeds = 6;
constexpr seconds kOtherLength = kLength;
#else
constexpr std::uint64_t kOtherSeeds = 12;
constexpr seconds kOtherLength{10};
#endif

Plan plan_of(const GameTable& game, std::uint64_t seed, seconds length) {
  return make_plan({.game = &game,
                    .seed = seed,
                    .profile = static_cast<Profile>(seed % kProfiles),
                    .length = length});
}

class Simulator : public testing::TestWithParam<std::uint64_t> {
 protected:
  static void expect_nothing_found(const GameTable& game, std::uint64_t seeds,
                                   seconds each = kLength);
};

void Simulator::expect_nothing_found(const GameTable& game, std::uint64_t seeds, seconds each) {
  std::uint64_t views = 0;
  std::uint64_t recorded = 0;
  std::uint64_t compared = 0;
  std::uint64_t owed = 0;
  std::uint64_t told = 0;
  std::uint64_t followed = 0;
  const auto run_seconds = static_cast<std::uint64_t>(each.count());
  std::uint64_t length = 0;  // seconds of all runs
  std::uint64_t played = 0;  // the same, for each of their clients
  for (std::uint64_t seed = 1 + GetParam(); seed <= seeds; seed += kParts) {
    const Outcome outcome = play(plan_of(game, seed, each));
    length += run_seconds;
    played += run_seconds * outcome.plan.clients.size();
    EXPECT_TRUE(outcome.findings.empty()) << report_of(outcome);
    EXPECT_EQ(outcome.played, Duration{each}) << report_of(outcome);
    EXPECT_GT(outcome.links.in, 0U) << report_of(outcome);
    views += outcome.views.views;
    recorded += outcome.recordings.ticks;
    compared += outcome.views_compared;
    owed += outcome.recordings.owed;
    told += outcome.losses.sent;
    followed += outcome.followed.ticks;
  }
  EXPECT_GT(views, 4 * played);
  EXPECT_GT(compared, views / 4) << "views that were held against the room";
  EXPECT_GT(owed, 4 * played);
  EXPECT_GT(told, 4 * played) << "packets whose fates both ends have reported";
  EXPECT_GT(recorded, 8 * length);
  EXPECT_GT(followed, 6 * length);
}

TEST_P(Simulator, FindsNothing) {
  expect_nothing_found(games::arena(), kSeeds);
}

TEST_P(Simulator, FindsNothingInAnotherGame) {
  expect_nothing_found(tests::menagerie(), kOtherSeeds, kOtherLength);
}

TEST_P(Simulator, FindsNothingInThePlatformer) {
  expect_nothing_found(games::platformer(), kParts);
}

TEST_P(Simulator, FindsNothingInTheBomber) {
  expect_nothing_found(games::bomber(), kParts);
}

TEST_P(Simulator, FindsNothingWhereMatchesEnd) {
  expect_nothing_found(tests::short_match(), kParts);
}

INSTANTIATE_TEST_SUITE_P(Parts, Simulator, testing::Range<std::uint64_t>(0, kParts));

TEST(SimulatorItself, DoesTheSameForTheSameSeed) {
  for (const Profile profile : {Profile::Wifi, Profile::Chaos}) {
    const auto fingerprint = [&](std::uint64_t seed) {
      return play(make_plan({.seed = seed, .profile = profile, .length = seconds{10}})).fingerprint;
    };
    EXPECT_EQ(fingerprint(3), fingerprint(3));
    EXPECT_NE(fingerprint(3), fingerprint(4));
  }
}

/// The effects of faults, as the production code and the network have counted them.
std::map<std::string_view, std::uint64_t> effects_of(const Outcome& outcome) {
  const ServerCounts& servers = outcome.servers;
  const auto let_in = [&](server::ConnectionResult result) {
    return servers.connections[static_cast<std::size_t>(result)];
  };
  const auto went = [&](net::DisconnectReason reason) {
    return servers.disconnects[static_cast<std::size_t>(reason)];
  };
  const auto inputs = [&](server::InputResult result) {
    return servers.inputs[static_cast<std::size_t>(result)];
  };
  return {
      {"datagrams lost", outcome.links.lost},
      {"datagrams lost in bursts", outcome.lost_in_bursts},
      {"datagrams lost in cuts", outcome.lost_in_cuts},
      {"datagrams duplicated", outcome.links.duplicated},
      {"datagrams reordered", outcome.links.reordered},
      {"datagrams corrupted", outcome.links.corrupted},
      {"datagrams truncated", outcome.links.truncated},
      {"datagrams that a server dropped", servers.dropped},
      {"clients back by ticket", let_in(server::ConnectionResult::Resumed)},
      {"clients followed to another address", let_in(server::ConnectionResult::Moved)},
      {"clients that were refused", std::reduce(servers.refusals.begin(), servers.refusals.end())},
      {"clients that left", went(net::DisconnectReason::ClientLeft)},
      {"clients told that the server stops", went(net::DisconnectReason::ServerStopping)},
      {"clients that fell silent", went(net::DisconnectReason::TimedOut)},
      {"clients whose place was taken", went(net::DisconnectReason::TakenOver)},
      {"inputs made up", inputs(server::InputResult::Substituted)},
      {"inputs that came late", inputs(server::InputResult::Late)},
      {"servers started again", servers.lives - 1},
      {"ticks slipped", servers.slipped},
      {"writes that a full disk refused", outcome.refused_full},
      {"writes that a slow disk refused", outcome.refused_slow},
      {"gaps in recordings", outcome.recordings.gaps},
      {"recordings that went on in another file", outcome.recordings.parts},
      {"followers that were cut", outcome.followed.cut},
      {"followers that were slow", outcome.followed.slow},
  };
}

TEST(SimulatorItself, BringsAboutEveryFaultThatItsProfileHas) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP();  // the rarest fault occurs after eight minutes of a match
#endif
  std::array<std::uint64_t, kFaults> begun{};
  std::map<std::string_view, std::uint64_t> effects;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Outcome outcome =
        play(make_plan({.seed = seed, .profile = Profile::Chaos, .length = seconds{40}}));
    for (std::size_t i = 0; i < kFaults; ++i) {
      begun[i] += outcome.faults[i];
    }
    for (const auto& [what, count] : effects_of(outcome)) {
      effects[what] += count;
    }
  }
  for (std::size_t i = 0; i < kFaults; ++i) {
    EXPECT_GT(begun[i], 0U) << name_of(static_cast<Fault>(i));
  }
  for (const auto& [what, count] : effects) {
    EXPECT_GT(count, 0U) << what;
  }
}

/// Short enough for builds with sanitizers, so that these see the rarest faults too.
TEST(SimulatorItself, FindsNothingWhereServersCrashDisksFillAndKeysChange) {
  std::array<std::uint64_t, kFaults> counts{};
  // Matches that take little time, in which the rarest faults occur.
  for (const std::uint64_t seed : {9U, 32U, 60U}) {
    const Outcome outcome =
        play(make_plan({.seed = seed, .profile = Profile::Chaos, .length = seconds{50}}));
    EXPECT_TRUE(outcome.findings.empty()) << report_of(outcome);
    for (std::size_t i = 0; i < kFaults; ++i) {
      counts[i] += outcome.faults[i];
    }
  }
  for (const Fault fault :
       {Fault::Crash, Fault::Kill, Fault::Theft, Fault::Keys, Fault::FullDisk}) {
    EXPECT_GT(counts[static_cast<std::size_t>(fault)], 0U) << name_of(fault);
  }
}

/// Before the fix, a checker complained about each of these matches although nothing was wrong.
TEST(SimulatorItself, BlamesNoServerForOtherServersOrKilledClientsOrItsClock) {
  for (const std::uint64_t seed : {90'233U, 90'275U, 150'365U}) {
    const Outcome outcome =
        play(make_plan({.seed = seed, .profile = Profile::Chaos, .length = kLength}));
    EXPECT_TRUE(outcome.findings.empty()) << report_of(outcome);
  }
}

using Checkers = std::set<std::string, std::less<>>;

/// The checkers with findings.
Checkers checkers_of(const Outcome& outcome) {
  Checkers all;
  for (const Finding& finding : outcome.findings) {
    all.insert(finding.checker);
  }
  return all;
}

struct Planted {
  Plant plant;
  Checkers checkers;         ///< checkers that find it in every seed
  Checkers others = {};      ///< checkers that may find it as well
  std::uint64_t seeds = 10;  ///< fewer if it is found only late in a run
};

Checkers either(const Planted& planted) {
  Checkers all = planted.checkers;
  all.insert(planted.others.begin(), planted.others.end());
  return all;
}

std::ostream& operator<<(std::ostream& out, const Planted& planted) {
  return out << name_of(planted.plant);
}

class PlantedBug : public testing::TestWithParam<Planted> {};

/// Wi-Fi matches of some seeds, each with and without the bug.
TEST_P(PlantedBug, IsFoundByItsCheckersAndNothingElseIs) {
#ifdef TICKBOX_AUDIT
  const std::uint64_t last = 2;
#else
  const std::uint64_t last = GetParam().seeds;
#endif
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    PlanOptions options{.seed = seed, .profile = Profile::Wifi, .length = seconds{60}};
    options.plant = GetParam().plant;
    const Outcome with = play(make_plan(options));
    const Checkers found = checkers_of(with);
    EXPECT_TRUE(std::ranges::includes(found, GetParam().checkers)) << report_of(with);
    EXPECT_TRUE(std::ranges::includes(either(GetParam()), found)) << report_of(with);
    EXPECT_TRUE(report_of(with).contains(command_of(with.plan)));
    options.plant = Plant::None;
    options.length = std::max<Duration>(seconds{1}, with.played);
    const Outcome without = play(make_plan(options));
    EXPECT_TRUE(without.findings.empty()) << report_of(without);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, PlantedBug,
    testing::Values(
        Planted{Plant::InputTwice, {"recording"}, {"views", "log", "follow"}},
        Planted{Plant::MissingCause, {"views", "log"}}, Planted{Plant::LostRecord, {"recording"}},
        Planted{Plant::OtherInput, {"inputs"}}, Planted{Plant::WrongKey, {"sessions"}},
        Planted{Plant::Overspending, {"budget"}}, Planted{Plant::OtherView, {"bodies"}},
        Planted{Plant::SameSequence, {"nonce"}}, Planted{Plant::SameNonce, {"nonce"}},
        Planted{Plant::Standstill, {"stall"}}, Planted{Plant::LossyLink, {"loss"}, {}, 3},
        Planted{Plant::DeafClient, {"loss"}, {}, 3}, Planted{Plant::DeafServer, {"loss"}, {}, 3}),
    [](const auto& kind) {
      std::string name{name_of(kind.param.plant)};
      std::ranges::replace(name, '-', '_');
      return name;
    });

/// These bugs are found in the menagerie too.
TEST(PlantedBugs, AreFoundInAnotherGame) {
  for (const Planted& planted :
       {Planted{Plant::InputTwice, {"recording"}, {"log", "views", "follow"}},
        Planted{Plant::MissingCause, {"views", "log"}}, Planted{Plant::OtherInput, {"inputs"}},
        Planted{Plant::OtherView, {"bodies"}}}) {
    for (const std::uint64_t seed : {2U, 3U}) {
      const Outcome outcome = play(make_plan({.game = &tests::menagerie(),
                                              .seed = seed,
                                              .profile = Profile::Wifi,
                                              .length = seconds{20},
                                              .plant = planted.plant}));
      const Checkers found = checkers_of(outcome);
      EXPECT_TRUE(std::ranges::includes(found, planted.checkers)) << report_of(outcome);
      EXPECT_TRUE(std::ranges::includes(either(planted), found)) << report_of(outcome);
    }
  }
}

/// Half an hour of a match in which the server never restarts, with and without a leak.
TEST(Soak, KeepsNothingThatItDoesNotNeed) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP();  // half an hour of a match takes a quarter of an hour
#endif
  PlanOptions options{.seed = 9, .profile = Profile::Soak, .length = std::chrono::minutes{30}};
  const Outcome outcome = play(make_plan(options));
  EXPECT_TRUE(outcome.findings.empty()) << report_of(outcome);
  EXPECT_GT(outcome.memory.early, 1'000'000U) << report_of(outcome);
  EXPECT_GT(outcome.memory.late, 1'000'000U) << report_of(outcome);
  options.plant = Plant::Leak;
  const Outcome leaking = play(make_plan(options));
  EXPECT_EQ(checkers_of(leaking), Checkers{"memory"}) << report_of(leaking);
  EXPECT_EQ(leaking.findings.size(), 1U) << report_of(leaking);
  EXPECT_EQ(leaking.fingerprint, outcome.fingerprint) << "it is the same match";
}

// The largest crowd so far comes after two thirds of the match, and all vectors of bodies double.
TEST(Soak, TakesALargeCrowdForNoLeak) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP();  // as above
#endif
  const Outcome outcome = play(
      make_plan({.seed = 120'039, .profile = Profile::Soak, .length = std::chrono::minutes{30}}));
  EXPECT_TRUE(outcome.findings.empty()) << report_of(outcome);
  EXPECT_GT(outcome.memory.late, outcome.memory.early + 700'000U) << report_of(outcome);
}

}  // namespace
}  // namespace tickbox::simulator
