// The benchmark as a program, in small. Its figures depend on the seed alone, so these tests also
// bound them.

#include "tests/integration/programs.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tickbox::bench {
namespace {

using integration::Finished;
using nlohmann::json;

integration::Command command(std::vector<std::string> arguments) {
  return {.program = tests::built_program("tickbox-bench-snapshots"),
          .arguments = std::move(arguments)};
}

Finished bench(std::vector<std::string> arguments) {
  return integration::run(command(std::move(arguments)));
}

/// Checked and unoptimised, 64 clients take minutes.
#ifdef TICKBOX_AUDIT
constexpr bool kIsSlowBuild = true;
#else
constexpr bool kIsSlowBuild = false;
#endif

/// The lines of all cases whose name holds `name`: at 60 and at 30 snapshots a second.
json lines_of(const std::string& name) {
  const Finished finished = bench({"--seconds", "3", "--only", name, "--json"});
  EXPECT_EQ(finished.exit_code, integration::kDone) << finished;
  json lines = json::parse(integration::last_line(finished.out));
  EXPECT_EQ(lines.size(), 2U);
  for (const json& line : lines) {
    EXPECT_EQ(line.at("mismatches"), 0) << line;
    EXPECT_LE(line.at("datagram_bytes_max"), 1'200) << line;
    EXPECT_GT(line.at("members"), 64) << line;
  }
  return lines;
}

TEST(BenchSnapshots, OnLoopbackClientsAreSentTwentyTimesLessThanWholeStates) {
  if (kIsSlowBuild) GTEST_SKIP();
  const json lines = lines_of("loopback");
  EXPECT_LE(lines.at(0).at("bytes_per_second"), 3'500);
  EXPECT_LE(lines.at(0).at("bytes_per_second_up"), 3'000);
  EXPECT_LE(lines.at(1).at("bytes_per_second"), 2'500);
  EXPECT_GE(lines.at(0).at("ratio_to_whole"), 20);
  EXPECT_EQ(lines.at(0).at("predictions_exact"), 1);
}

// A bump is no news: both ends step it.
TEST(BenchSnapshots, WhoBumpsAllTheTimeIsSentHardlyMore) {
  if (kIsSlowBuild) GTEST_SKIP();
  const json roomy = lines_of("loopback").at(0);
  const json bumping = lines_of("bumping all the time, no delay").at(0);
  EXPECT_GT(bumping.at("predictions_touched"), 2 * roomy.at("predictions_touched").get<double>());
  EXPECT_LE(bumping.at("bytes_per_second"), 1.15 * roomy.at("bytes_per_second").get<double>());
}

TEST(BenchSnapshots, WithLossTheyAreSentFifteenTimesLess) {
  if (kIsSlowBuild) GTEST_SKIP();
  const json lines = lines_of("80 ms, 8 ms jitter");
  EXPECT_LE(lines.at(0).at("bytes_per_second"), 7'000);
  EXPECT_LE(lines.at(1).at("bytes_per_second"), 3'700);
  EXPECT_GE(lines.at(0).at("ratio_to_whole"), 15);
  EXPECT_GE(lines.at(0).at("predictions_exact"), 0.98);
}

TEST(BenchSnapshots, AtRestNextToNothingIsSent) {
  if (kIsSlowBuild) GTEST_SKIP();
  for (const json& line : lines_of("rest")) {
    EXPECT_LE(line.at("bytes_per_second"), 600);
  }
}

TEST(BenchSnapshots, TellsWhatTheyCostAProcessor) {
  if (kIsSlowBuild) GTEST_SKIP();
  const Finished finished = bench({"--cost"});
  ASSERT_EQ(finished.exit_code, integration::kDone) << finished;
  EXPECT_TRUE(finished.out.contains("1000 clients")) << finished;
}

TEST(BenchSnapshots, WrongUsageIsToldInOneLine) {
  for (const char* seconds : {"0", "-1", "many"}) {
    integration::expect_wrong_usage(command({"--seconds", seconds}), {});
  }
}

}  // namespace
}  // namespace tickbox::bench
