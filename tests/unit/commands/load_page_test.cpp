// The files of a load run: the samples of its seconds, the lines of --results, and the page of
// --report.

#include "client/commands/load/load_page.h"

#include "client/commands/load/load_files.h"
#include "client/commands/load/load_sampler.h"
#include "client/commands/load/load_timeline.h"
#include "core/rng.h"
#include "tests/unit/os/small_disk.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
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
LoadSample second(std::size_t number, std::size_t clients) {
  Rng rng{number};
  const auto any = [&rng] { return static_cast<double>(rng.below(9'000'000)) / 1'001; };
  const auto spread = [&] { return Spread{.p50 = any(), .p99 = any(), .max = any()}; };
  LoadSample sample{.at = static_cast<double>(number + 1) + 0.012345,
                    .seconds = 1.000987,
                    .snapshot_gap_ms = spread(),
                    .rtt_ms = spread(),
                    .bytes_down = spread(),
                    .bytes_up = spread(),
                    .untouched = {.checked = 600'000, .exact = 599'999},
                    .tick_ms = spread(),
                    .server_cpu_percent = any(),
                    .late_ms = spread()};
  for (std::size_t i = 0; i < clients; ++i) {
    sample.clients.push_back({.snapshot_gap_ms = static_cast<float>(any()),
                              .rtt_ms = static_cast<float>(any()),
                              .corrected = static_cast<float>(rng.below(240))});
  }
  return sample;
}

LoadTimeline timeline_of(std::size_t seconds, std::size_t clients) {
  LoadTimeline timeline{clients};
  for (std::size_t i = 0; i < seconds; ++i) {
    timeline.add(second(i, clients));
  }
  return timeline;
}

/// The end of a run, and what it refers to.
struct Ended {
  LoadReport report{.clients_asked = 2, .clients_connected = 2, .seconds = 10};
  Figures figures{{"clients.asked", std::uint64_t{2}}, {"rtt_ms.p50", 12.345678}};
  LoadEnd end{};

  LoadEnd& with(LoadOutcome outcome, const std::string& why) {
    end.outcome = outcome;
    end.why = why;
    end.document = to_json(figures, end.requirements, "any");
    end.figures = &figures;
    end.report = &report;
    return end;
  }
};

/// Returns the text of the element whose begin is given.
std::string_view element(std::string_view page, std::string_view begin, std::string_view end) {
  const std::size_t at = page.find(begin);
  EXPECT_NE(at, std::string_view::npos) << begin;
  page.remove_prefix(at + begin.size());
  return page.substr(0, page.find(end));
}

Json run_of(std::string_view page) {
  return Json::parse(element(page, "id=\"run\">", "</script>"));
}

std::size_t count_of(std::string_view page, std::string_view words) {
  std::size_t count = 0;
  for (std::size_t at = page.find(words); at != std::string_view::npos;
       at = page.find(words, at + 1)) {
    ++count;
  }
  return count;
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

TEST(LoadSample, IsWhatWasAddedBetweenTwoMoments) {
  const SampleMoment before{.at = Instant{std::chrono::seconds{1}}, .cpu_microseconds = 500'000};
  SampleMoment after{.at = Instant{std::chrono::seconds{3}}, .cpu_microseconds = 1'500'000};
  after.lateness.add(300'000);
  after.time_late = {std::chrono::milliseconds{300}};
  const SwarmStats stats_before = stats_of(100, 60, 3);
  const SwarmStats stats_after = stats_of(100, 180, 8);
  const LoadSample sample =
      sample_between({.moment = before, .stats = stats_before, .server = nullptr},
                     {.moment = after, .stats = stats_after, .server = nullptr}, 16.7);
  EXPECT_DOUBLE_EQ(sample.seconds, 2);
  ASSERT_TRUE(sample.snapshot_gap_ms);
  EXPECT_DOUBLE_EQ(sample.snapshot_gap_ms->p50, 0.1);
  EXPECT_EQ(sample.corrected, 5U);
  EXPECT_DOUBLE_EQ(sample.generator_cpu_percent.value(), 50);
  EXPECT_DOUBLE_EQ(sample.late_share, 0.15);
  EXPECT_TRUE(sample.is_too_late);
  EXPECT_FALSE(sample.tick_ms) << "without --admin";
  ASSERT_EQ(sample.clients.size(), 2U);
  EXPECT_FLOAT_EQ(sample.clients[0].snapshot_gap_ms, 0.1F);
  EXPECT_FLOAT_EQ(sample.clients[0].corrected, 5);
  EXPECT_LT(sample.clients[0].rtt_ms, 0) << "none was measured";
  EXPECT_LT(sample.clients[1].corrected, 0) << "never connected";
  ASSERT_TRUE(sample.bytes_down);
  EXPECT_DOUBLE_EQ(sample.bytes_down->max, 1'000);
}

// The lateness is cleared when the measured time begins.
TEST(LoadSample, CountsTheLatenessThatBeganAgain) {
  SampleMoment before;
  before.lateness.add(5, 100);
  before.time_late = {std::chrono::seconds{3}};
  SampleMoment after{.at = Instant{std::chrono::seconds{1}}};
  after.lateness.add(7, 50);
  after.time_late = {Duration{}};
  const SwarmStats none;
  const LoadSample sample = sample_between({.moment = before, .stats = none, .server = nullptr},
                                           {.moment = after, .stats = none, .server = nullptr}, 1);
  ASSERT_TRUE(sample.late_ms);
  EXPECT_DOUBLE_EQ(sample.late_ms->p50, 0.007);
  EXPECT_EQ(sample.late_share, 0);
  EXPECT_FALSE(sample.is_too_late);
}

// The thread that was late in this second is not the one that was late before.
TEST(LoadSample, IsLateWithTheThreadThatIsLateNow) {
  using std::chrono::milliseconds;
  const SampleMoment before{.time_late = {milliseconds{900}, milliseconds{100}}};
  const SampleMoment after{.at = Instant{std::chrono::seconds{1}},
                           .time_late = {milliseconds{905}, milliseconds{400}}};
  const SwarmStats none;
  const LoadSample sample = sample_between({.moment = before, .stats = none, .server = nullptr},
                                           {.moment = after, .stats = none, .server = nullptr}, 1);
  EXPECT_DOUBLE_EQ(sample.late_share, 0.3);
  EXPECT_TRUE(sample.is_too_late);
}

TEST(LoadSample, IsALineWithNullWhereNothingIsKnown) {
  LoadSample sample{.at = 3.5, .seconds = 1, .snapshot_gap_ms = Spread{16.7, 33.4, 50}};
  sample.clients = {{.snapshot_gap_ms = 16.7F, .rtt_ms = 1.25F, .corrected = 2}, {}};
  const std::string line = to_line(sample);
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  const Json json = Json::parse(line);
  EXPECT_EQ(json["line"], "second");
  EXPECT_EQ(json["snapshot_gap_ms"]["p99"], 33.4);
  EXPECT_TRUE(json["tick_ms"]["p99"].is_null());
  EXPECT_EQ(json["each_client"]["snapshot_gap_ms"], Json::parse("[16.7,null]"));
  EXPECT_EQ(json["each_client"]["corrected"], Json::parse("[2,null]"));
}

TEST(LoadTimeline, MakesOneOfTwoSecondsWhereThereAreTooMany) {
  LoadTimeline timeline{1};
  for (std::size_t i = 0; i < 2 * kColumnsMax + 3; ++i) {
    LoadSample sample{.at = static_cast<double>(i + 1), .seconds = 1, .corrected = 1};
    sample.clients.resize(1);
    if (i == 1'001) sample.clients[0].rtt_ms = 900;  // one bad second
    if (i == 1'001) sample.is_too_late = true;
    timeline.add(std::move(sample));
  }
  EXPECT_EQ(timeline.seconds_per_sample(), 4U);
  EXPECT_LE(timeline.samples().size(), kColumnsMax);
  double seconds = 0;
  std::uint64_t corrected = 0;
  for (const LoadSample& sample : timeline.samples()) {
    seconds += sample.seconds;
    corrected += sample.corrected;
    EXPECT_EQ(sample.is_too_late, sample.at >= 1'002 && sample.at < 1'006) << sample.at;
    EXPECT_EQ(sample.clients[0].rtt_ms, sample.is_too_late ? 900 : -1);
  }
  EXPECT_DOUBLE_EQ(seconds, 2 * kColumnsMax + 3);
  EXPECT_EQ(corrected, 2 * kColumnsMax + 3);
  EXPECT_DOUBLE_EQ(timeline.samples().back().at, 2 * kColumnsMax + 3);
}

// A thousand clients for ten minutes, and the most clients of a server for an hour.
TEST(LoadPage, StaysBelowFiveMegabytes) {
  Ended ended;
  const LoadEnd& end = ended.with(LoadOutcome::Passed, "no hash differs");
  for (const auto& [clients, seconds] :
       {std::pair<std::size_t, std::size_t>{1'000, 601}, {1'000, 720}, {kClientsMax, 500}}) {
    const LoadTimeline timeline = timeline_of(seconds, clients);
    EXPECT_LT(report_page(facts_of_run(), timeline, end).size(), 5'000'000U) << clients;
    if (clients == 1'000) {
      EXPECT_EQ(timeline.samples().size(), seconds);
    }
  }
}

TEST(LoadPage, HasTheSamplesAsTheyAre) {
  Ended ended;
  const LoadTimeline timeline = timeline_of(20, 3);
  const Json run = run_of(
      report_page(facts_of_run(), timeline, ended.with(LoadOutcome::Passed, "no hash differs")));
  EXPECT_EQ(run["run"]["command"], "tickbox load 127.0.0.1:7777 --require 'rtt_ms.p50<=8'");
  EXPECT_EQ(run["result"]["document"], Json::parse(ended.end.document));
  // The digits and the scale of the page's script.
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (std::size_t i = 0; i < 20; ++i) {
    const Json line = Json::parse(to_line(second(i, 3)));
    EXPECT_EQ(run["columns"]["rtt_ms.p99"][i], line["rtt_ms"]["p99"]);
    EXPECT_EQ(run["columns"]["prediction.exact"][i], line["prediction"]["exact"]);
    EXPECT_EQ(run["columns"]["tick_overruns"][i], nullptr);
    for (std::size_t client = 0; client < 3; ++client) {
      for (const char* figure : {"snapshot_gap_ms", "rtt_ms", "corrected"}) {
        const auto row = run["each_client"][figure][client].get<std::string>();
        const std::size_t level = 64 * digits.find(row[2 * i]) + digits.find(row[2 * i + 1]);
        const double value = 0.1 * (std::pow(10, static_cast<double>(level) / 818.8) - 1);
        const double exact = line["each_client"][figure][client];
        EXPECT_NEAR(value, exact, 0.003 * exact + 0.001) << figure;
      }
    }
  }
}

// Text of others must neither end the element that it is in nor begin another.
TEST(LoadPage, ShowsTextOfOthersAsText) {
  Ended ended;
  ended.report.game = kHostile;
  ended.figures.push_back({"error", kHostile});
  ended.end.requirements = {{.text = kHostile, .held = false, .value = 3}};
  LoadFacts facts = facts_of_run();
  facts.command.push_back(kHostile);
  facts.server = kHostile;
  facts.server_version = kHostile;
  facts.players = kHostile;
  facts.machine.host = kHostile;
  const LoadTimeline timeline{1};
  Ended plain;
  const std::string page = report_page(facts, timeline, ended.with(LoadOutcome::Failed, kHostile));
  const std::string of_plain =
      report_page(facts_of_run(), timeline, plain.with(LoadOutcome::Failed, "why"));
  for (const char* words : {"<script", "</script", "<!--", "alert(1)</script"}) {
    EXPECT_EQ(count_of(page, words), count_of(of_plain, words)) << words;
  }
  EXPECT_TRUE(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
  EXPECT_TRUE(run_of(page)["result"]["why"].get<std::string>().starts_with("</script><script>"));
  for (const std::string& line : {first_line(facts), last_line(ended.end)}) {
    EXPECT_EQ(std::ranges::count(line, '\n'), 1);
    EXPECT_FALSE(Json::parse(line).is_discarded());
  }
}

TEST(LoadPage, HasABannerForEachOutcomeWithoutItsScript) {
  const std::pair<LoadOutcome, const char*> cases[] = {
      {LoadOutcome::Passed, "class=\"card good\"><h2>Passed</h2>"},
      {LoadOutcome::Failed, "class=\"card bad\"><h2>Failed</h2>"},
      {LoadOutcome::NotConnected, "class=\"card bad\"><h2>Not connected</h2>"},
      {LoadOutcome::Disconnected, "class=\"card bad\"><h2>Disconnected</h2>"},
      {LoadOutcome::Stopped, "class=\"card warn\"><h2>Stopped early</h2>"},
      {LoadOutcome::TooSlow, "class=\"card warn\"><h2>Load generator too slow</h2>"}};
  for (const auto& [outcome, banner] : cases) {
    Ended ended;
    ended.end.requirements = {{.text = "rtt_ms.p50<=8", .held = false, .value = 12.345678},
                              {.text = "tick_ms.p99<=8", .held = false, .value = {}}};
    const std::string page =
        report_page(facts_of_run(), LoadTimeline{2}, ended.with(outcome, "4 < 5, so it is"));
    EXPECT_TRUE(page.contains(banner)) << banner;
    EXPECT_TRUE(page.contains("4 &lt; 5, so it is"));
    // The figures are in the text itself.
    EXPECT_TRUE(page.contains("<th><code>rtt_ms.p50</code><td>12.345678"));
    EXPECT_TRUE(page.contains("missed</b> <code>rtt_ms.p50&lt;=8</code><td>12.345678"));
    EXPECT_TRUE(page.contains("<code>tick_ms.p99&lt;=8</code><td>not known"));
    EXPECT_FALSE(page.contains("<!-- fill"));
    EXPECT_TRUE(page.contains("default-src 'none'; script-src 'sha256-"));
    EXPECT_TRUE(page.contains("Released under the MIT License"));
  }
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
  Ended ended;
  const LoadEnd& end = ended.with(LoadOutcome::Stopped, "stopped");
  EXPECT_TRUE((*files)->end_results(end));
  EXPECT_TRUE((*files)->end_report(end));
  EXPECT_EQ(os::text_of(folder_.file("run.jsonl")),
            first_line(facts_of_run()) + to_line(second(0, 2)) + to_line(second(1, 2)) +
                to_line(second(2, 2)) + last_line(end));
  EXPECT_EQ(run_of(os::text_of(folder_.file("run.html")))["columns"]["at"].size(), 3U);
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
  Ended ended;
  const LoadEnd& end = ended.with(LoadOutcome::Passed, "no hash differs");
  const auto results = (*files)->end_results(end);
  ASSERT_FALSE(results);
  EXPECT_TRUE(results.error().contains("run.jsonl")) << results.error();
  const auto report = (*files)->end_report(end);
  ASSERT_FALSE(report);
  EXPECT_TRUE(report.error().contains("run.html")) << report.error();
}

}  // namespace
}  // namespace tickbox::commands
