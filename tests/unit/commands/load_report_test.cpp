// What `load` reports: a server's metrics as it reads them, its figures, what is required of them,
// the document of them, and the line while it runs.

#include "client/commands/load/load_report.h"

#include "client/commands/document.h"
#include "client/commands/load/metrics_text.h"
#include "client/commands/load/requirement.h"
#include "client/commands/load/server_watch.h"
#include "client/commands/play/live_line.h"
#include "client/commands/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tickbox::commands::load_report_test {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

ServerSample sample(double ticks, double slipped, std::chrono::seconds at) {
  return {.at = Instant{at},
          .tick_seconds = {.bounds = {0.001, 0.002, kInfinite}, .counts = {ticks, ticks, ticks}},
          .ticks = ticks,
          .slipped = slipped,
          .overruns = 0,
          .tick_rate = 60,
          .cpu_seconds = ticks / 600,
          .resident_bytes = 5'000};
}

std::optional<double> figure(const Figures& figures, std::string_view path) {
  const auto found = std::ranges::find(figures, path, &Figure::path);
  EXPECT_NE(found, figures.end()) << path;
  return found != figures.end() ? number_of(found->value) : std::nullopt;
}

TEST(LoadReport, MeasuresTheServerBetweenTwoSamples) {
  struct Case {
    double ticks;  ///< that the server stepped, and that it gave up
    double slipped;
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
    EXPECT_DOUBLE_EQ(figures->cpu_percent, of.cpu_percent);
    EXPECT_EQ(figures->skipped, of.slipped);
    EXPECT_EQ(figures->tick_seconds.total(), of.ticks);
  }
}

TEST(LoadReport, SaysNothingOfAServerThatStartedAnew) {
  EXPECT_FALSE(figures_between(sample(1'300, 0, std::chrono::seconds{10}),
                               sample(100, 0, std::chrono::seconds{30}), 1'200, 20));
  // Before the fix, a second run that lasted longer counted as the continuation of the first.
  ServerSample second = sample(300, 0, std::chrono::seconds{30});
  second.started = 1'700'000'000;
  EXPECT_FALSE(figures_between(sample(100, 0, std::chrono::seconds{10}), second, 1'200, 20));
}

TEST(LoadReport, HasEveryPathOnceAndNullWhereNothingIsKnown) {
  const Figures figures = figures_of(LoadReport{});
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
TEST(LoadReport, KnowsEveryFigureOfARunWithoutAFault) {
  LoadReport report{.first_client = 7, .clients_asked = 4, .clients_connected = 4, .seconds = 20};
  report.snapshot_rates = {60, 60, 60, 60};
  report.generator_cpu_percent = 3;
  report.server = figures_between(sample(0, 0, std::chrono::seconds{0}),
                                  sample(1'200, 0, std::chrono::seconds{20}), 1'200, 20);
  report.joining = report.server;
  report.lateness.add(0);
  client::ClientStats& stats = report.stats;
  stats.hashes_checked = stats.inputs_sent = 4'800;
  stats.up_sent = stats.up_arrived = stats.down_sent = stats.down_arrived = 4'800;
  stats.untouched = {.checked = 4'800, .exact = 4'800};
  stats.prediction_error.add(0);
  stats.round_trip.add(20'000);
  stats.snapshot_gap.add(16'667);
  const Figures figures = figures_of(report);
  for (const Figure& each : figures) {
    const bool is_known = !std::holds_alternative<std::monostate>(each.value);
    EXPECT_EQ(is_known, each.path != "state_hash.first_mismatch") << each.path;
  }
  for (const char* const text : {"outage_ms.max<=5000", "outage_ms.p99==0", "loss.down==0",
                                 "prediction.error_max==0", "ticks_skipped==0", "inputs.late==0"}) {
    EXPECT_TRUE(check(parse_requirements(text).value().front(), figures).held) << text;
  }
  EXPECT_FALSE(
      check(parse_requirements("outage_ms.max<=5000").value().front(), figures_of(LoadReport{}))
          .held)
      << "no client was there";
}

// Before, the overruns while clients joined were in no figure.
TEST(LoadReport, HasTheServersTicksWhileTheClientsJoin) {
  LoadReport report;
  report.joining = figures_between(sample(0, 0, std::chrono::seconds{0}),
                                   sample(60, 0, std::chrono::seconds{1}), 0, 0);
  ASSERT_TRUE(report.joining);
  report.joining->overruns = 7;
  const Figures figures = figures_of(report);
  EXPECT_EQ(figure(figures, "joining.tick_ms_max"), 1);
  EXPECT_EQ(figure(figures, "joining.overruns"), 7);
  EXPECT_EQ(figure(figures, "tick_overruns"), std::nullopt);
}

TEST(LoadReport, TakesTheLeastAndTheMedianOfRates) {
  const LoadReport report{.clients_asked = 3,
                          .clients_connected = 2,
                          .seconds = 10,
                          .snapshot_rates = {60, 20, 58},
                          .bytes_down = 4'000};
  const Figures figures = figures_of(report);
  EXPECT_EQ(figure(figures, "snapshots_per_client_per_second.min"), 20);
  EXPECT_EQ(figure(figures, "snapshots_per_client_per_second.p50"), 58);
  EXPECT_EQ(figure(figures, "bytes_per_client_per_second.down"), 200);
}

// Before the fix, one pause of 2 s was 1 in 600 polls of each client, and the server was blamed.
TEST(LoadReport, IsSaturatedByLateTicksByOneLongPauseAndByTheShareOfTime) {
  const auto is_saturated_by = [](int late, double share, std::initializer_list<int> pauses) {
    LoadReport report{.late_share = share, .tick_ms = 1'000.0 / 60};
    for (int i = 0; i < 1'000; ++i) {
      report.lateness.add(i < 1'000 - late ? 100 : 20'000);
    }
    for (const int pause : pauses) {
      report.lateness.add(static_cast<std::uint64_t>(pause));
    }
    return is_saturated(report);
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
  LoadReport report;
  report.stats.untouched = {.checked = 123'456'789'012, .exact = 123'456'789'012};
  report.stats.touched = report.stats.untouched;
  report.stats.corrected = 123'456'789'012;
  report.stats.prediction_error.add(25'200'000);
  const std::string table = to_table(figures_of(report));
  EXPECT_TRUE(table.contains("touched.exact 123456789012"));
  for (std::size_t from = 0; from < table.size();) {
    const std::size_t end = table.find('\n', from);
    EXPECT_LE(end - from, 80U) << table.substr(from, end - from);
    from = end + 1;
  }
}

// The beginning of the live line is all that many people see: their terminal has 80 columns.

constexpr std::size_t kColumns = 79;

LiveFigures busy() {
  return {.up = 1'000,
          .failed = 24,
          .hashes_mismatched = 123'456,
          .server_is_silent = true,
          .server_tick_ms_p99 = 12.345,
          .gap_ms_p50 = 16.7,
          .gap_ms_p99 = 118.2,
          .gap_ms_p999 = 230.1,
          .rtt_ms_p50 = 80.1,
          .rtt_ms_p99 = 160.2,
          .late_ms_p99 = 12.3,
          .cpu_percent = 100,
          .snapshots_per_second = 60'000,
          .corrections = 123'456,
          .megabytes_down_per_second = 12.34,
          .megabytes_up_per_second = 1.23};
}

// Before the fixes, the alarms were behind column 80, where a terminal cut them off, and clients
// that came back after a restart were FAILED until then.
TEST(LiveLine, BeginsWithWhatAlarmsAndThenWithWhoPlays) {
  LiveFigures figures = busy();
  const auto expect_begins = [&figures](std::string_view words) {
    const std::string seen = live_line(figures).substr(0, kColumns);
    EXPECT_TRUE(seen.starts_with(words)) << seen;
  };
  expect_begins("123456 HASHES DIFFER  24 FAILED  server silent  1000 up");
  figures.hashes_mismatched = 0;
  figures.away = 7;
  expect_begins("7 AWAY  24 FAILED  ");
  figures.failed = 0;
  expect_begins("7 AWAY  server silent  ");
  figures.away = 0;
  figures.server_is_silent = false;
  expect_begins("1000 up  tick 12.35 ms  gaps 16.7/118.2/230.1 ms  rtt 80.1/160.2");
  figures.seconds = 6.2;
  figures.seconds_of = 20;
  expect_begins("6 of 20 s  1000 up  tick 12.35 ms  gaps ");
  figures.server_tick_ms_p99.reset();
  expect_begins("6 of 20 s  1000 up  gaps ");
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
  const std::string line = live_line(busy());
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

constexpr std::string_view kText =
    "# HELP ticks_total Ticks stepped.\n"
    "# TYPE ticks_total counter\n"
    "ticks_total 1200\n"
    "packets_total{direction=\"in\"} 7\n"
    "quoted{text=\"a \\\"b\\\" \\\\ c\\nd\"} 2.5e3 1700000000\n"
    "tick_seconds_bucket{phase=\"step\",le=\"0.001\"} 5\n"
    "tick_seconds_bucket{phase=\"step\",le=\"+Inf\"} 5\n"
    "tick_seconds_bucket{phase=\"total\",le=\"0.001\"} 10\n"
    "tick_seconds_bucket{phase=\"total\",le=\"0.002\"} 30\n"
    "tick_seconds_bucket{phase=\"total\",le=\"+Inf\"} 40\n";

const MetricLabel kTotal{.name = "phase", .value = "total"};

TEST(MetricsText, ReadsSamples) {
  const auto text = MetricsText::parse(kText);
  ASSERT_TRUE(text) << text.error();
  EXPECT_EQ(text->value("ticks_total"), 1'200);
  EXPECT_FALSE(text->value("packets_total")) << "has a label";
  EXPECT_FALSE(text->value("absent"));
}

TEST(MetricsText, ReadsTheBucketsOfOneLabel) {
  const auto text = MetricsText::parse(kText);
  ASSERT_TRUE(text);
  const auto total = text->histogram("tick_seconds", kTotal);
  ASSERT_TRUE(total);
  EXPECT_EQ(total->counts, (std::vector<double>{10, 30, 40}));
  EXPECT_EQ(total->bounds[1], 0.002);
  EXPECT_TRUE(std::isinf(total->bounds[2]));
  EXPECT_FALSE(text->histogram("tick_seconds", MetricLabel{.name = "phase", .value = "send"}));
  EXPECT_FALSE(text->histogram("tick_seconds")) << "two in one";
}

TEST(MetricsText, HasNoBucketsWhereTheyDoNotCount) {
  for (const std::string_view buckets :
       {"{phase=\"total\",le=\"1\"} 5\nb_bucket{phase=\"total\",le=\"+Inf\"} 4\n",
        "{phase=\"total\",le=\"1\"} -1\nb_bucket{phase=\"total\",le=\"+Inf\"} 4\n",
        "{phase=\"total\",le=\"1\"} nan\nb_bucket{phase=\"total\",le=\"+Inf\"} 4\n",
        "{phase=\"total\",le=\"1\"} 3\nb_bucket{phase=\"total\",le=\"+Inf\"} +Inf\n",
        "{phase=\"total\",le=\"-1\"} 3\nb_bucket{phase=\"total\",le=\"+Inf\"} 4\n",
        "{phase=\"total\",le=\"nan\"} 3\n", "{phase=\"total\",le=\"1\"} 3\n"}) {
    const auto text = MetricsText::parse("b_bucket" + std::string{buckets});
    ASSERT_TRUE(text) << buckets << text.error();
    EXPECT_FALSE(text->histogram("b", kTotal)) << buckets;
  }
}

TEST(MetricsText, NamesTheLineThatIsNone) {
  for (const std::string_view wrong : {"a 1\nb{\n", "a 1\nb{x=1} 2\n", "a 1\nb{x=\"1} 2\n",
                                       "a 1\nb\n", "a 1\nb two\n", "a 1\n<html>\n"}) {
    const auto text = MetricsText::parse(wrong);
    ASSERT_FALSE(text) << wrong;
    EXPECT_EQ(text.error(), "line 2 is not a metric");
  }
}

TEST(CumulativeBuckets, InterpolatesWithinABucket) {
  const double infinite = std::numeric_limits<double>::infinity();
  const CumulativeBuckets counts{.bounds = {1, 2, 4, infinite}, .counts = {10, 30, 40, 40}};
  EXPECT_DOUBLE_EQ(counts.quantile(0.125).value(), 0.5);
  EXPECT_DOUBLE_EQ(counts.quantile(0.25).value(), 1);
  EXPECT_DOUBLE_EQ(counts.quantile(0.5).value(), 1.5);
  EXPECT_DOUBLE_EQ(counts.quantile(1).value(), 4)
      << "the end of the last bucket with anything in it";
  const CumulativeBuckets beyond{.bounds = {1, infinite}, .counts = {0, 5}};
  EXPECT_DOUBLE_EQ(beyond.quantile(0.5).value(), 1) << "nothing more is known";
  EXPECT_FALSE((CumulativeBuckets{.bounds = {1, infinite}, .counts = {0, 0}}).quantile(0.5));
}

TEST(CumulativeBuckets, TellsWhatWasAddedAndNothingOfARestart) {
  const CumulativeBuckets before{.bounds = {1, 2}, .counts = {10, 30}};
  const CumulativeBuckets after{.bounds = {1, 2}, .counts = {11, 34}};
  const auto added = added_between(before, after);
  ASSERT_TRUE(added);
  EXPECT_EQ(added->counts, (std::vector<double>{1, 4}));
  EXPECT_FALSE(added_between(after, before)) << "the server was started again";
  EXPECT_FALSE(added_between({.bounds = {1, 3}, .counts = {0, 0}}, after));
}

TEST(ServerSample, TakesOnlyFiguresThatCanBe) {
  const auto told = [](const char* resident) {
    return "tickbox_ticks_total 5\ntickbox_ticks_slipped_total 0\ntickbox_tick_overruns_total 0\n"
           "tickbox_tick_rate 60\nprocess_start_time_seconds "
           "1700000000.25\nprocess_cpu_seconds_total 0.5\n"
           "tickbox_tick_duration_seconds_bucket{le=\"+Inf\"} 5\n"
           "process_resident_memory_bytes " +
           std::string{resident} + '\n';
  };
  const auto sample = read_sample(told("13000000"));
  ASSERT_TRUE(sample) << sample.error();
  EXPECT_EQ(sample->resident_bytes, 13'000'000);
  for (const char* resident : {"nan", "-1", "inf", "1e300"}) {
    const auto wrong = read_sample(told(resident));
    ASSERT_FALSE(wrong) << resident;
    EXPECT_TRUE(wrong.error().contains("process_resident_memory_bytes"));
  }
}

TEST(ServerSample, NamesWhatIsMissing) {
  const auto sample = read_sample("tickbox_ticks_total 5\n");
  ASSERT_FALSE(sample);
  EXPECT_TRUE(sample.error().contains("is it the admin side of a tickbox-server?"));
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
  LoadReport report{.clients_connected = 4};
  for (const char* const text : {"state_hash.mismatched==0", "state_hash.checked>=0",
                                 "state_hash.checked==0", "state_hash.clients_checked<=4"}) {
    const RequirementResult result =
        check(parse_requirements(text).value().front(), figures_of(report));
    EXPECT_FALSE(result.held) << text;
    EXPECT_FALSE(result.value) << text;
  }
  EXPECT_TRUE(held("clients.connected==4", figures_of(report)));
  report.stats.hashes_checked = 9;
  report.clients_checked = 1;
  for (const char* const text :
       {"state_hash.mismatched==0", "state_hash.checked>=9", "state_hash.clients_checked==1"}) {
    EXPECT_TRUE(held(text, figures_of(report))) << text;
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
}  // namespace tickbox::commands::load_report_test
