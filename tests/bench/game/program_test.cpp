// The benchmark as a program, in small: no view is wrong in any of its cases.

#include "tests/integration/programs.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

namespace tickbox::bench {
namespace {

TEST(BenchGame, EveryCaseRuns) {
  const integration::Finished finished = integration::run(
      {.program = tests::built_program("tickbox-bench-game"), .arguments = {"--ticks", "5"}});
  EXPECT_EQ(finished.exit_code, integration::kDone) << finished;
}

}  // namespace
}  // namespace tickbox::bench
