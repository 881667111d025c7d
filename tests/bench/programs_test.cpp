// The benchmarks as programs, in small: every case runs, and what a document says of itself is
// sound. What depends on the seed alone is bounded too.

#include "tests/integration/programs.h"

#include "tests/support/paths.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tickbox::bench {
namespace {

using integration::Finished;
using nlohmann::json;

/// Checked and unoptimised, 64 clients take minutes.
#ifdef TICKBOX_AUDIT
constexpr bool kIsSlowBuild = true;
#else
constexpr bool kIsSlowBuild = false;
#endif

integration::Command command(const std::string& name, std::vector<std::string> arguments) {
  return {.program = tests::built_program("tickbox-bench-" + name),
          .arguments = std::move(arguments)};
}

json document_of(const std::string& name, std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Finished finished = integration::run(command(name, std::move(arguments)));
  EXPECT_EQ(finished.exit_code, integration::kDone) << finished;
  return json::parse(integration::last_line(finished.out));
}

TEST(Bench, EveryCrowdIsPlayed) {
  const json document = document_of("crowd", {"--ticks", "30", "--clients", "20"});
  EXPECT_EQ(document.at("sound"), true);
  ASSERT_EQ(document.at("crowds").size(), 6U);
  for (const json& line : document.at("crowds")) {
    EXPECT_GT(line.at("tick_ms").get<double>(), 0) << line;
  }
}

TEST(Bench, EveryCaseOfTheGameIsPlayed) {
  const json document = document_of("game", {"--ticks", "5"});
  EXPECT_EQ(document.at("sound"), true);
  EXPECT_EQ(document.at("pellets").size(), 4U);
  EXPECT_EQ(document.at("memory").size(), 2U);
  ASSERT_EQ(document.at("checkpoint").size(), 4U);
  for (const json& line : document.at("checkpoint")) {
    EXPECT_GT(line.at("step_us").get<double>(), 0) << line;
  }
}

/// What a shard does for 30 ticks, without what depends on the machine.
json shard_of(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"--ticks", "30"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  json document = document_of("shard", std::move(arguments));
  EXPECT_EQ(document.at("sound"), true) << document;
  EXPECT_EQ(document.at("substituted"), 0) << document;
  for (const char* const time : {"receive_us", "step_us", "send_us", "total_us", "tick_ms_p50",
                                 "tick_ms_p99", "step_tail"}) {
    EXPECT_GT(document.at(time), 0) << time;
    document.erase(time);
  }
  for (const char* const memory : {"room_kb", "client_kb"}) {
    EXPECT_GT(document.at(memory), 1) << memory;
    document.erase(memory);
  }
  return document;
}

// Nothing that the shard receives or sends depends on the machine: two runs differ in time alone.
TEST(Bench, AShardDoesTheSameInEachRun) {
  const json once = shard_of({"--clients", "12", "--full", "4"});
  EXPECT_GT(once.at("hashes_checked"), 0);
  EXPECT_EQ(shard_of({"--clients", "12", "--full", "4"}), once);
}

TEST(Bench, AShardPlaysEveryGameInSeveralRooms) {
  for (const char* const game : {"arena", "platformer", "bomber"}) {
    const json document =
        shard_of({"--game", game, "--rooms", "3", "--clients", "2", "--seats", "4", "--full", "1"});
    EXPECT_GT(document.at("hashes_checked"), 0) << document;
  }
}

// A light client acknowledges as early as a production client does, so it costs the shard as much.
TEST(Bench, AShardSendsMoreToClientsThatAcknowledgeLate) {
  for (const char* const full : {"0", "1"}) {
    const json near = shard_of({"--clients", "24", "--lag", "1", "--full", full});
    const json far = shard_of({"--clients", "24", "--lag", "6", "--full", full});
    EXPECT_EQ(near.at("hashes_checked") == 0, full == std::string{"0"}) << near;
    EXPECT_GT(far.at("sent"), 1.3 * near.at("sent").get<double>()) << near << far;
    const json rare =
        shard_of({"--clients", "24", "--lag", "6", "--full", full, "--snapshot-rate", "20"});
    const double rarely = rare.at("sent").get<double>() + rare.at("quiet").get<double>();
    EXPECT_NEAR(rarely, 1 / 3.0, 0.01) << rare;
  }
}

TEST(Bench, AShardRefusesWhatItCannotPlay) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--game", "chess"},
                                             {"--bot", "deep"},
                                             {"--lag", "0"},
                                             {"--seats", "3", "--clients", "4"},
                                             {"--rooms", "60", "--clients", "100"}}) {
    integration::expect_wrong_usage(command("shard", arguments), {arguments[0]});
  }
}

/// Where ENet is not installed, its program is not built.
bool has_enet() {
  return std::filesystem::exists(tests::built_program("tickbox-bench-enet"));
}

TEST(Bench, EnetCarriesWhatItIsAskedTo) {
  if (!has_enet()) GTEST_SKIP();
  for (const char* const receives : {"once", "waiting"}) {
    const json document =
        document_of("enet", {"--receives", receives, "--clients", "10", "--ticks", "60", "--sent",
                             "0.5", "--snapshot-bytes", "200", "--input-bytes", "100"});
    EXPECT_EQ(document.at("sound"), true) << document;
    EXPECT_GT(document.at("total_us"), 0) << document;
    EXPECT_NEAR(document.at("sent"), 0.5, 0.02) << document;
    // Beside them ENet sends some small datagrams of its own.
    EXPECT_NEAR(document.at("bytes"), 185, 16) << document;
    EXPECT_NEAR(document.at("input_bytes"), 90, 11) << document;
    // Clients that run beside the server may be late on a busy machine.
    EXPECT_NEAR(document.at("received"), 1, receives == std::string{"once"} ? 0 : 0.5) << document;
  }
}

integration::Command script(const std::string& name, std::vector<std::string> arguments) {
  return {.program = tests::source_file("tests/bench/" + name), .arguments = std::move(arguments)};
}

TEST(Bench, PairsHaveTheRatioOfEachFigure) {
  const std::string shard = tests::built_program("tickbox-bench-shard");
  const Finished finished = integration::run(
      script("pairs.sh", {shard + " --lag 1", shard + " --lag 2", "--pairs", "2", "--only",
                          "^(lag|rooms|clients)$", "--", "--clients", "2", "--ticks", "2"}));
  ASSERT_EQ(finished.exit_code, integration::kDone) << finished;
  std::istringstream lines{finished.out};
  std::string line;
  std::getline(lines, line);
  std::vector<std::string> words;
  for (std::string word; lines >> word;) {
    words.push_back(word);
  }
  EXPECT_EQ(words, (std::vector<std::string>{"lag", "1", "2", "2", "2", "2", "the", "same", "in",
                                             "all", "runs:", "rooms,", "clients"}))
      << finished;
  const Finished failed =
      integration::run(script("pairs.sh", {shard, shard + " --lag 0", "--", "--clients", "2"}));
  EXPECT_EQ(failed.exit_code, integration::kWrongUsage) << failed;
}

TEST(Bench, PeersHaveALineOfEachFigureAndOfTheMachine) {
  if (!has_enet()) GTEST_SKIP();
  const os::TemporaryFolder folder;
  const std::string file = folder.file("peers.csv");
  const std::string bin =
      std::filesystem::path{tests::built_program("tickbox-bench-enet")}.parent_path().string();
  const Finished finished =
      integration::run(script("peers.sh", {"--clients", "4", "--ticks", "10", "--rounds", "1",
                                           "--bodies", "0", "--csv", file, "--bin", bin}));
  ASSERT_EQ(finished.exit_code, integration::kDone) << finished;
  const std::string csv = os::text_of(file);
  for (const char* const line :
       {"subject", "\"machine\",\"\",\"processor\",", "\"machine\",\"\",\"libenet-dev\",",
        "\"network\",\"tickbox, lag 1\",\"total_us\",",
        "\"network\",\"enet once, lag 6\",\"received\",1\n",
        "\"network\",\"enet waiting, lag 2\",\"total_us\",",
        "\"network\",\"tickbox / enet once, lag 6\",\"total_us\","}) {
    EXPECT_TRUE(csv.contains(line)) << line << csv;
  }
}

TEST(Bench, EveryPacketIsTreatedAsItsNameSays) {
  const json document = document_of("net", {"--repeats", "3"});
  std::set<std::string> names;
  for (const json& line : document.at("packets")) {
    names.insert(line.at("name"));
    EXPECT_EQ(line.at("sound"), true) << line;
    EXPECT_GT(line.at("ns").get<double>(), 0) << line;
    EXPECT_GE(line.at("ns_median"), line.at("ns")) << line;
  }
  EXPECT_EQ(document.at("sound"), true);
  for (const char* name :
       {"seal", "open", "forged", "replayed", "malformed", "HELLO, answered by COOKIE",
        "CONNECT, a session", "RESUME, a session"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

/// The lines of all links whose name holds `name`: at 60 and at 30 snapshots a second.
json links_of(const std::string& name) {
  json lines = document_of("snapshots", {"--seconds", "3", "--only", name});
  EXPECT_EQ(lines.size(), 2U);
  for (const json& line : lines) {
    EXPECT_EQ(line.at("mismatches"), 0) << line;
    EXPECT_LE(line.at("datagram_bytes_max"), 1'200) << line;
    EXPECT_GT(line.at("members"), 64) << line;
  }
  return lines;
}

TEST(Bench, SnapshotsTakeFewBytes) {
  if (kIsSlowBuild) GTEST_SKIP();
  const json near = links_of("loopback");
  EXPECT_LE(near.at(0).at("bytes_per_second"), 3'500);
  EXPECT_LE(near.at(0).at("bytes_per_second_up"), 3'000);
  EXPECT_LE(near.at(1).at("bytes_per_second"), 2'500);
  EXPECT_GE(near.at(0).at("ratio_to_whole"), 20);
  EXPECT_EQ(near.at(0).at("predictions_exact"), 1);
  const json far = links_of("80 ms, 8 ms jitter");
  EXPECT_LE(far.at(0).at("bytes_per_second"), 7'000);
  EXPECT_LE(far.at(1).at("bytes_per_second"), 3'700);
  EXPECT_GE(far.at(0).at("ratio_to_whole"), 15);
  EXPECT_GE(far.at(0).at("predictions_exact"), 0.98);
  // A bump is no news: both ends step it.
  const json bumping = links_of("bumping all the time, no delay").at(0);
  EXPECT_GT(bumping.at("predictions_touched"),
            2 * near.at(0).at("predictions_touched").get<double>());
  EXPECT_LE(bumping.at("bytes_per_second"), 1.15 * near.at(0).at("bytes_per_second").get<double>());
  for (const json& at_rest : links_of("rest")) {
    EXPECT_LE(at_rest.at("bytes_per_second"), 600);
  }
}

TEST(Bench, SnapshotsCostAProcessorSomething) {
  if (kIsSlowBuild) GTEST_SKIP();
  for (const char* const clients : {"200 clients, wandering", "1000 clients, wild"}) {
    const Finished finished = integration::run(command("snapshots", {"--cost", "--only", clients}));
    ASSERT_EQ(finished.exit_code, integration::kDone) << finished;
    EXPECT_TRUE(finished.out.contains(clients)) << finished;
  }
}

/// Worlds with 100 bodies, for 40 ticks after the warm-up.
json worlds_of(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"--n", "100", "--ticks", "40", "--repeats", "2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return document_of("physics", std::move(arguments));
}

// The judges see what is wrong in peers, or they would see nothing in Tickbox either.
TEST(Bench, EveryWorldRunsInEveryEngineAndOnlyTickboxIsExact) {
  const json document = worlds_of({"--quiet"});
  ASSERT_EQ(document.at("worlds").size(), 4 * 3 + 5U);
  EXPECT_EQ(document.at("ratios").size(), 4 * 2 + 4U);
  int overlaps = 0;
  int tunnelled = 0;
  int moving = 0;
  for (const json& line : document.at("worlds")) {
    EXPECT_EQ(line.at("n"), 100) << line;
    // A tick in which all bodies sleep may be shorter than the clock can measure.
    EXPECT_TRUE(line.at("us_per_tick").get<double>() > 0 || line.value("moving", 1) == 0) << line;
    EXPECT_EQ(line.at("ticks"), 40) << line;
    EXPECT_EQ(line.at("repeats"), 2) << line;
    if (line.at("engine") != "tickbox") {
      overlaps += line.at("overlaps_most").get<int>();
      tunnelled += line.at("bullets_tunnelled").get<int>();
      moving += line.value("moving", 0);
      continue;
    }
    EXPECT_EQ(line.at("overlaps"), 0) << line;
    EXPECT_EQ(line.at("tunnelled"), 0) << line;
    EXPECT_EQ(line.at("repeatable"), true) << line;
    EXPECT_TRUE(line.at("world") != "S5" || line.at("moving") == 0) << line;
  }
  EXPECT_GT(overlaps, 0);
  EXPECT_GT(tunnelled, 0);
  EXPECT_GT(moving, 0);
}

TEST(Bench, PeersAreMadeAsTheirUsersDoUnlessOursAreAskedFor) {
  const json by_default = worlds_of({"--worlds", "S2"});
  const json boxes = worlds_of({"--worlds", "S2", "--peers", "boxes"});
  EXPECT_EQ(by_default.at("peer_bodies"), "tiles");
  EXPECT_EQ(boxes.at("peer_bodies"), "boxes");
  for (std::size_t i = 0; i < 3; ++i) {
    const json& line = by_default.at("worlds").at(i);
    // Tickbox goes its own way in both; among other tiles its peers go another.
    EXPECT_EQ(line.at("hash") == boxes.at("worlds").at(i).at("hash"),
              line.at("engine") == "tickbox")
        << line;
  }
}

TEST(Bench, ACsvHasALinePerWorldAndEngine) {
  const os::TemporaryFolder folder;
  const std::string file = folder.file("lines.csv");
  (void)worlds_of({"--worlds", "S1,S4", "--engines", "tickbox", "--csv", file});
  const std::string csv = os::text_of(file);
  EXPECT_EQ(integration::line_count(csv), 3U) << csv;
  EXPECT_TRUE(csv.contains("\nS4,100,tickbox,")) << csv;
}

TEST(Bench, WrongUsageIsToldInOneLineAndNothingRuns) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--worlds", "S6"},
                                             {"--worlds", "S1,,S2"},
                                             {"--engines", "boxtwod"},
                                             {"--n", "1e3"},
                                             {"--repeats", "0"},
                                             {"--peers", "best"},
                                             {"--density", "--n", "5"}}) {
    integration::expect_wrong_usage(command("physics", arguments), {arguments[0]});
  }
}

}  // namespace
}  // namespace tickbox::bench
