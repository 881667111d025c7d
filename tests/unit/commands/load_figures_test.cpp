// What `load` reports: a server's metrics as it reads them, its figures, what is required of them,
// the document of them, and the line while it runs.

#include "client/commands/load/load_figures.h"

#include "client/commands/connect/play_summary.h"
#include "client/commands/document.h"
#include "client/commands/load/load_seconds.h"
#include "client/commands/load/load_verdict.h"
#include "client/commands/load/server_watch.h"
#include "client/commands/output.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace tickbox::commands::load_figures_test {
namespace {

ServerSample sample(std::uint64_t ticks, std::uint64_t slipped, std::chrono::seconds at) {
  ServerSample sample{.at = Instant{at},
                      .slipped = slipped,
                      .tick_rate = 60,
                      .cpu_ms = ticks * 10 / 6,
                      .resident_bytes = 5'000};
  sample.tick_ns.add(1'000'000, ticks);
  return sample;
}

std::optional<double> figure(const Figures& figures, std::string_view path) {
  const auto found = std::ranges::find(figures, path, &Figure::path);
  EXPECT_NE(found, figures.end()) << path;
  return found != figures.end() ? number_of(found->value) : std::nullopt;
}

TEST(LoadFigures, MeasuresTheServerBetweenTwoSamples) {
  struct Case {
    std::uint64_t ticks;  ///< that the server stepped, and that it gave up
    std::uint64_t slipped;
    std::uint32_t seen;  ///< by the clients
    std::uint32_t seconds;
    double rate_held;
    double cpu_percent;
  };

  for (const Case& of : {Case{1'200, 0, 1'200, 20, 1, 10}, Case{900, 300, 1'200, 20, 0.75, 7.5},
                         Case{600, 0, 600, 20, 0.5, 5},  // the clients' clocks tell
                         Case{60, 0, 57, 1, 1, 10}}) {   // a client's newest view is some ticks old
    SCOPED_TRACE(of.ticks);
    const std::chrono::seconds start{10};
    const auto figures = figures_between(
        sample(100, 0, start),
        sample(100 + of.ticks, of.slipped, start + std::chrono::seconds{of.seconds}), of.seen,
        of.seconds);
    ASSERT_TRUE(figures);
    EXPECT_DOUBLE_EQ(figures->rate_held, of.rate_held);
    EXPECT_NEAR(figures->cpu_percent, of.cpu_percent, 0.01);
    EXPECT_EQ(figures->skipped, of.slipped);
    EXPECT_EQ(figures->tick_ns.count(), of.ticks);
  }
}

TEST(LoadFigures, SaysNothingOfAServerThatStartedAnew) {
  EXPECT_FALSE(figures_between(sample(1'300, 0, std::chrono::seconds{10}),
                               sample(100, 0, std::chrono::seconds{30}), 1'200, 20));
  // Before the fix, a second run that lasted longer counted as the continuation of the first.
  ServerSample second = sample(300, 0, std::chrono::seconds{30});
  second.started_ms = 1'700'000'000'000;
  EXPECT_FALSE(figures_between(sample(100, 0, std::chrono::seconds{10}), second, 1'200, 20));
}

TEST(LoadFigures, HasEveryPathOnceAndNullWhereNothingIsKnown) {
  const Figures figures = figures_of(LoadMeasured{});
  std::set<std::string> paths;
  for (const Figure& each : figures) {
    EXPECT_TRUE(paths.insert(each.path).second) << each.path;
    EXPECT_FALSE(is_told_by_server(each.path) && number_of(each.value)) << each.path;
  }
  for (const char* path :
       {"tick_ms.p99", "tick_rate_held", "server.cpu_percent", "generator.late_p99_ms",
        "clients.dropped", "prediction.touched.exact", "rtt_ms.p50"}) {
    EXPECT_TRUE(paths.contains(path)) << path;
  }
  EXPECT_FALSE(is_told_by_server("generator.cpu_percent"));
}

// Before the fix, a run without an outage did not know how long its longest one was, and missed a
// requirement on it.
TEST(LoadFigures, KnowsEveryFigureOfARunWithoutAFault) {
  LoadMeasured run{.first_client = 7,
                   .clients_asked = 4,
                   .clients_connected = 4,
                   .seconds = 20,
                   .client_seconds = 80};
  run.snapshot_rates = {60, 60, 60, 60};
  run.generator_cpu_percent = 3;
  run.server = figures_between(sample(0, 0, std::chrono::seconds{0}),
                               sample(1'200, 0, std::chrono::seconds{20}), 1'200, 20);
  run.joining = run.server;
  run.lateness.add(0);
  client::ClientStats& stats = run.stats;
  stats.hashes_checked = stats.inputs_sent = 4'800;
  stats.up_sent = stats.up_arrived = stats.down_sent = stats.down_arrived = 4'800;
  stats.untouched = {.checked = 4'800, .exact = 4'800};
  stats.prediction_error.add(0);
  stats.round_trip.add(20'000);
  stats.snapshot_gap.add(16'667);
  const Figures figures = figures_of(run);
  for (const Figure& each : figures) {
    const bool is_known = !std::holds_alternative<std::monostate>(each.value);
    EXPECT_EQ(is_known, each.path != "state_hash.first_mismatch") << each.path;
  }
  for (const char* const text : {"outage_ms.max<=5000", "outage_ms.p99==0", "loss.down==0",
                                 "prediction.error_max==0", "ticks_skipped==0", "inputs.late==0"}) {
    EXPECT_TRUE(check(parse_requirements(text).value().front(), figures).held) << text;
  }
  EXPECT_FALSE(
      check(parse_requirements("outage_ms.max<=5000").value().front(), figures_of(LoadMeasured{}))
          .held)
      << "no client was there";
}

// Before, the overruns while clients joined were in no figure.
TEST(LoadFigures, HasTheServersTicksWhileTheClientsJoin) {
  LoadMeasured run;
  run.joining = figures_between(sample(0, 0, std::chrono::seconds{0}),
                                sample(60, 0, std::chrono::seconds{1}), 0, 0);
  ASSERT_TRUE(run.joining);
  run.joining->overruns = 7;
  const Figures figures = figures_of(run);
  EXPECT_NEAR(*figure(figures, "joining.tick_ms_max"), 1, 0.016);
  EXPECT_EQ(figure(figures, "joining.overruns"), 7);
  EXPECT_EQ(figure(figures, "tick_overruns"), std::nullopt);
}

TEST(LoadFigures, TakesTheLeastAndTheMedianOfRates) {
  const LoadMeasured run{.clients_asked = 3,
                         .clients_connected = 2,
                         .seconds = 10,
                         .client_seconds = 20,
                         .snapshot_rates = {60, 20, 58},
                         .bytes_down = 4'000};
  const Figures figures = figures_of(run);
  EXPECT_EQ(figure(figures, "snapshots_per_client_per_second.min"), 20);
  EXPECT_EQ(figure(figures, "snapshots_per_client_per_second.p50"), 58);
  EXPECT_EQ(figure(figures, "bytes_per_client_per_second.down"), 200);
}

// Before the fix, one pause of 2 s was 1 in 600 polls of each client, and the server was blamed.
TEST(LoadFigures, IsSaturatedByLateTicksByOneLongPauseAndByTheShareOfTime) {
  const auto is_saturated_by = [](int late, double share, std::initializer_list<int> pauses) {
    LoadMeasured run{.late_share = share, .tick_ms = 1'000.0 / 60};
    for (int i = 0; i < 1'000; ++i) {
      run.lateness.add(i < 1'000 - late ? 100 : 20'000);
    }
    for (const int pause : pauses) {
      run.lateness.add(static_cast<std::uint64_t>(pause));
    }
    return is_saturated(run);
  };
  EXPECT_TRUE(is_saturated_by(15, 0, {}));
  EXPECT_FALSE(is_saturated_by(5, 0, {})) << "one in a hundred";
  EXPECT_TRUE(is_saturated_by(0, 0.011, {}));
  EXPECT_FALSE(is_saturated_by(0, 0.009, {240'000}));
  EXPECT_TRUE(is_saturated_by(0, 0.009, {240'000, 300'000}));
}

const Figures kFigures{{"connected", true},
                       {"ticks", std::uint64_t{300}},
                       {"rtt_ms.p50", 0.6551234567},
                       {"rtt_ms.p99", {}},
                       {"prediction.touched.exact", std::uint64_t{2}},
                       {"reason", std::string{"left \"now\""}}};

TEST(Document, NestsByTheDotsOfItsPaths) {
  EXPECT_EQ(to_json(kFigures),
            R"({"connected":true,"ticks":300,"rtt_ms":{"p50":0.655123,"p99":null},)"
            R"("prediction":{"touched":{"exact":2}},"reason":"left \"now\""})");
}

TEST(Document, EndsWithRequirementsAndVerdict) {
  const std::vector<RequirementResult> results{
      {.text = "ticks>=300", .held = true, .value = 300},
      {.text = "rtt_ms.p99<=1", .held = false, .value = std::nullopt}};
  EXPECT_EQ(to_json({{"ticks", std::uint64_t{300}}}, results, "failed"),
            R"({"ticks":300,"requirements":[{"text":"ticks>=300","held":true,"value":300.0},)"
            R"({"text":"rtt_ms.p99<=1","held":false,"value":null}],"verdict":"failed"})");
}

// The document has text from the server, which need not be UTF-8, and may be printed on a terminal.
TEST(Document, IsAscii) {
  EXPECT_EQ(to_json({{"reason", std::string{"a\xff \xc3\xa9 \xc2\x9b\x7f"}}}),
            R"({"reason":"a\ufffd \u00e9 \u009b\u007f"})");
}

TEST(Document, PutsAnObjectOnALineForPeople) {
  const std::string table = to_table(kFigures);
  EXPECT_EQ(std::ranges::count(table, '\n'), 5);
  EXPECT_TRUE(table.contains("p50 0.6551 p99 -"));
}

// Before the fix, the line of the predictions was wider than most terminals.
TEST(Document, BreaksALineOfTheTableBetweenTwoFigures) {
  LoadMeasured run;
  run.stats.untouched = {.checked = 123'456'789'012, .exact = 123'456'789'012};
  run.stats.touched = run.stats.untouched;
  run.stats.corrected = 123'456'789'012;
  run.stats.prediction_error.add(25'200'000);
  const std::string table = to_table(figures_of(run));
  EXPECT_TRUE(table.contains("touched.exact 123456789012"));
  for (std::size_t from = 0; from < table.size();) {
    const std::size_t end = table.find('\n', from);
    EXPECT_LE(end - from, 80U) << table.substr(from, end - from);
    from = end + 1;
  }
}

// The beginning of the live line is all that many people see: their terminal has 80 columns.

constexpr std::size_t kColumns = 79;

/// The last second of a run in which much goes wrong.
LoadSecond busy() {
  LoadMeasured second{.generator_cpu_percent = 100, .rates_down = {12'340}, .rates_up = {1'230}};
  second.server = ServerFigures{};
  second.server->tick_ns.add(12'345'000);
  second.stats.snapshot_gap.add(16'700, 600);
  second.stats.snapshot_gap.add(118'200, 399);
  second.stats.snapshot_gap.add(230'100);
  second.stats.round_trip.add(80'100, 98);
  second.stats.round_trip.add(160'200, 2);
  second.stats.corrected = 123'456;
  second.lateness.add(12'300);
  return {.figures = second_figures(second)};
}

// Before the fixes, the alarms were behind column 80, where a terminal cut them off, and clients
// that came back after a restart were FAILED until then.
TEST(LiveLine, BeginsWithWhatAlarmsAndThenWithWhoPlays) {
  LiveMoment moment{.states = {.connected = 1'000, .never_connected = 24},
                    .hashes_mismatched = 123'456,
                    .server_is_silent = true};
  const auto expect_begins = [&moment](const LoadSecond& second, std::string_view words) {
    const std::string seen = live_line(second, moment).substr(0, kColumns);
    EXPECT_TRUE(seen.starts_with(words)) << seen;
  };
  expect_begins(busy(), "123456 HASHES DIFFER  24 FAILED  server silent  1000 up");
  moment.hashes_mismatched = 0;
  moment.states.dropped = moment.states.returning = 7;
  expect_begins(busy(), "7 AWAY  24 FAILED  ");
  moment.states.never_connected = 0;
  expect_begins(busy(), "7 AWAY  server silent  ");
  moment.states.dropped = moment.states.returning = 0;
  moment.server_is_silent = false;
  expect_begins(busy(), "1000 up  tick 12.45 ms  gaps 16.9/118.8/231.4 ms  rtt 80.9/161.8 ms");
  moment.seconds = 6.2;
  moment.seconds_of = 20;
  expect_begins(busy(), "6 of 20 s  1000 up  tick 12.45 ms  gaps ");
  expect_begins({}, "6 of 20 s  1000 up  gaps ");
}

TEST(LiveLine, HasTheTouchedPredictionsBesideTheOthers) {
  client::ClientStats stats;
  stats.untouched = {.checked = 100, .exact = 100};
  EXPECT_TRUE(live_line(stats, Tick{1}).contains("predictions 100.00% exact, touched -  "));
  stats.touched = {.checked = 200, .exact = 150};
  EXPECT_TRUE(live_line(stats, Tick{1}).contains("predictions 100.00% exact, touched 75.00%  "));
}

// Before the fix, the last figure was cut anywhere: "generator 12".
TEST(LiveLine, ShowsWholeFiguresOnANarrowTerminal) {
  const std::string line = live_line(busy(), {.states = {.connected = 1'000}});
  for (std::size_t columns = 40; columns <= line.size() + 1; ++columns) {
    const std::string shown = fitting(line, columns);
    EXPECT_LE(shown.size(), columns);
    EXPECT_TRUE(line.starts_with(shown));
    EXPECT_TRUE(shown == line || line.substr(shown.size()).starts_with("  ")) << shown;
  }
}

TEST(ClientStats, NamesTheEarliestDesyncOfAllClients) {
  client::ClientStats sum;
  for (const std::uint32_t tick : {723U, 706U, 730U}) {
    client::ClientStats stats;
    stats.first_mismatch = client::HashMismatch{.tick = {tick}};
    sum.add_all(stats);
  }
  EXPECT_EQ(sum.first_mismatch->tick, Tick{706});
}

TEST(LiveLine, OfOneClientBeginsWithItsHashes) {
  client::ClientStats stats;
  EXPECT_TRUE(live_line(stats, Tick{}).starts_with("no hash yet  rtt "));
  EXPECT_TRUE(live_line(stats, Tick{600}).starts_with("hash ok at tick 600  rtt "));
  stats.first_mismatch = client::HashMismatch{.tick = {590}};
  EXPECT_TRUE(live_line(stats, Tick{600}).starts_with("HASH DIFFERS since tick 590  rtt "));
}

/// Returns the document of a server with two shards, with a change.
std::string status_document(std::string_view from = {}, std::string_view to = {}) {
  std::string document =
      R"({"version":"1.2.3","commit":"abc","simulation":"def","started_ms":1700000000250,)"
      R"("cpu_ms":500,"memory_bytes":13000000,"shards":[)"
      R"({"rate":60,"overruns":1,"ticks_skipped":2,"tick_ns":[[100,5],[2031615,3]]},)"
      R"({"rate":60,"overruns":10,"ticks_skipped":20,"tick_ns":[[100,7]]}]})";
  const std::size_t at = document.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return document.replace(at, from.size(), to);
}

TEST(ServerSample, IsOfAllShards) {
  const auto sample = read_sample(status_document());
  ASSERT_TRUE(sample) << sample.error();
  EXPECT_EQ(sample->version, "1.2.3 (commit abc, simulation def)");
  EXPECT_EQ(sample->started_ms, 1'700'000'000'250U);
  EXPECT_EQ(sample->tick_rate, 60U);
  EXPECT_EQ(sample->overruns, 11U);
  EXPECT_EQ(sample->slipped, 22U);
  EXPECT_EQ(sample->cpu_ms, 500U);
  EXPECT_EQ(sample->resident_bytes, 13'000'000U);
  EXPECT_EQ(sample->tick_ns.count(), 15U);
  EXPECT_EQ(sample->tick_ns.quantile(800), 100U);
  EXPECT_EQ(sample->tick_ns.quantile(1'000), 2'031'615U);
}

TEST(ServerSample, NamesWhatIsMissingOrCannotBe) {
  for (const auto& [from, to, named] :
       {std::tuple{"\"memory_bytes\":13000000", "\"memory_bytes\":-1", "memory_bytes"},
        {"\"memory_bytes\":13000000", "\"memory_bytes\":1e300", "memory_bytes"},
        {"\"cpu_ms\":500,", "", "cpu_ms"},
        {"\"rate\":60", "\"rate\":\"60\"", "rate"},
        {"[100,5]", "[100]", "tick_ns"},
        {"[100,5]", "[100,9007199254740992]", "tick_ns"},
        {"[100,5]", "100", "tick_ns"},
        {"\"shards\":[", "\"shards\":0,\"others\":[", "shards"},
        {"\"commit\":\"abc\"", "\"commit\":1", "commit"}}) {
    const auto sample = read_sample(status_document(from, to));
    ASSERT_FALSE(sample) << to;
    EXPECT_TRUE(sample.error().contains(std::string{"no "} + named)) << sample.error();
  }
  for (const char* const other : {"", "[]", "null", "<html>", "{}", "{\"shards\":[1,null,[]]}"}) {
    const auto sample = read_sample(other);
    ASSERT_FALSE(sample) << other;
    EXPECT_TRUE(sample.error().contains("is it the admin side of a tickbox-server?"));
  }
}

std::string error_of(std::string_view text) {
  const auto parsed = parse_requirements(text);
  return parsed ? std::string{} : parsed.error();
}

bool held(std::string_view text, const Figures& figures) {
  const auto parsed = parse_requirements(text);
  EXPECT_TRUE(parsed) << text;
  return parsed && check(parsed->front(), figures).held;
}

TEST(Requirement, ReadsPathOperatorAndNumber) {
  const auto parsed =
      parse_requirements("tick_ms.p99<=8, state_hash.mismatched == 0,rtt_ms.p50>-1.5");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), 3U);
  EXPECT_EQ((*parsed)[0].text, "tick_ms.p99<=8");
  EXPECT_EQ((*parsed)[0].path, "tick_ms.p99");
  EXPECT_EQ((*parsed)[0].relation, Relation::AtMost);
  EXPECT_EQ((*parsed)[0].number, 8);
  EXPECT_EQ((*parsed)[1].path, "state_hash.mismatched");
  EXPECT_EQ((*parsed)[1].relation, Relation::Equal);
  EXPECT_EQ((*parsed)[2].relation, Relation::Above);
  EXPECT_EQ((*parsed)[2].number, -1.5);
}

TEST(Requirement, ComparesByEachOperator) {
  const Figures figures{{"count", std::uint64_t{8}}, {"time", 2.5}};
  for (const char* const holds : {"count<=8", "count>=8", "count==8", "time<2.6", "time!=2"}) {
    EXPECT_TRUE(held(holds, figures)) << holds;
  }
  for (const char* const does_not : {"count<8", "count>8", "count!=8"}) {
    EXPECT_FALSE(held(does_not, figures)) << does_not;
  }
}

TEST(Requirement, DoesNotHoldWhenTheFigureIsNotKnown) {
  const Figures figures{{"tick_ms.p99", {}}};
  const auto parsed = parse_requirements("tick_ms.p99<=8");
  ASSERT_TRUE(parsed);
  const RequirementResult result = check(parsed->front(), figures);
  EXPECT_FALSE(result.held);
  EXPECT_FALSE(result.value);
}

// "0 differ" would be true of a run that looked at nothing.
TEST(Requirement, OnHashesDoesNotHoldWhenNoneWasChecked) {
  LoadMeasured run{.clients_connected = 4};
  for (const char* const text : {"state_hash.mismatched==0", "state_hash.checked>=0",
                                 "state_hash.checked==0", "state_hash.clients_checked<=4"}) {
    const RequirementResult result =
        check(parse_requirements(text).value().front(), figures_of(run));
    EXPECT_FALSE(result.held) << text;
    EXPECT_FALSE(result.value) << text;
  }
  EXPECT_TRUE(held("clients.connected==4", figures_of(run)));
  run.stats.hashes_checked = 9;
  run.clients_checked = 1;
  for (const char* const text :
       {"state_hash.mismatched==0", "state_hash.checked>=9", "state_hash.clients_checked==1"}) {
    EXPECT_TRUE(held(text, figures_of(run))) << text;
  }
}

TEST(Requirement, QuotesWhatIsWrong) {
  for (const auto& [text, named] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"rtt_ms.p99", "\"rtt_ms.p99\" has no operator"},
           {"a<=8,b<=", "\"b<=\" has no number"},
           {"a<=8ms", "no number"},
           {"a<=nan", "no number"},
           {"<=8", "no figure"},
           {"a<=8,", "no operator"},
           {"", "no operator"},
           // What others write for an operator.
           {"rtt_ms.p99=8", "mean ==?"},
           {"rtt_ms.p99 =< 8", "mean <=?"},
           {"rtt_ms.p99=>8", "mean >=?"},
           {"rtt_ms.p99<>8", "mean !=?"}}) {
    EXPECT_TRUE(error_of(text).contains(named)) << error_of(text);
  }
}

TEST(Requirement, OfAnObjectNamesItsFiguresAlone) {
  const Figures known{{"tick_ms.p99", {}}, {"rtt_ms.p50", {}}, {"rtt_ms.p99", {}}};
  const auto checked = check_path({.text = {}, .path = "rtt_ms"}, known);
  ASSERT_FALSE(checked);
  EXPECT_TRUE(checked.error().ends_with(" rtt_ms{p50,p99}")) << checked.error();
}

TEST(Requirement, NamesTheNearestPath) {
  const Figures known{{"tick_ms.p99", {}}, {"rtt_ms.p50", {}}};
  const auto checked = check_path({.text = {}, .path = "tik_ms.p99"}, known);
  ASSERT_FALSE(checked);
  EXPECT_TRUE(checked.error().contains("did you mean tick_ms.p99?"));
  EXPECT_TRUE(check_path({.text = {}, .path = "rtt_ms.p50"}, known));
  EXPECT_TRUE(
      check_path({.text = {}, .path = "tick.p99"}, known).error().ends_with(" tick_ms{p99}"));
}

// Before the fix, the message said "see --help", but the help had no list of the figures.
TEST(Requirement, WhereNoneIsNearItNamesAll) {
  const Figures known{{"clients.asked", {}},
                      {"clients.dropped", {}},
                      {"tick_overruns", {}},
                      {"prediction.exact", {}},
                      {"prediction.touched.exact", {}}};
  const auto checked = check_path({.text = {}, .path = "frames_per_second"}, known);
  ASSERT_FALSE(checked);
  EXPECT_TRUE(checked.error().ends_with(
      " clients{asked,dropped} tick_overruns prediction{exact} prediction.touched{exact}"))
      << checked.error();
}

}  // namespace
}  // namespace tickbox::commands::load_figures_test
