// The simulator as a program: what it prints, and what it returns.

#include "tests/integration/programs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tickbox::simulator {
namespace {

using integration::Finished;
using nlohmann::json;

Finished simulate(std::vector<std::string> arguments) {
  return integration::run(
      {.program = TICKBOX_PROGRAM_DIR "/tickbox-simulator", .arguments = std::move(arguments)});
}

TEST(SimulatorProgram, PrintsALineForEachRun) {
  const Finished finished = simulate({"--seed", "7", "--seeds", "3", "--seconds", "3"});
  EXPECT_EQ(finished.exit_code, integration::kDone) << finished;
  EXPECT_EQ(integration::line_count(finished.out), 3U) << finished;
  EXPECT_TRUE(finished.out.starts_with("ok wifi seed 7: 3.0 s,")) << finished;
  EXPECT_TRUE(integration::last_line(finished.out).contains("fingerprint")) << finished;
}

TEST(SimulatorProgram, EndsWithADocumentThatRepeatsForTheSameSeeds) {
  const std::vector<std::string> arguments{"--seed", "11",        "--seeds", "2",     "--seconds",
                                           "3",      "--profile", "chaos",   "--json"};
  const Finished finished = simulate(arguments);
  ASSERT_EQ(finished.exit_code, integration::kDone) << finished;
  const json document = json::parse(integration::last_line(finished.out));
  EXPECT_EQ(document.at("runs"), 2);
  EXPECT_EQ(document.at("virtual_seconds"), 6.0);
  EXPECT_TRUE(document.at("failures").empty());
  EXPECT_GT(document.at("faults").at("lost"), 0);
  const Finished again = simulate(arguments);
  EXPECT_EQ(document.at("each"), json::parse(integration::last_line(again.out)).at("each"));
}

TEST(SimulatorProgram, PrintsTheCommandThatRepeatsAFailure) {
  const Finished finished =
      simulate({"--profile", "wifi", "--seed", "10", "--plant", "lost-record", "--seconds", "3"});
  EXPECT_EQ(finished.exit_code, integration::kCheckFailed) << finished;
  EXPECT_TRUE(finished.out.starts_with("FAILED wifi seed 10")) << finished;
  EXPECT_EQ(integration::last_line(finished.out),
            "  again: tickbox-simulator --profile wifi --seed 10 --seconds 3 --plant lost-record")
      << finished;
}

TEST(SimulatorProgram, WrongUsageIsToldInOneLine) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--profile", "moon"}, {"--seconds", "0"}, {"--plant", "tree"}}) {
    const Finished finished = simulate(arguments);
    EXPECT_EQ(finished.exit_code, integration::kWrongUsage) << finished;
    EXPECT_EQ(integration::line_count(finished.err), 1U) << finished;
    EXPECT_EQ(finished.out, "");
  }
}

}  // namespace
}  // namespace tickbox::simulator
