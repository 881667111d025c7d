// The search of `load --find`: the numbers of clients that it tries, what it says is the limit, and
// what it keeps when it cannot go on.

#include "client/commands/load/load_find.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

/// What was measured with this number of clients, all well.
LoadMeasured well(std::size_t clients) {
  LoadMeasured measured{.clients_asked = clients,
                        .clients_connected = clients,
                        .seconds = 1,
                        .generator_cpu_percent = 10,
                        .tick_ms = 50};
  measured.stats.hashes_checked = clients;
  return measured;
}

/// A search up to 16 clients, and what it printed.
struct FindRun {
  std::expected<LoadResult, LoadVerdict> result;
  std::string notes;

  [[nodiscard]] std::string document() const {
    return to_json(result->find, {}, result->verdict.word(), result->steps);
  }
};

template <class Measure>
FindRun find_with(const char* requirements, Measure measure, std::size_t most = 16) {
  const std::vector<Requirement> parsed = parse_requirements(requirements).value();
  FindRun run;
  run.result = find_clients(
      {.most = most,
       .seconds = kFindSecondsMin,
       .requirements = parsed,
       .measure = [&](std::size_t clients) -> std::expected<LoadMeasured, LoadVerdict> {
         return measure(clients);
       },
       .print_note = [&run](std::string_view words) { run.notes.append(words) += '\n'; }});
  return run;
}

void expect_ended(const FindRun& run, ExitCode code, std::optional<std::uint64_t> clients,
                  std::string_view why) {
  ASSERT_TRUE(run.result);
  EXPECT_EQ(run.result->verdict.code(), code) << run.result->verdict.why;
  EXPECT_TRUE(run.result->verdict.why.contains(why)) << run.result->verdict.why;
  const FigureValue& found = run.result->find.front().value;
  EXPECT_EQ(number_of(found), clients.transform([](std::uint64_t count) {
    return static_cast<double>(count);
  })) << run.document();
}

TEST(Find, KeepsTheMeasureOfTheLargestNumberThatHolds) {
  const FindRun run = find_with("clients.asked<=3", well);
  expect_ended(run, ExitCode::Done, 3,
               "holds with 3 clients, but not with 4: clients.asked<=3 is 4. The limit is the "
               "server");
  EXPECT_EQ(run.result->measured.clients_asked, 3U);
  EXPECT_TRUE(run.result->requirements.front().held);
  EXPECT_EQ(run.notes,
            "1 client: trying\n1 client: held, clients.asked<=3 is 1\n"
            "2 clients: trying\n2 clients: held, clients.asked<=3 is 2\n"
            "4 clients: trying\n4 clients: not held (limit: server), clients.asked<=3 is 4\n"
            "3 clients: trying\n3 clients: held, clients.asked<=3 is 3\n"
            "3 clients: trying\n3 clients: held, clients.asked<=3 is 3\n"
            "4 clients: trying\n4 clients: not held (limit: server), clients.asked<=3 is 4\n")
      << "the last two are measured again";
  EXPECT_TRUE(run.document().starts_with(
      R"({"find":{"clients":3,"clients_max":3,"limit":"server","steps":[{"asked":1,"clients":1,"limit":"none",)"
      R"("requirements":[{"text":"clients.asked<=3","held":true,"value":1.0}]},)"))
      << run.document();
}

TEST(Find, FindsEachNumberToFivePercentInFewSteps) {
  for (const std::size_t most : {1U, 2U, 15U, 16U, 17U, 100U, 1'000U, 4'096U}) {
    for (std::size_t holds = 0; holds < most; holds += 1 + holds / 7) {
      SCOPED_TRACE(std::to_string(most) + " at most, " + std::to_string(holds) + " hold");
      const FindRun run =
          find_with(("clients.asked<=" + std::to_string(holds)).c_str(), well, most);
      ASSERT_TRUE(run.result);
      const auto found =
          static_cast<std::size_t>(number_of(run.result->find.front().value).value_or(0));
      EXPECT_LE(found, holds);
      EXPECT_GT(found + std::max<std::size_t>(1, found / 20), holds);
      EXPECT_LE(run.result->steps.size(), 15U);
    }
  }
}

TEST(Find, DoublesUntilAllHold) {
  const FindRun run = find_with("clients.asked>0", well, 1'000);
  expect_ended(run, ExitCode::Done, 1'000, "with 1000 clients, the most to try");
  EXPECT_EQ(run.result->steps.size(), 6U) << "62, 124, 248, 496, 992, 1000";
  EXPECT_TRUE(run.document().contains(R"("limit":"none")"));
}

/// Measures `times` as many gaps of a value in milliseconds as there are runs with this number.
struct Noisy {
  std::map<std::size_t, std::vector<std::uint64_t>> late_ms;  ///< by clients, of each run

  LoadMeasured operator()(std::size_t clients) {
    LoadMeasured measured = well(clients);
    std::uint64_t ms = clients <= 8 ? 1 : 90;
    auto& given = late_ms[clients];
    if (!given.empty()) {
      ms = given.front();
      given.erase(given.begin());
    }
    measured.stats.round_trip.add(1'000 * ms);
    return measured;
  }
};

// Before, a number was measured once: 17 but not 18, and then 13 but not 14, of the same server.
TEST(Find, SaysARangeWhereTheNumberThatHeldDoesNotHoldAgain) {
  const FindRun run = find_with("rtt_ms.max<=50", Noisy{{{8, {40, 70}}}});
  expect_ended(run, ExitCode::Done, 4,
               "holds with 4 clients, but not with 8 each time: rtt_ms.max<=50 is 40.");
  EXPECT_TRUE(run.result->verdict.why.contains("; 8 clients held once, so the number is between"))
      << run.result->verdict.why;
  EXPECT_TRUE(run.result->verdict.why.contains("give a longer --seconds"));
  EXPECT_TRUE(run.document().contains(R"("clients":4,"clients_max":8,)")) << run.document();
  EXPECT_EQ(run.result->measured.clients_asked, 4U);
}

TEST(Find, SaysARangeWhereTheNumberThatWasMissedHoldsThen) {
  const FindRun run = find_with("rtt_ms.max<=50", Noisy{{{9, {60, 45}}}});
  expect_ended(run, ExitCode::Done, 8, "holds with 8 clients, but not with 9 each time: ");
  EXPECT_TRUE(run.document().contains(R"("clients":8,"clients_max":9,)")) << run.document();
}

TEST(Find, SaysThatItsRunsAreShort) {
  const std::vector<Requirement> parsed = parse_requirements("clients.asked<=3").value();
  const auto found = find_clients({.most = 8,
                                   .seconds = 2,
                                   .requirements = parsed,
                                   .measure = well,
                                   .print_note = [](std::string_view) {}});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->verdict.why.contains("each run measured for 2 s, give a longer --seconds"))
      << found->verdict.why;
}

// A busy machine may have held it up.
TEST(Find, TriesANumberAgainIfTheGeneratorWasLateOnce) {
  std::size_t late = 0;
  const auto late_once = [&late](std::size_t clients) {
    LoadMeasured measured = well(clients);
    if (clients == 2 && late++ == 0) measured.late_share = 0.5;
    return measured;
  };
  const FindRun run = find_with("clients.asked<=3", late_once);
  expect_ended(run, ExitCode::Done, 3, "holds with 3 clients, but not with 4");
  EXPECT_TRUE(run.notes.contains("2 clients: not held (limit: generator)")) << run.notes;
}

// With --net loss=5% every step loses as much, and the requirement broke for another reason.
TEST(Find, TakesOnlyALossThatGrewForTheNetwork) {
  for (const auto& [arrived, limit] : {std::pair{945U, "server"}, {935U, "network"}}) {
    const auto lossy = [arrived](std::size_t clients) {
      LoadMeasured measured = well(clients);
      measured.stats.down_sent = 1'000;
      measured.stats.down_arrived = clients > 5 ? arrived : 950;
      return measured;
    };
    expect_ended(find_with("clients.asked<=5", lossy), ExitCode::Done, 5,
                 std::string{"The limit is the "} + limit);
  }
}

TEST(Find, EndsWhileOthersTakeTheSeats) {
  const auto busy = [](std::size_t clients) {
    LoadMeasured measured = well(clients);
    if (clients == 40) measured.stats.round_trip.add(90'000);
    const std::size_t seats = clients == 30 ? 25 : clients == 25 ? 15 : clients;
    measured.clients_connected = seats;
    if (seats < clients) measured.refused = net::RefuseReason::Full;
    if (clients == 30) measured.late_share = 0.5;
    measured.stats.round_trip.add(1'000);
    return measured;
  };
  expect_ended(find_with("rtt_ms.max<=50", busy, 160), ExitCode::Done, 20,
               "holds with 20 clients; the server has seats for 15");
}

TEST(Find, KeepsNoMeasureOfALargerNumberThatWasTriedLater) {
  const FindRun run = find_with("clients.asked<=2", well);
  expect_ended(run, ExitCode::Done, 2, "but not with 3");
  EXPECT_EQ(run.result->measured.clients_asked, 2U);
  EXPECT_TRUE(run.result->requirements.front().held);
}

TEST(Find, SaysWhereAllHoldAndWhereNoneDoes) {
  expect_ended(find_with("clients.asked<=16", well), ExitCode::Done, 16, "with 16 clients");
  const FindRun run = find_with("clients.asked<1", well);
  expect_ended(run, ExitCode::CheckFailed, 0,
               "not every requirement holds with 1: clients.asked<1 is 1. The limit is the server");
  EXPECT_EQ(run.result->measured.clients_asked, 1U);
}

TEST(Find, SaysThatTheGeneratorOrTheNetworkIsTheLimit) {
  const auto late = [](std::size_t clients) {
    LoadMeasured measured = well(clients);
    if (clients > 8) measured.late_share = 0.5;
    return measured;
  };
  expect_ended(find_with("clients.asked>0", late), ExitCode::Inconclusive, 8,
               "The limit is the load generator");
  const auto full = [](std::size_t clients) {
    LoadMeasured measured = well(clients);
    measured.generator_cpu_percent = 12 * static_cast<double>(clients);
    return measured;
  };
  expect_ended(find_with("clients.asked<=7", full), ExitCode::Inconclusive, 7,
               "used 96 % of a processor; try --verify 1/16, more --threads");
  const auto full_on_two = [&](std::size_t clients) {
    LoadMeasured measured = full(clients);
    measured.generator_threads = 2;
    return measured;
  };
  expect_ended(find_with("clients.asked<=7", full_on_two), ExitCode::Done, 7,
               "The limit is the server");
  const auto lossy = [](std::size_t clients) {
    LoadMeasured measured = well(clients);
    measured.stats.down_sent = 1'000;
    measured.stats.down_arrived = clients > 5 ? 970 : 1'000;
    return measured;
  };
  expect_ended(find_with("clients.asked<=5", lossy), ExitCode::Done, 5,
               "3 % of the server's packets were lost. The limit is the network");
}

// A server that is too slow to answer its admin side has no figures of its own.
TEST(Find, CountsAServersFigureThatIsNotKnownAsMissed) {
  const auto silent = [](std::size_t clients) {
    LoadMeasured measured = well(clients);
    measured.late_share = 0.5;
    return measured;
  };
  expect_ended(find_with("tick_overruns==0", silent), ExitCode::CheckFailed, 0,
               "tick_overruns==0 is not known. The limit is the server");
}

TEST(Find, CountsClientsThatAreLostAsNotHeld) {
  const auto dropping = [](std::size_t clients) {
    LoadMeasured measured = well(clients);
    if (clients > 6) {
      measured.clients_dropped = 1;
      measured.reason = "no answer";
    }
    return measured;
  };
  expect_ended(find_with("clients.asked>0", dropping), ExitCode::Done, 6,
               "1 of 7 clients were disconnected: no answer. The limit is the server");
}

TEST(Find, CountsAServerThatRefusesJoinsForItsLoadAsNotHeld) {
  const auto overloaded = [](std::size_t clients) {
    LoadMeasured measured = well(clients);
    if (clients > 6) {
      measured.clients_connected = 6;
      measured.reason = "server is overloaded";
      measured.refused = net::RefuseReason::Overloaded;
    }
    return measured;
  };
  expect_ended(find_with("clients.asked>0", overloaded), ExitCode::Done, 6,
               "1 of 7 clients could not connect: server is overloaded. The limit is the server");
}

TEST(Find, EndsWithTheSeatsOfTheServer) {
  const auto full = [](std::size_t clients) {
    LoadMeasured measured = well(std::min<std::size_t>(clients, 5));
    measured.clients_asked = clients;
    if (clients > 5) {
      measured.reason = "server full 5/5";
      measured.refused = net::RefuseReason::Full;
    }
    return measured;
  };
  const FindRun run = find_with("clients.asked>0", full);
  expect_ended(run, ExitCode::Done, 5, "holds with 5 clients; the server has seats for 5");
  EXPECT_TRUE(run.document().contains(R"("limit":"seats")")) << run.document();
  EXPECT_TRUE(run.notes.contains("5 clients, all that the server has seats for: held"))
      << run.notes;
  expect_ended(find_with("clients.connected<=4", full), ExitCode::Done, 4,
               "but not with 5: clients.connected<=4 is 5. The limit is the server");
}

/// Expects that the search ends with 8 clients, with the figures of this number of clients.
void expect_cut_at_8(void (*change)(LoadMeasured&), ExitCode code, std::string_view why,
                     std::size_t kept) {
  SCOPED_TRACE(why);
  const auto measure = [change](std::size_t clients) {
    LoadMeasured measured = well(clients);
    if (clients == 8) change(measured);
    return measured;
  };
  const FindRun run = find_with("state_hash.checked>0", measure);
  expect_ended(run, code, 4, why);
  EXPECT_TRUE(run.result->verdict.why.contains("; every requirement held with 4 clients"))
      << run.result->verdict.why;
  EXPECT_EQ(run.result->measured.clients_asked, kept);
  EXPECT_TRUE(
      run.document().contains(R"("find":{"clients":4,"clients_max":4,"limit":null,"steps":[)"))
      << run.document();
}

TEST(Find, EndsWithWhatIsKnown) {
  expect_cut_at_8([](LoadMeasured& measured) { measured.was_stopped = true; },
                  ExitCode::Inconclusive, "stopped before the end of the search", 4);
  expect_cut_at_8(
      [](LoadMeasured& measured) {
        measured.clients_connected = 0;
        measured.reason = "no answer";
      },
      ExitCode::NotConnected, "no client could connect: no answer", 8);
  expect_cut_at_8(
      [](LoadMeasured& measured) {
        measured.clients_connected = 6;
        measured.reason = "the server is stopping";
        measured.refused = net::RefuseReason::Draining;
      },
      ExitCode::NotConnected, "2 of 8 clients could not connect: the server is stopping", 8);
  expect_cut_at_8(
      [](LoadMeasured& measured) {
        measured.stats.hashes_mismatched = 1;
        measured.stats.first_mismatch = client::HashMismatch{.tick = {7}};
      },
      ExitCode::CheckFailed, "1 of 8 hashes differ, first at tick 7", 8);
  expect_cut_at_8([](LoadMeasured& measured) { measured.stats.hashes_checked = 0; },
                  ExitCode::CheckFailed, "state_hash.checked>0 is not known", 8);
}

TEST(Find, FailsAsItsMeasureDoes) {
  const FindRun run =
      find_with("clients.asked>0", [](std::size_t) -> std::expected<LoadMeasured, LoadVerdict> {
        return std::unexpected(LoadVerdict{.kind = LoadVerdict::Kind::Broken, .why = "no sockets"});
      });
  ASSERT_FALSE(run.result);
  EXPECT_EQ(run.result.error().why, "no sockets");
}

}  // namespace
}  // namespace tickbox::commands
