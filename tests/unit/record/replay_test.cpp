#include "client/apps/replay.h"

#include "os/command_line.h"
#include "tests/unit/record/match.h"

#include "schema/record_generated.h"
#include "schema/world_generated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tickbox::apps {
namespace {

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;

  [[nodiscard]] nlohmann::json document() const {
    return nlohmann::json::parse(out, nullptr, false);
  }
};

/// Runs "tickbox replay …" in this process.
Outcome replay(std::vector<std::string> words) {
  CLI::App app;
  os::CommonFlags flags;
  os::prepare(app, "tests", "none", flags);
  app.require_subcommand(1);
  std::function<int()> run;
  add_replay(app, run);
  words.insert(words.begin(), {"tickbox", "replay"});
  std::vector<const char*> argv;
  for (const std::string& word : words) {
    argv.push_back(word.c_str());
  }
  Outcome outcome;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const auto ended = os::parse_or_exit_code(app, static_cast<int>(argv.size()), argv.data());
  outcome.exit_code = ended ? os::to_int(*ended) : run();
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

class ReplayCommand : public testing::Test {
 protected:
  /// Writes bytes to a file of this test and returns its path.
  std::string file_of(ConstBytes bytes) {
    const auto path = std::filesystem::path{testing::TempDir()} /
                      (std::string{testing::UnitTest::GetInstance()->current_test_info()->name()} +
                       std::to_string(++files_) + ".tickbox");
    std::ofstream stream{path, std::ios::binary | std::ios::trunc};
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    paths_.push_back(path);
    return path.string();
  }

  void TearDown() override {
    for (const auto& path : paths_) {
      std::filesystem::remove(path);
    }
  }

 private:
  int files_ = 0;
  std::vector<std::filesystem::path> paths_;
};

TEST_F(ReplayCommand, VerifiesAWholeRecording) {
  const std::string path = file_of(test::small_recording(3, 20));
  const Outcome outcome = replay({"verify", path, "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto document = outcome.document();
  EXPECT_EQ(document["ticks"], 60);
  EXPECT_EQ(document["mismatched"], 0);
  EXPECT_TRUE(document["first_mismatch"].is_null());
  EXPECT_EQ(document["complete"], true);
  EXPECT_EQ(document["segments"]["whole"], 3);
  EXPECT_EQ(document["segments"]["lost"], 0);
  EXPECT_EQ(document["recovered_ticks"], 0);
  EXPECT_GT(document["ticks_per_second"], 0);
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 1);

  const Outcome human = replay({"verify", path});
  EXPECT_EQ(human.exit_code, 0);
  EXPECT_NE(human.out.find("60 ticks stepped again"), std::string::npos) << human.out;
  EXPECT_NE(human.out.find("every hash equal"), std::string::npos) << human.out;
}

TEST_F(ReplayCommand, TakesACutFileForOneThatEndsEarly) {
  auto bytes = test::small_recording(2, 20);
  bytes.resize(bytes.size() - 100);
  const Outcome outcome = replay({"verify", file_of(bytes), "--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.document()["complete"], false);
  EXPECT_EQ(outcome.document()["mismatched"], 0);
  bytes.resize(50);
  const Outcome cut_header = replay({"verify", file_of(bytes), "--json"});
  EXPECT_EQ(cut_header.exit_code, 0);
  EXPECT_EQ(cut_header.document()["ticks"], 0);
  EXPECT_EQ(cut_header.document()["complete"], false);
}

TEST_F(ReplayCommand, ExitsThreeOnDamageInside) {
  auto bytes = test::small_recording(3, 20);
  bytes[bytes.size() / 2] ^= std::byte{1};
  const std::string path = file_of(bytes);
  const Outcome outcome = replay({"verify", path, "--json"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.document()["segments"]["lost"], 1);
  EXPECT_EQ(outcome.document()["segments"]["whole"], 2);
  EXPECT_GT(outcome.document()["recovered_ticks"], 0);
  const Outcome info = replay({"info", path, "--json"});
  EXPECT_EQ(info.exit_code, 3);
  EXPECT_EQ(info.document()["damages"], 1);
}

TEST_F(ReplayCommand, ExitsThreeOnAMismatchAndNamesIt) {
  auto bytes = test::small_recording(2, 20);
  const auto record = test::pieces(bytes)[5];
  auto* ticks = flatbuffers::GetMutableRoot<schema::Ticks>(bytes.data() + record.offset +
                                                           record::kRecordHeadBytes);
  auto* head = ticks->mutable_ticks()->GetMutableObject(0);
  head->mutate_state_hash(~head->state_hash());
  test::rechecksum(bytes);
  const Outcome outcome = replay({"verify", file_of(bytes), "--json"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.document()["mismatched"], 1);
  EXPECT_EQ(outcome.document()["first_mismatch"]["tick"], record.head.tick.value);
  EXPECT_EQ(outcome.document()["first_mismatch"]["field"], "state_hash");
}

TEST_F(ReplayCommand, ExitsOneWhereThereIsNoRecording) {
  const Outcome missing = replay({"verify", "/nonexistent/match.tickbox"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(std::ranges::count(missing.err, '\n'), 1) << missing.err;
  const std::string_view text = "{\"tick_rate\": 60}\n";
  const Outcome other = replay({"info", file_of(as_bytes_of(text))});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.err.find("not a recording"), std::string::npos) << other.err;
  EXPECT_TRUE(other.out.empty());
}

TEST_F(ReplayCommand, ExitsTwoOnWrongUsage) {
  const std::string path = file_of(test::small_recording(1, 10));
  EXPECT_EQ(replay({}).exit_code, 2);
  EXPECT_EQ(replay({"verify"}).exit_code, 2);
  EXPECT_EQ(replay({"verify", path, "--form", "3"}).exit_code, 2);
  EXPECT_EQ(replay({"verify", path, "--from", "many"}).exit_code, 2);
  EXPECT_EQ(replay({"verify", path, "--from", "5", "--to", "4"}).exit_code, 2);
  const Outcome beyond = replay({"verify", path, "--from", "11"});
  EXPECT_EQ(beyond.exit_code, 2);
  EXPECT_NE(beyond.err.find("--from 11"), std::string::npos) << beyond.err;
}

TEST_F(ReplayCommand, VerifiesARange) {
  const std::string path = file_of(test::small_recording(3, 10));
  const Outcome outcome = replay({"verify", path, "--from", "12", "--to", "25", "--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.document()["ticks"], 14);
}

TEST_F(ReplayCommand, TellsWhatARecordingHolds) {
  const auto bytes = test::small_recording(3, 20);
  const std::string path = file_of(bytes);
  const Outcome outcome = replay({"info", path, "--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  const auto document = outcome.document();
  EXPECT_EQ(document["bytes"], bytes.size());
  EXPECT_EQ(document["header"]["rules"], "arena");
  EXPECT_EQ(document["header"]["room"], 7);
  EXPECT_EQ(document["header"]["start"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(document["ticks"], 60);
  EXPECT_EQ(document["segments"], 3);
  EXPECT_EQ(document["complete"], true);
  EXPECT_NE(replay({"info", path}).out.find("complete"), std::string::npos);
}

}  // namespace
}  // namespace tickbox::apps
