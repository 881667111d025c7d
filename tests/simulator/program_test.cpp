// The simulator as a program: its output and its exit status.

#include "tests/integration/programs.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::simulator {
namespace {

using integration::Finished;
using nlohmann::json;

Finished simulate(std::vector<std::string> arguments) {
  return integration::run(
      {.program = tests::built_program("tickbox-simulator"), .arguments = std::move(arguments)});
}

TEST(SimulatorProgram, PrintsALineForEachRun) {
  const Finished finished = simulate({"--seed", "7", "--seeds", "3", "--seconds", "3"});
  EXPECT_EQ(finished.exit_code, integration::kDone) << finished;
  EXPECT_EQ(integration::line_count(finished.out), 3U) << finished;
  EXPECT_TRUE(finished.out.starts_with("ok arena wifi seed 7: 3.0 s,")) << finished;
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
  EXPECT_TRUE(finished.out.starts_with("FAILED arena wifi seed 10")) << finished;
  EXPECT_EQ(integration::last_line(finished.out),
            "  again: tickbox-simulator --game arena --profile wifi --seed 10 --seconds 3 --plant "
            "lost-record")
      << finished;
}

TEST(SimulatorProgram, PlaysAnotherGame) {
  const Finished finished =
      simulate({"--game", "menagerie", "--seed", "7", "--seconds", "3", "--plant", "lost-record"});
  EXPECT_EQ(finished.exit_code, integration::kCheckFailed) << finished;
  EXPECT_TRUE(finished.out.starts_with("FAILED menagerie wifi seed 7")) << finished;
  EXPECT_TRUE(integration::last_line(finished.out).contains(" --game menagerie ")) << finished;
}

std::string first_line_of(const Finished& finished) {
  return finished.out.substr(0, finished.out.find('\n'));
}

/// The repeated run prints the same first line: all counts, and the fingerprint at the end.
TEST(SimulatorProgram, PrintsTheCommandThatRepeatsAFailureOfItsBench) {
  const Finished finished =
      simulate({"--bench", "--seed", "5", "--seconds", "5", "--plant", "lost-record"});
  EXPECT_EQ(finished.exit_code, integration::kCheckFailed) << finished;
  EXPECT_TRUE(first_line_of(finished).starts_with("FAILED arena wifi seed 5")) << finished;
  EXPECT_TRUE(first_line_of(finished).contains(", 16 clients,")) << finished;
  constexpr std::string_view kBefore = "  again: tickbox-simulator ";
  const std::size_t at = finished.out.find(kBefore);
  ASSERT_NE(at, std::string::npos) << finished;
  std::istringstream printed{finished.out.substr(at + kBefore.size())};
  std::string line;
  std::getline(printed, line);
  std::istringstream words{line};
  const Finished again =
      simulate({std::istream_iterator<std::string>{words}, std::istream_iterator<std::string>{}});
  EXPECT_EQ(again.exit_code, integration::kCheckFailed) << again;
  EXPECT_EQ(first_line_of(again), first_line_of(finished));
}

TEST(SimulatorProgram, WrongUsageIsToldInOneLine) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--profile", "moon"},
                                                    {"--game", "chess"},
                                                    {"--seconds", "0"},
                                                    {"--plant", "tree"}}) {
    const Finished finished = simulate(arguments);
    EXPECT_EQ(finished.exit_code, integration::kWrongUsage) << finished;
    EXPECT_EQ(integration::line_count(finished.err), 1U) << finished;
    EXPECT_EQ(finished.out, "");
  }
}

}  // namespace
}  // namespace tickbox::simulator
