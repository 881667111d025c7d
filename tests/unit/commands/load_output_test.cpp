// The files of a load run: the samples of its seconds, the lines of --results, and the page of
// --report.

#include "client/commands/load/load_output.h"

#include "client/commands/load/load_run.h"
#include "client/commands/load/load_seconds.h"
#include "core/rng.h"
#include "tests/unit/os/small_disk.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

using Json = nlohmann::json;

// What ends an element, begins one, ends a string of JSON or is no UTF-8.
const std::string kHostile = "</script><script>alert(1)</script><!--\"'\\&\x01\xff";

LoadFacts facts_of_run() {
  return {.command = {"tickbox", "load", "127.0.0.1:7777", "--require", "rtt_ms.p50<=8"},
          .server = "127.0.0.1:7777",
          .clients = 2,
          .players = "bot wander",
          .seconds = 10};
}

/// A second of clients with values as long as they can be.
LoadSecond second(std::size_t number, std::size_t clients) {
  Rng rng{number};
  const auto any = [&rng] { return static_cast<double>(rng.below(9'000'000)) / 1'001; };
  LoadMeasured measured{.seconds = 1.000987,
                        .generator_cpu_percent = any(),
                        .at = static_cast<double>(number + 1) + 0.012345,
                        .rates_down = {any(), any()},
                        .rates_up = {any(), any()}};
  measured.stats.round_trip.add(rng.below(9'000'000));
  measured.stats.untouched = {.checked = 600'000, .exact = 599'999};
  LoadSecond second{.figures = second_figures(measured)};
  for (std::size_t i = 0; i < clients; ++i) {
    second.clients.push_back({.snapshot_gap_ms = static_cast<float>(any()),
                              .rtt_ms = static_cast<float>(any()),
                              .corrected = static_cast<float>(rng.below(240))});
  }
  return second;
}

LoadResult result_with(LoadVerdict&& verdict) {
  LoadResult result{.verdict = std::move(verdict)};
  result.measured.clients_asked = result.measured.clients_connected = 2;
  result.requirements = {{.text = "rtt_ms.p50<=8", .held = false, .value = 12.345678}};
  return result;
}

std::size_t count_of(std::string_view page, std::string_view words) {
  std::size_t count = 0;
  for (std::size_t at = page.find(words); at != std::string_view::npos;
       at = page.find(words, at + 1)) {
    ++count;
  }
  return count;
}

/// Returns the lines in a page, as its script reads them.
std::vector<Json> lines_of(std::string_view page) {
  constexpr std::string_view kBegin = "id=\"run\">";
  page.remove_prefix(page.find(kBegin) + kBegin.size());
  std::istringstream text{std::string{page.substr(0, page.find("</script>"))}};
  std::vector<Json> lines;
  for (std::string line; std::getline(text, line);) {
    lines.push_back(Json::parse(line));
  }
  return lines;
}

SwarmStats stats_of(std::uint64_t gap_us, std::uint64_t gaps, std::uint64_t corrected) {
  SwarmStats stats;
  for (std::uint64_t i = 0; i < gaps; ++i) {
    stats.sums.snapshot_gap.add(gap_us, gap_us);
  }
  stats.sums.corrected = corrected;
  stats.each.push_back(
      {.read_at = Instant{std::chrono::seconds{static_cast<int>(gaps) / 60}},
       .gaps = {.count = stats.sums.snapshot_gap.count(), .sum = stats.sums.snapshot_gap.sum()},
       .corrected = corrected,
       .bytes_down = 1'000 * gaps / 60,
       .is_connected = true});
  stats.each.push_back({});  // never connected
  return stats;
}

TEST(LoadSecond, IsWhatWasAddedBetweenTwoMoments) {
  const SampleMoment before{.at = Instant{std::chrono::seconds{1}}, .cpu_microseconds = 500'000};
  SampleMoment after{.at = Instant{std::chrono::seconds{3}}, .cpu_microseconds = 1'500'000};
  after.lateness.add(300'000);
  after.time_late = {std::chrono::milliseconds{300}};
  const SwarmStats stats_before = stats_of(100, 60, 3);
  const SwarmStats stats_after = stats_of(100, 180, 8);
  const LoadMeasured second =
      measured_between({.moment = before, .stats = stats_before, .server = nullptr},
                       {.moment = after, .stats = stats_after, .server = nullptr}, 16.7);
  EXPECT_DOUBLE_EQ(second.seconds, 2);
  EXPECT_EQ(second.stats.snapshot_gap.quantile(500), 100U);
  EXPECT_EQ(second.stats.corrected, 5U);
  EXPECT_DOUBLE_EQ(second.generator_cpu_percent.value(), 50);
  EXPECT_DOUBLE_EQ(second.late_share, 0.15);
  EXPECT_TRUE(is_saturated(second));
  EXPECT_FALSE(second.server) << "without --admin";
  EXPECT_EQ(second.rates_down, std::vector<double>{1'000});
  const std::vector<ClientSample> clients = clients_between(stats_before, stats_after);
  ASSERT_EQ(clients.size(), 2U);
  EXPECT_FLOAT_EQ(clients[0].snapshot_gap_ms, 0.1F);
  EXPECT_FLOAT_EQ(clients[0].corrected, 5);
  EXPECT_LT(clients[0].rtt_ms, 0) << "none was measured";
  EXPECT_LT(clients[1].corrected, 0) << "never connected";
}

// The lateness is cleared when the measured time begins.
TEST(LoadSecond, CountsTheLatenessThatBeganAgain) {
  SampleMoment before;
  before.lateness.add(5, 100);
  before.time_late = {std::chrono::seconds{3}};
  SampleMoment after{.at = Instant{std::chrono::seconds{1}}};
  after.lateness.add(7, 50);
  after.time_late = {Duration{}};
  const SwarmStats none;
  const LoadMeasured second =
      measured_between({.moment = before, .stats = none, .server = nullptr},
                       {.moment = after, .stats = none, .server = nullptr}, 1);
  EXPECT_EQ(second.lateness.count(), 50U);
  EXPECT_EQ(second.lateness.quantile(500), 7U);
  EXPECT_EQ(second.late_share, 0);
  EXPECT_FALSE(is_saturated(second));
}

// The thread that was late in this second is not the one that was late before.
TEST(LoadSecond, IsLateWithTheThreadThatIsLateNow) {
  using std::chrono::milliseconds;
  const SampleMoment before{.time_late = {milliseconds{900}, milliseconds{100}}};
  const SampleMoment after{.at = Instant{std::chrono::seconds{1}},
                           .time_late = {milliseconds{905}, milliseconds{400}}};
  const SwarmStats none;
  const LoadMeasured second =
      measured_between({.moment = before, .stats = none, .server = nullptr},
                       {.moment = after, .stats = none, .server = nullptr}, 1);
  EXPECT_DOUBLE_EQ(second.late_share, 0.3);
  EXPECT_TRUE(is_saturated(second));
}

TEST(LoadSecond, IsALineWithNullWhereNothingIsKnown) {
  LoadMeasured measured{.seconds = 1, .at = 3.5};
  measured.stats.snapshot_gap.add(100, 2);
  const LoadSecond second{
      .figures = second_figures(measured),
      .clients = {{.snapshot_gap_ms = 16.7F, .rtt_ms = 1.25F, .corrected = 2}, {}}};
  const std::string line = to_line(second);
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  const Json json = Json::parse(line);
  EXPECT_EQ(json["line"], "second");
  EXPECT_EQ(json["at"], 3.5);
  EXPECT_EQ(json["joining"], false);
  EXPECT_EQ(json["snapshot_gap_ms"]["p99"], 0.1);
  EXPECT_TRUE(json["tick_ms"]["p99"].is_null());
  EXPECT_TRUE(json["bytes_per_client_per_second"]["down"]["max"].is_null());
  EXPECT_EQ(json["each_client"]["snapshot_gap_ms"], Json::parse("[16.7,null]"));
  EXPECT_EQ(json["each_client"]["corrected"], Json::parse("[2,null]"));
}

TEST(LoadTimeline, MakesOneOfTwoSecondsWhereThereAreTooMany) {
  LoadTimeline timeline{1};
  for (std::size_t i = 0; i < 2 * kColumnsMax + 3; ++i) {
    LoadMeasured measured{
        .seconds = 1, .tick_ms = 16, .at = static_cast<double>(i + 1), .clients_away = i};
    measured.stats.corrected = 1;
    if (i == 1'001) measured.late_share = 0.5;  // one bad second
    LoadSecond second{.figures = second_figures(measured), .clients = {{}}};
    if (i == 1'001) second.clients[0].rtt_ms = 900;
    timeline.add(std::move(second));
  }
  EXPECT_EQ(timeline.columns().size(), (2 * kColumnsMax + 3 + 3) / 4);
  double seconds = 0;
  std::uint64_t corrected = 0;
  Json last;
  for (const LoadSecond& column : timeline.columns()) {
    last = Json::parse(to_line(column));
    seconds += last["seconds"].get<double>();
    corrected += last["prediction"]["corrected"].get<std::uint64_t>();
    const bool is_bad = last["at"] >= 1'002 && last["at"] < 1'006;
    EXPECT_EQ(last["generator"]["is_too_late"], is_bad) << last["at"];
    EXPECT_EQ(last["each_client"]["rtt_ms"][0], is_bad ? Json(900) : Json()) << last["at"];
  }
  EXPECT_DOUBLE_EQ(seconds, 2 * kColumnsMax + 3);
  EXPECT_EQ(corrected, 2 * kColumnsMax + 3);
  EXPECT_EQ(last["at"], 2 * kColumnsMax + 3);
  EXPECT_EQ(last["clients"]["away"], 2 * kColumnsMax + 2);
}

// Text of others must neither end the element that it is in nor begin another: the page with it has
// as many of these words as the page without a line.
TEST(LoadPage, ShowsTextOfOthersAsText) {
  LoadResult result = result_with({.kind = LoadVerdict::Kind::Missed, .why = kHostile});
  result.measured.game = kHostile;
  result.requirements[0].text = kHostile;
  LoadFacts facts = facts_of_run();
  facts.command.push_back(kHostile);
  facts.server = kHostile;
  facts.server_version = kHostile;
  facts.players = kHostile;
  facts.machine.host = kHostile;
  const std::string page = report_page(first_line(facts) + last_line(result));
  const std::string empty = report_page("");
  for (const char* words : {"<script", "</script", "<!--", "alert(1)</script"}) {
    EXPECT_EQ(count_of(page, words), count_of(empty, words)) << words;
  }
  const std::vector<Json> lines = lines_of(page);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[1]["why"].get<std::string>().starts_with("</script><script>"));
  EXPECT_FALSE(page.contains("<!-- fill"));
  EXPECT_TRUE(page.contains("default-src 'none'; script-src 'sha256-"));
  EXPECT_TRUE(page.contains("Released under the MIT License"));
}

TEST(LoadPage, HasAHeadlineForEachVerdict) {
  using Kind = LoadVerdict::Kind;
  for (const auto& [kind, word, headline] :
       {std::tuple{Kind::Passed, "passed", "Passed"},
        {Kind::Missed, "failed", "Failed"},
        {Kind::Broken, "failed", "Failed"},
        {Kind::NotConnected, "not connected", "Not connected"},
        {Kind::Disconnected, "disconnected", "Disconnected"},
        {Kind::Stopped, "inconclusive", "Stopped early"},
        {Kind::TooSlow, "inconclusive", "Load generator too slow"},
        {Kind::Apart, "inconclusive", "Parts not at once"}}) {
    const Json line = Json::parse(last_line(result_with({.kind = kind, .why = "4 < 5"})));
    EXPECT_EQ(line["headline"], headline);
    EXPECT_EQ(line["why"], "4 < 5");
    EXPECT_EQ(line["document"]["verdict"], word);
    EXPECT_EQ(line["document"]["requirements"][0]["value"], 12.345678);
  }
}

TEST(LoadPage, HasTheDistributionsAsBars) {
  LoadResult result = result_with({});
  Histogram& trips = result.measured.stats.round_trip;
  trips.add(1'500, 3);
  trips.add(2'400);
  const Json bars = Json::parse(last_line(result))["distributions"];
  EXPECT_TRUE(bars["tick_ms"].is_null());
  EXPECT_EQ(bars["rtt_ms"]["to_ms"], Json::parse("[1.585,1.995,2.512]"));
  EXPECT_EQ(bars["rtt_ms"]["count"], Json::parse("[3,0,1]"));
}

class LoadFilesTest : public os::FolderTest {};

TEST_F(LoadFilesTest, HaveALineForEachSecondBetweenTheFirstAndTheLast) {
  const auto files =
      LoadFiles::open({.results = folder_.file("run.jsonl"), .report = folder_.file("run.html")});
  ASSERT_TRUE(files) << files.error();
  (*files)->begin(facts_of_run());
  for (std::size_t i = 0; i < 3; ++i) {
    (*files)->add(second(i, 2));
  }
  LoadResult result = result_with({.kind = LoadVerdict::Kind::Stopped, .why = "stopped"});
  (*files)->end(result);
  EXPECT_EQ(result.verdict.why, "stopped");
  const std::string lines = os::text_of(folder_.file("run.jsonl"));
  EXPECT_EQ(lines, first_line(facts_of_run()) + to_line(second(0, 2)) + to_line(second(1, 2)) +
                       to_line(second(2, 2)) + last_line(result));
  EXPECT_EQ(os::text_of(folder_.file("run.html")), report_page(lines)) << "the page has these";
  EXPECT_EQ(Json::parse(first_line(facts_of_run()))["command"],
            "tickbox load 127.0.0.1:7777 --require 'rtt_ms.p50<=8'");
}

// A thousand clients for ten minutes, and the most clients of a server for an hour.
TEST_F(LoadFilesTest, HaveAPageBelowFiveMegabytes) {
  for (const auto& [clients, seconds] :
       {std::pair<std::size_t, std::size_t>{1'000, 601}, {kClientsMax, 500}}) {
    const std::string page = folder_.file(std::to_string(clients));
    const auto files = LoadFiles::open({.report = page});
    ASSERT_TRUE(files) << files.error();
    LoadFacts facts = facts_of_run();
    facts.clients = clients;
    (*files)->begin(facts);
    for (std::size_t i = 0; i < seconds; ++i) {
      (*files)->add(second(i, clients));
    }
    LoadResult result = result_with({});
    (*files)->end(result);
    EXPECT_LT(os::text_of(page).size(), 5'000'000U) << clients;
  }
}

TEST_F(LoadFilesTest, RefuseAFileThatExists) {
  const std::string there = folder_.write("there", "mine");
  for (const LoadFiles::Paths& paths : {LoadFiles::Paths{.results = there, .report = {}},
                                        LoadFiles::Paths{.results = {}, .report = there}}) {
    const auto files = LoadFiles::open(paths);
    ASSERT_FALSE(files);
    EXPECT_TRUE(files.error().contains("existing files are not overwritten")) << files.error();
  }
  EXPECT_EQ(os::text_of(there), "mine");
}

TEST_F(LoadFilesTest, SayThatTheDiskIsFull) {
  const auto files =
      LoadFiles::open({.results = folder_.file("run.jsonl"), .report = folder_.file("run.html")});
  ASSERT_TRUE(files) << files.error();
  const os::SmallDisk disk{10'000};
  (*files)->begin(facts_of_run());
  for (std::size_t i = 0; i < 20; ++i) {
    (*files)->add(second(i, 100));
  }
  LoadResult result = result_with({.why = "no hash differs"});
  (*files)->end(result);
  EXPECT_EQ(result.verdict.code(), cli::ExitCode::Failed);
  EXPECT_TRUE(result.verdict.why.contains("run.jsonl")) << result.verdict.why;
  EXPECT_TRUE(result.verdict.why.contains("run.html")) << result.verdict.why;
}

}  // namespace
}  // namespace tickbox::commands
