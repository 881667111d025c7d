// The benchmark as a program, in small: what it prints, and that Tickbox keeps its promises there.

#include "tests/integration/programs.h"
#include "tests/support/paths.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tickbox::bench {
namespace {

using integration::Finished;
using nlohmann::json;

/// Every world with 100 bodies and all engines, for 40 ticks after the warm-up.
const std::vector<std::string> kSmall = {"--n", "100", "--ticks", "40", "--repeats", "2"};

integration::Command command(std::vector<std::string> arguments) {
  return {.program = tests::built_program("tickbox-bench-physics"),
          .arguments = std::move(arguments)};
}

Finished bench(std::vector<std::string> arguments) {
  return integration::run(command(std::move(arguments)));
}

Finished small(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = kSmall;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return bench(std::move(arguments));
}

TEST(BenchPhysics, EveryWorldRunsInEveryEngineAndTickboxIsExact) {
  const Finished finished = small({"--json", "--quiet"});
  ASSERT_EQ(finished.exit_code, integration::kDone) << finished;
  const json document = json::parse(integration::last_line(finished.out));
  ASSERT_EQ(document.at("worlds").size(), 4 * 3 + 5U) << finished;
  int ours = 0;
  for (const json& line : document.at("worlds")) {
    EXPECT_EQ(line.at("n"), 100) << line;
    // A tick in which all bodies sleep may be shorter than the clock can measure.
    const bool is_awake = line.value("moving", 1) > 0;
    EXPECT_TRUE(line.at("us_per_tick").get<double>() > 0 || !is_awake) << line;
    EXPECT_EQ(line.at("hash").get<std::string>().size(), 16U) << line;
    EXPECT_EQ(line.at("ticks"), 40) << line;
    EXPECT_EQ(line.at("repeats"), 2) << line;
    if (line.at("engine") != "tickbox") continue;
    ++ours;
    EXPECT_EQ(line.at("overlaps"), 0) << line;
    EXPECT_EQ(line.at("tunnelled"), 0) << line;
    EXPECT_EQ(line.at("repeatable"), true) << line;
    if (line.at("world") == "S5") {
      EXPECT_EQ(line.at("moving"), 0) << line;
    }
  }
  EXPECT_EQ(ours, 5);
  EXPECT_EQ(document.at("ratios").size(), 4 * 2 + 4U) << finished;
  EXPECT_FALSE(finished.err.contains("running")) << finished;
}

TEST(BenchPhysics, PeersAreMadeAsTheirUsersDoUnlessOursAreAskedFor) {
  const auto document_of = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"--worlds", "S2", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = small(arguments);
    EXPECT_EQ(finished.exit_code, integration::kDone) << finished;
    return json::parse(integration::last_line(finished.out));
  };
  const json by_default = document_of({});
  const json tiles = document_of({"--peers", "tiles"});
  const json boxes = document_of({"--peers", "boxes"});
  EXPECT_EQ(by_default.at("peer_bodies"), "tiles");
  EXPECT_EQ(boxes.at("peer_bodies"), "boxes");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto hash_in = [i](const json& document) {
      return document.at("worlds").at(i).at("hash").get<std::string>();
    };
    EXPECT_EQ(hash_in(by_default), hash_in(tiles)) << by_default.at("worlds").at(i);
    // Tickbox goes its own way in both; among other tiles its peers go another.
    const bool is_ours = by_default.at("worlds").at(i).at("engine") == "tickbox";
    EXPECT_EQ(hash_in(by_default) == hash_in(boxes), is_ours) << by_default.at("worlds").at(i);
  }
}

// Chipmunk has no sweep: were none counted, the count would be broken.
TEST(BenchPhysics, BulletsThatGoThroughWallsAreSeen) {
  const Finished finished = small({"--worlds", "S3", "--engines", "chipmunk", "--json"});
  ASSERT_EQ(finished.exit_code, integration::kDone) << finished;
  const json document = json::parse(integration::last_line(finished.out));
  EXPECT_GT(document.at("worlds").at(0).at("bullets_tunnelled"), 0) << finished;
}

TEST(BenchPhysics, ACsvHasALinePerWorldAndEngine) {
  const os::TemporaryFolder folder;
  const std::string file = folder.file("lines.csv");
  const Finished finished = small({"--worlds", "S1,S4", "--engines", "tickbox", "--csv", file});
  ASSERT_EQ(finished.exit_code, integration::kDone) << finished;
  const std::string csv = os::text_of(file);
  EXPECT_EQ(integration::line_count(csv), 3U) << csv;
  EXPECT_TRUE(csv.starts_with("world,n,engine,us_per_tick,")) << csv;
  EXPECT_TRUE(csv.contains("\nS4,100,tickbox,")) << csv;
  EXPECT_TRUE(csv.ends_with(",tiles\n")) << csv;
}

TEST(BenchPhysics, WrongUsageIsToldInOneLineAndNothingRuns) {
  const std::vector<std::vector<std::string>> wrong = {{"--worlds", "S6"},
                                                       {"--worlds", "S1,,S2"},
                                                       {"--engines", "boxtwod"},
                                                       {"--n", "0"},
                                                       {"--n", "1e3"},
                                                       {"--n", "-5"},
                                                       {"--repeats", "none"},
                                                       {"--peers", "best"},
                                                       {"--density", "--n", "5"},
                                                       {"--wolds", "S1"},
                                                       {"S1"}};
  for (const std::vector<std::string>& arguments : wrong) {
    integration::expect_wrong_usage(command(arguments), {});
  }
}

TEST(BenchPhysics, AFileThatCannotBeWrittenIsNamedBeforeAnythingRuns) {
  const Finished finished = bench({"--csv", "/no/such/folder/lines.csv"});
  EXPECT_EQ(finished.exit_code, integration::kFailed) << finished;
  EXPECT_TRUE(finished.err.contains("/no/such/folder/lines.csv")) << finished;
  EXPECT_EQ(finished.out, "");
}

TEST(BenchPhysics, HelpEndsWithAnExample) {
  const Finished finished = bench({"--help"});
  EXPECT_EQ(finished.exit_code, integration::kDone) << finished;
  EXPECT_TRUE(finished.out.contains("Example: tickbox-bench-physics")) << finished;
}

}  // namespace
}  // namespace tickbox::bench
