// What players of a recorded match wanted, played again against another server.

#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace tickbox::integration {
namespace {

/// The changes of each seat: tick, move, buttons, aim.
using Changes = std::vector<std::vector<int>>;

std::vector<Changes> changes_in(const std::string& path) {
  std::istringstream lines{os::text_of(path)};
  std::vector<Changes> players;
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(nlohmann::json::parse(line)["tickbox_inputs"], 1);
  while (std::getline(lines, line)) {
    players.push_back(nlohmann::json::parse(line)["inputs"].get<Changes>());
  }
  return players;
}

/// How many changes of `wanted` come again in `played`, all of them later by the same ticks.
std::size_t played_again(const Changes& wanted, const Changes& played) {
  std::map<int, std::size_t> by_delay;
  for (const auto& first : wanted) {
    for (const auto& second : played) {
      if (std::equal(first.begin() + 1, first.end(), second.begin() + 1, second.end())) {
        ++by_delay[second[0] - first[0]];
      }
    }
  }
  std::size_t most = 0;
  for (const auto& [delay, count] : by_delay) {
    most = std::max(most, count);
  }
  return most;
}

/// Plays against a server that records, and takes the inputs out of the recording.
std::vector<Changes> inputs_of_match(const os::TemporaryFolder& folder, const std::string& name,
                                     std::vector<std::string> load) {
  RunningServer server{{"--record", folder.file(name), "--max-clients", "4"}};
  load.insert(load.begin(), {"load", server.address(), "--ramp", "0", "--json"});
  const Finished played = run(tickbox(load));
  // On a busy machine figures are inconclusive, and the match was played all the same.
  constexpr int kInconclusive = 5;
  EXPECT_TRUE(played.exit_code == kDone || played.exit_code == kInconclusive) << played;
  EXPECT_EQ(server.stop().exit_code, kDone);
  const std::string recording = os::files_in(folder.file(name)).at(0);
  const Finished taken =
      run(tickbox({"replay", "inputs", recording, "-o", folder.file(name + ".inputs")}));
  EXPECT_EQ(taken.exit_code, kDone) << taken;
  return changes_in(folder.file(name + ".inputs"));
}

TEST(Inputs, OfARecordedMatchArePlayedAgainInTheSameTicks) {
  const os::TemporaryFolder folder;
  const auto wanted =
      inputs_of_match(folder, "first", {"--clients", "2", "--seconds", "1", "--bot", "stress"});
  ASSERT_EQ(wanted.size(), 2U);
  const auto played = inputs_of_match(folder, "second", {"--inputs", folder.file("first.inputs")});
  ASSERT_EQ(played.size(), 2U);
  for (const Changes& each : wanted) {
    // Both seats have random inputs of ten bits and more: half of them in step is no chance. Some
    // come late on a busy machine, and the server makes up others.
    const std::size_t most = std::max(played_again(each, played[0]), played_again(each, played[1]));
    EXPECT_GT(2 * most, each.size());
    EXPECT_GT(each.size(), 20U);
  }
}

// It was played at another rate, to some tick before its end, or by other rules, without a word.
TEST(Inputs, OfAnotherRateOrOtherRulesAreNotPlayed) {
  const os::TemporaryFolder folder;
  const RunningServer server;
  const auto refused = [&](const std::string& head, const std::string& recorded_by) {
    const std::string file = folder.write(
        "inputs", R"({"tickbox_inputs":1,)" + head + R"(,"first_tick":0,"ticks":600,"players":1})" +
                      "\n" + R"({"seat":0,"inputs":[[0,0,0,0]]})" + "\n");
    const Finished finished = run(tickbox({"load", server.address(), "--inputs", file}));
    EXPECT_EQ(finished.exit_code, kFailed) << finished;
    EXPECT_EQ(finished.err, "tickbox load: cannot play " + file +
                                ": it was recorded by the rules " + recorded_by +
                                ", and the server plays 'arena' at 60 Hz\n");
  };
  refused(R"("tick_rate":30,"rules":"arena")", "'arena' at 30 Hz");
  refused(R"("tick_rate":60,"rules":"chess")", "'chess' at 60 Hz");
}

TEST(Inputs, AFileThatIsNoneIsNamed) {
  const os::TemporaryFolder folder;
  const std::string file = folder.write("notes.txt", "no inputs\n");
  const Finished finished = run(tickbox({"load", "127.0.0.1:9", "--inputs", file}));
  EXPECT_EQ(finished.exit_code, kFailed) << finished;
  EXPECT_TRUE(finished.err.contains("cannot play " + file + ": line 1")) << finished.err;
  EXPECT_EQ(run(tickbox({"load", "127.0.0.1:9", "--inputs", file, "--clients", "2"})).exit_code,
            kWrongUsage);
}

}  // namespace
}  // namespace tickbox::integration
