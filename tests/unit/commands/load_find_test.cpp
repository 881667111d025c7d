// The search of `load --find`: the numbers of clients that it tries, what it says is the limit, and
// what it keeps when it cannot go on.

#include "client/commands/load/load_find.h"

#include "client/commands/load/client_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

/// Runs a search in which `holds` clients hold and more do not.
ClientSearch search_of(std::size_t most, std::size_t holds, std::size_t& steps) {
  ClientSearch search{most};
  for (steps = 0; const auto next = search.next(); ++steps) {
    EXPECT_LE(*next, most);
    if (steps > 30) {
      ADD_FAILURE() << "does not end: most " << most << ", holds " << holds;
      break;
    }
    (void)search.record({.asked = *next, .clients = *next, .held = *next <= holds});
  }
  return search;
}

TEST(ClientSearch, FindsEachNumberToFivePercentInFewSteps) {
  for (const std::size_t most : {1U, 2U, 15U, 16U, 17U, 100U, 1'000U, 4'096U}) {
    for (std::size_t holds = 0; holds < most; holds += 1 + holds / 7) {
      SCOPED_TRACE(std::to_string(most) + " at most, " + std::to_string(holds) + " hold");
      std::size_t steps = 0;
      const ClientSearch search = search_of(most, holds, steps);
      EXPECT_LE(search.held(), holds);
      EXPECT_GT(search.missed(), holds);
      EXPECT_LE(search.missed() - search.held(), std::max<std::size_t>(1, search.held() / 20));
      EXPECT_EQ(search.limit(), ClientLimit::Server);
      EXPECT_LE(steps, 13U);
    }
  }
}

TEST(ClientSearch, DoublesUntilAllHold) {
  std::size_t steps = 0;
  const ClientSearch search = search_of(1'000, 1'000, steps);
  EXPECT_EQ(steps, 6U) << "62, 124, 248, 496, 992, 1000";
  EXPECT_EQ(search.held(), 1'000U);
  EXPECT_EQ(search.missed(), 0U);
  EXPECT_EQ(search.limit(), ClientLimit::None);
}

ClientLimit limit_after(const std::vector<SearchStep>& steps) {
  ClientSearch search{1'000};
  ClientLimit limit = ClientLimit::None;
  for (const SearchStep& step : steps) {
    limit = search.record(step);
  }
  return limit;
}

TEST(ClientSearch, KnowsTheLimitByWhoWasWell) {
  EXPECT_EQ(limit_after({{.held = true, .loss = 0.5}}), ClientLimit::None);
  EXPECT_EQ(limit_after({{.held = false}}), ClientLimit::Server);
  EXPECT_EQ(limit_after({{.held = false, .is_late = true}}), ClientLimit::Generator);
  EXPECT_EQ(limit_after({{.held = true, .is_late = true}}), ClientLimit::Generator);
  EXPECT_EQ(limit_after({{.server_missed = true, .is_late = true, .loss = 0.5}}),
            ClientLimit::Server);
  EXPECT_EQ(limit_after({{.generator_cpu_percent = 96}}), ClientLimit::Generator);
  EXPECT_EQ(limit_after({{.generator_cpu_percent = 94}}), ClientLimit::Server);
  EXPECT_EQ(limit_after({{.held = true, .generator_cpu_percent = 99}}), ClientLimit::None);
  EXPECT_EQ(limit_after({{.loss = 0.02}}), ClientLimit::Network);
  EXPECT_EQ(limit_after({{.loss = 0.009}}), ClientLimit::Server);
  EXPECT_EQ(limit_after({{.loss = 0.02, .rate_held = 0.9}}), ClientLimit::Server);
}

// With --net loss=5% every step loses as much, and the requirement broke for another reason.
TEST(ClientSearch, TakesOnlyALossThatGrewForTheNetwork) {
  const SearchStep lossy{.clients = 8, .held = true, .loss = 0.05};
  EXPECT_EQ(limit_after({lossy, {.clients = 16, .loss = 0.055}}), ClientLimit::Server);
  EXPECT_EQ(limit_after({lossy, {.clients = 16, .loss = 0.065}}), ClientLimit::Network);
}

TEST(ClientSearch, TriesANumberAgainIfTheGeneratorWasLateOnce) {
  ClientSearch search{32};
  ASSERT_EQ(search.next(), 2U);
  const SearchStep late{.asked = 2, .clients = 2, .held = true, .is_late = true};
  EXPECT_EQ(search.record(late), ClientLimit::Generator);
  ASSERT_EQ(search.next(), 2U);
  (void)search.record({.asked = 2, .clients = 2, .held = true});
  ASSERT_EQ(search.next(), 4U);
  for (int i = 0; i < 2; ++i) {
    (void)search.record({.asked = 4, .clients = 4, .is_late = true});
  }
  ASSERT_EQ(search.next(), 3U);
  (void)search.record({.asked = 3, .clients = 3, .held = true});
  EXPECT_FALSE(search.next());
  EXPECT_EQ(search.held(), 3U);
  EXPECT_EQ(search.limit(), ClientLimit::Generator);
}

TEST(ClientSearch, EndsWhereTheServerHasNoMoreSeats) {
  ClientSearch search{160};
  (void)search.record({.asked = 10, .clients = 10, .held = true});
  (void)search.record({.asked = 20, .clients = 12, .held = true});
  EXPECT_FALSE(search.next());
  EXPECT_EQ(search.held(), 12U);
  EXPECT_EQ(search.most(), 12U);
  EXPECT_EQ(search.limit(), ClientLimit::Seats);
}

TEST(ClientSearch, EndsWhileOthersTakeTheSeats) {
  ClientSearch search{160};
  (void)search.record({.asked = 10, .clients = 10, .held = true});
  (void)search.record({.asked = 20, .clients = 20, .held = true});
  (void)search.record({.asked = 40, .clients = 40, .held = false});
  ASSERT_EQ(search.next(), 30U);
  (void)search.record({.asked = 30, .clients = 25, .is_late = true});
  ASSERT_EQ(search.next(), 25U) << "not more than there are seats";
  (void)search.record({.asked = 25, .clients = 15, .held = true});
  EXPECT_FALSE(search.next());
  EXPECT_EQ(search.held(), 20U) << "was measured";
  EXPECT_EQ(search.limit(), ClientLimit::Seats);
}

/// What was measured with this number of clients, all well.
LoadMeasured well(std::size_t clients) {
  LoadMeasured measured{.report = {.clients_asked = clients,
                                   .clients_connected = clients,
                                   .seconds = 1,
                                   .generator_cpu_percent = 10,
                                   .tick_ms = 50}};
  measured.report.stats.hashes_checked = clients;
  return measured;
}

/// A search up to 16 clients, and what it printed.
struct FindRun {
  std::expected<LoadResult, LoadVerdict> result;
  std::string notes;

  [[nodiscard]] std::string document() const {
    return to_json(result->find, {}, result->verdict.word, result->steps);
  }
};

template <class Measure>
FindRun find_with(const char* requirements, Measure measure) {
  const std::vector<Requirement> parsed = parse_requirements(requirements).value();
  FindRun run;
  run.result = find_clients(
      {.most = 16,
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
  EXPECT_EQ(run.result->verdict.code, code) << run.result->verdict.why;
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
  EXPECT_EQ(run.result->measured.report.clients_asked, 3U);
  EXPECT_TRUE(run.result->requirements.front().held);
  EXPECT_EQ(run.notes,
            "1 client: trying\n1 client: held, clients.asked<=3 is 1\n"
            "2 clients: trying\n2 clients: held, clients.asked<=3 is 2\n"
            "4 clients: trying\n4 clients: not held (limit: server), clients.asked<=3 is 4\n"
            "3 clients: trying\n3 clients: held, clients.asked<=3 is 3\n");
  EXPECT_TRUE(run.document().starts_with(
      R"({"find":{"clients":3,"limit":"server","steps":[{"asked":1,"clients":1,"limit":"none",)"
      R"("requirements":[{"text":"clients.asked<=3","held":true,"value":1.0}]},)"))
      << run.document();
}

TEST(Find, KeepsNoMeasureOfALargerNumberThatWasTriedLater) {
  const FindRun run = find_with("clients.asked<=2", well);
  expect_ended(run, ExitCode::Done, 2, "but not with 3");
  EXPECT_EQ(run.result->measured.report.clients_asked, 2U);
  EXPECT_TRUE(run.result->requirements.front().held);
}

TEST(Find, SaysWhereAllHoldAndWhereNoneDoes) {
  expect_ended(find_with("clients.asked<=16", well), ExitCode::Done, 16, "with 16 clients");
  const FindRun run = find_with("clients.asked<1", well);
  expect_ended(run, ExitCode::CheckFailed, 0,
               "not every requirement holds with 1: clients.asked<1 is 1. The limit is the server");
  EXPECT_EQ(run.result->measured.report.clients_asked, 1U);
}

TEST(Find, SaysThatTheGeneratorOrTheNetworkIsTheLimit) {
  const auto late = [](std::size_t clients) {
    LoadMeasured measured = well(clients);
    if (clients > 8) measured.report.late_share = 0.5;
    return measured;
  };
  expect_ended(find_with("clients.asked>0", late), ExitCode::Inconclusive, 8,
               "The limit is the load generator");
  const auto full = [](std::size_t clients) {
    LoadMeasured measured = well(clients);
    measured.report.generator_cpu_percent = 12 * static_cast<double>(clients);
    return measured;
  };
  expect_ended(find_with("clients.asked<=7", full), ExitCode::Inconclusive, 7,
               "used 96 % of a processor; try --verify 1/16, more --threads");
  const auto full_on_two = [&](std::size_t clients) {
    LoadMeasured measured = full(clients);
    measured.report.generator_threads = 2;
    return measured;
  };
  expect_ended(find_with("clients.asked<=7", full_on_two), ExitCode::Done, 7,
               "The limit is the server");
  const auto lossy = [](std::size_t clients) {
    LoadMeasured measured = well(clients);
    measured.report.stats.down_sent = 1'000;
    measured.report.stats.down_arrived = clients > 5 ? 970 : 1'000;
    return measured;
  };
  expect_ended(find_with("clients.asked<=5", lossy), ExitCode::Done, 5,
               "3 % of the server's packets were lost. The limit is the network");
}

// A server that is too slow to answer its admin side has no figures of its own.
TEST(Find, CountsAServersFigureThatIsNotKnownAsMissed) {
  const auto silent = [](std::size_t clients) {
    LoadMeasured measured = well(clients);
    measured.report.late_share = 0.5;
    return measured;
  };
  expect_ended(find_with("tick_overruns==0", silent), ExitCode::CheckFailed, 0,
               "tick_overruns==0 is not known. The limit is the server");
}

TEST(Find, CountsClientsThatAreLostAsNotHeld) {
  const auto dropping = [](std::size_t clients) {
    LoadMeasured measured = well(clients);
    if (clients > 6) {
      measured.report.clients_dropped = 1;
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
      measured.report.clients_connected = 6;
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
    measured.report.clients_asked = clients;
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
  EXPECT_EQ(run.result->measured.report.clients_asked, kept);
  EXPECT_TRUE(run.document().contains(R"("find":{"clients":4,"limit":null,"steps":[)"))
      << run.document();
}

TEST(Find, EndsWithWhatIsKnown) {
  expect_cut_at_8([](LoadMeasured& measured) { measured.report.was_stopped = true; },
                  ExitCode::Inconclusive, "stopped before the end of the search", 4);
  expect_cut_at_8(
      [](LoadMeasured& measured) {
        measured.report.clients_connected = 0;
        measured.reason = "no answer";
      },
      ExitCode::NotConnected, "no client could connect: no answer", 8);
  expect_cut_at_8(
      [](LoadMeasured& measured) {
        measured.report.clients_connected = 6;
        measured.reason = "the server is stopping";
        measured.refused = net::RefuseReason::Draining;
      },
      ExitCode::NotConnected, "2 of 8 clients could not connect: the server is stopping", 8);
  expect_cut_at_8(
      [](LoadMeasured& measured) {
        measured.report.stats.hashes_mismatched = 1;
        measured.report.stats.first_mismatch = client::HashMismatch{.tick = {7}};
      },
      ExitCode::CheckFailed, "1 of 8 hashes differ, first at tick 7", 8);
  expect_cut_at_8([](LoadMeasured& measured) { measured.report.stats.hashes_checked = 0; },
                  ExitCode::CheckFailed, "state_hash.checked>0 is not known", 8);
}

TEST(Find, FailsAsItsMeasureDoes) {
  const FindRun run =
      find_with("clients.asked>0", [](std::size_t) -> std::expected<LoadMeasured, LoadVerdict> {
        return std::unexpected(LoadVerdict{.code = ExitCode::Failed, .why = "no sockets"});
      });
  ASSERT_FALSE(run.result);
  EXPECT_EQ(run.result.error().why, "no sockets");
}

}  // namespace
}  // namespace tickbox::commands
