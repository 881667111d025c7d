#include "server/metrics.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace tickbox::server {
namespace {

TEST(Metrics, AreInTheTextFormat) {
  Metrics metrics;
  metrics.tick_rate = 60;
  metrics.of(Phase::Total).add(2'000'000);
  metrics.of(Phase::Total).add(40'000'000);
  metrics.drops.count(net::DropReason::Forged);
  const std::string text = exposition(metrics, {.version = "0.1.0"});
  static const std::regex kLine{
      R"(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+)"};
  std::istringstream lines{text};
  std::string line;
  std::set<std::string> seen;
  while (std::getline(lines, line)) {
    EXPECT_TRUE(std::regex_match(line, kLine)) << line;
    EXPECT_TRUE(seen.insert(line.substr(0, line.rfind(' '))).second || line.starts_with('#'))
        << "twice: " << line;
  }
  EXPECT_NE(text.find("tickbox_packets_dropped_total{reason=\"forged\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("tickbox_tick_duration_seconds_count{phase=\"total\"} 2\n"),
            std::string::npos);
  EXPECT_NE(text.find("tickbox_tick_duration_seconds_bucket{phase=\"total\",le=\"+Inf\"} 2\n"),
            std::string::npos);
}

TEST(Metrics, BucketsOnlyGrow) {
  Metrics metrics;
  for (std::uint64_t value = 1'000; value < 3'000'000'000; value = value * 3 / 2) {
    metrics.of(Phase::Step).add(value);
  }
  const std::string text = exposition(metrics, {});
  static const std::regex kBucket{R"(_bucket\{phase="step",le="[^"]+"\} (\d+))"};
  std::uint64_t before = 0;
  std::size_t buckets = 0;
  for (auto it = std::sregex_iterator{text.begin(), text.end(), kBucket};
       it != std::sregex_iterator{}; ++it) {
    const std::uint64_t count = std::stoull((*it)[1].str());
    EXPECT_GE(count, before);
    before = count;
    ++buckets;
  }
  EXPECT_GT(buckets, 50U);
  EXPECT_EQ(before, metrics.of(Phase::Step).count());
}

}  // namespace
}  // namespace tickbox::server
