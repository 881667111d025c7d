// The beginning of the live line is all that many see of it: a terminal has 80 columns.

#include "client/commands/connect/live_line.h"

#include <gtest/gtest.h>

namespace tickbox::commands {
namespace {

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

// It stood behind column 80, where a terminal cut it off.
TEST(LiveLine, WhatAlarmsComesFirst) {
  const std::string seen = live_line(busy()).substr(0, kColumns);
  EXPECT_TRUE(seen.starts_with("123456 HASHES DIFFER  24 FAILED  server silent  1000 up")) << seen;
}

TEST(LiveLine, WhereNothingAlarmsItBeginsWithWhoPlays) {
  LiveFigures figures = busy();
  figures.hashes_mismatched = 0;
  figures.failed = 0;
  figures.server_is_silent = false;
  const std::string seen = live_line(figures).substr(0, kColumns);
  EXPECT_TRUE(seen.starts_with("1000 up  tick 12.35 ms  gaps 16.7/118.2/230.1 ms  rtt 80.1/160.2"))
      << seen;
  figures.server_tick_ms_p99.reset();
  EXPECT_TRUE(live_line(figures).starts_with("1000 up  gaps ")) << live_line(figures);
}

TEST(LiveLine, OfOneClientBeginsWithItsHashes) {
  client::ClientStats stats;
  EXPECT_TRUE(live_line(stats, Tick{600}).starts_with("hash ok at tick 600  rtt "));
  stats.first_audit_mismatch = client::AuditMismatch{.tick = {590}, .expected = 1, .got = 2};
  EXPECT_TRUE(live_line(stats, Tick{600}).starts_with("HASH DIFFERS since tick 590  rtt "));
}

}  // namespace
}  // namespace tickbox::commands
