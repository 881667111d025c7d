// The benchmark as a program, in small: no view is wrong in any of its cases.

#include "tests/integration/programs.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tickbox::bench {
namespace {

TEST(BenchCrowd, EveryCaseRuns) {
  const integration::Finished finished =
      integration::run({.program = tests::built_program("tickbox-bench-crowd"),
                        .arguments = {"--ticks", "30", "--clients", "20", "--json"}});
  ASSERT_EQ(finished.exit_code, integration::kDone) << finished;
  const auto document = nlohmann::json::parse(integration::last_line(finished.out));
  EXPECT_EQ(document.at("sound"), true);
  ASSERT_EQ(document.at("crowds").size(), 6U);
  for (const auto& line : document.at("crowds")) {
    EXPECT_GT(line.at("tick_ms").get<double>(), 0) << line;
  }
}

}  // namespace
}  // namespace tickbox::bench
