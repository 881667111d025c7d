// The result of `tickbox connect` as people read it.

#include "client/commands/connect/play_summary.h"

#include "core/fixed.h"

#include <gtest/gtest.h>

namespace tickbox::commands {
namespace {

void add(Histogram& histogram, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) {
    histogram.add(value);
  }
}

client::ClientStats good_stats() {
  client::ClientStats stats{{{.ticks = 3'600,
                              .hashes_checked = 117,
                              .untouched = {.checked = 111, .exact = 111},
                              .touched = {.checked = 5, .exact = 5},
                              .inputs_sent = 3'661,
                              .inputs_late = 1,
                              .inputs_substituted = 2,
                              .ticks_shown = 1'000,
                              .ticks_extrapolated = 480,
                              .ticks_extrapolated_wrong = 3,
                              .presentation_delay = 45'000'000,
                              .up_sent = 1'000,
                              .up_arrived = 943,
                              .down_sent = 1'000,
                              .down_arrived = 992},
                             {}},
                            {}};
  add(stats.round_trip, 101'000, 1);
  return stats;
}

PlaySummary good_summary() {
  return {.server = "127.0.0.1:7777",
          .seconds = 60,
          .seat = {2},
          .tick_rate = 60,
          .use = {.bytes_up = 420'000, .bytes_down = 90'000}};
}

TEST(PlaySummary, HasALineForEachThingThatWasMeasured) {
  const std::string text = summary_text(good_summary(), good_stats());
  const std::size_t link = text.find("  link");
  ASSERT_NE(link, std::string::npos) << text;
  EXPECT_EQ(text.substr(0, link),
            "connected to 127.0.0.1:7777 for 60.0 s as player 2 (3,600 ticks at 60 Hz)\n"
            "\n"
            "  state     117 of 117 snapshots have the server's hash\n"
            "  own body  116 predictions, all exact; 5 with contact, 5 of them exact\n"
            "  others    shown 45 ms late; 48 % of ticks ran ahead of the newest snapshot, 0.3 % "
            "of ticks a wrong guess\n"
            "  inputs    3,661 sent, 1 too late; the server used another one in 2 ticks\n");
  EXPECT_TRUE(text.contains(" ms (p99 ")) << text;
  EXPECT_TRUE(
      text.ends_with("loss 5.7 % up, 0.8 % down, 1.5 kB/s down, 7.0 up\n"
                     "  verdict   everything held\n"))
      << text;
}

TEST(PlaySummary, SaysHowFarPredictionsWereOff) {
  client::ClientStats stats = good_stats();
  stats.untouched.exact = 109;
  stats.corrected = 2;
  add(stats.prediction_error, kUnit / 2, 2);
  const std::string text = summary_text(good_summary(), stats);
  EXPECT_TRUE(text.contains("116 predictions, 114 exact, 2 corrected; errors: p99 ")) << text;
  EXPECT_TRUE(text.contains(" units, at most 0.5")) << text;
}

// Before the fix, a client whose inputs were all replaced ended with "everything held".
TEST(PlaySummary, SaysThatTheServerReplacedTheInputs) {
  client::ClientStats stats = good_stats();
  stats.inputs_substituted = stats.inputs_sent / 2;
  EXPECT_TRUE(summary_text(good_summary(), stats)
                  .ends_with("  verdict   everything held, but the server replaced 50 % of the "
                             "inputs, which came too late or not at all\n"));
}

TEST(PlaySummary, HasNoLineForWhatWasNotMeasured) {
  const std::string text = summary_text(good_summary(), {});
  for (const char* const name : {"own body", "others", "net up", "sessions", "rtt"}) {
    EXPECT_FALSE(text.contains(name)) << text;
  }
  EXPECT_TRUE(text.contains("loss - up")) << "too few packets: " << text;
}

TEST(PlaySummary, ShowsWhatTheSimulatedLinkDidAndWhyTheRunFailed) {
  PlaySummary summary = good_summary();
  summary.resumed = 1;
  summary.link_up = net::LinkCounts{.in = 1'234, .lost = 60, .truncated = 2};
  summary.link_down = net::LinkCounts{.in = 100};
  summary.end = {.code = cli::ExitCode::CheckFailed, .error = "1 of 117 hashes differ"};
  const std::string text = summary_text(summary, good_stats());
  EXPECT_TRUE(text.contains("  sessions  1 resumed\n")) << text;
  EXPECT_TRUE(text.contains("  net up    1,234 packets, 60 lost, 2 truncated\n")) << text;
  EXPECT_TRUE(text.contains("  net down  100 packets\n")) << text;
  EXPECT_TRUE(text.ends_with("  verdict   1 of 117 hashes differ\n")) << text;
}

}  // namespace
}  // namespace tickbox::commands
