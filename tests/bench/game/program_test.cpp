// The benchmark as a program, in small: no view is wrong in any of its cases.

#include "tests/integration/programs.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tickbox::bench {
namespace {

TEST(BenchGame, EveryCaseRuns) {
  const integration::Finished finished =
      integration::run({.program = tests::built_program("tickbox-bench-game"),
                        .arguments = {"--ticks", "5", "--json"}});
  ASSERT_EQ(finished.exit_code, integration::kDone) << finished;
  const auto document = nlohmann::json::parse(integration::last_line(finished.out));
  EXPECT_EQ(document.at("sound"), true);
  EXPECT_EQ(document.at("pellets").size(), 4U);
  EXPECT_EQ(document.at("memory").size(), 2U);
  ASSERT_EQ(document.at("checkpoint").size(), 4U);
  for (const auto& line : document.at("checkpoint")) {
    EXPECT_GT(line.at("step_us").get<double>(), 0) << line;
  }
}

}  // namespace
}  // namespace tickbox::bench
