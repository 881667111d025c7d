// A server in whose room bits flip: a client, the server's own log, the files of both ends and its
// recording say which.

#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::integration {
namespace {

using nlohmann::json;

/// Some seconds after the server's start, as a busy machine may be slow to bring the client in.
constexpr int kFlippedAt = 300;
constexpr const char* kFlippedField = "x";
/// The first entity that the server has spawned: class 1, lineage 4,096, tick 0.
constexpr std::uint64_t kFirstCrate = (1ULL << 62) + (4'096ULL << 40);

class FlippedRoom : public testing::Test {
 protected:
  const os::TemporaryFolder folder_;
  const std::string clients_ = folder_.file("of-clients");
  const std::string servers_ = folder_.file("of-the-server");
  const std::string recordings_ = folder_.file("recordings");
  RunningServer server_{
      faulty_server({"--max-clients", "16", "--desync-dir", servers_, "--record", recordings_},
                    "FAULT_FLIP_AT=" + std::to_string(kFlippedAt))};
};

std::vector<json> desyncs_in(const std::string& folder) {
  std::vector<json> desyncs;
  for (const std::string& file : os::files_in(folder)) {
    desyncs.push_back(json::parse(os::text_of(file)));
  }
  return desyncs;
}

void expect_a_flipped_bit(const json& desync) {
  SCOPED_TRACE(desync.dump());
  ASSERT_EQ(desync.at("ended"), "compared");
  EXPECT_GE(desync.at("tick"), kFlippedAt);
  const json& first = desync.at("difference").at("first");
  EXPECT_TRUE(first.at("subject").get<std::string>().starts_with("Crate ")) << first;
  bool named = false;
  for (const json& field : first.at("fields")) {
    if (field.at("field") != kFlippedField) continue;
    named = true;
    EXPECT_NE(field.at("server"), field.at("client"));
  }
  EXPECT_TRUE(named);
}

TEST_F(FlippedRoom, IsNoticedByAClientAndNamedByBothEnds) {
  const Finished client =
      run(tickbox({"connect", server_.address(), "--seconds", "9", "--desync-dir", clients_}));
  expect_ended(client, kCheckFailed, {"desync "});
  const Finished server = server_.stop();
  expect_ended(server, kDone, {"desync "});
  EXPECT_FALSE(server.err.contains("state_hash_mismatch")) << "one desync is one line\n" << server;
  const auto of_client = desyncs_in(clients_);
  const auto of_server = desyncs_in(servers_);
  ASSERT_FALSE(of_client.empty());
  ASSERT_EQ(of_client.size(), of_server.size());
  for (std::size_t i = 0; i < of_client.size(); ++i) {
    EXPECT_EQ(of_client[i].at("side"), "client");
    EXPECT_EQ(of_server[i].at("side"), "server");
    expect_a_flipped_bit(of_client[i]);
    for (const char* const same : {"seat", "tick", "base_tick", "expected", "got", "difference",
                                   "server_view", "client_view"}) {
      EXPECT_EQ(of_client[i].at(same), of_server[i].at(same)) << same;
    }
  }
}

TEST_F(FlippedRoom, IsNoticedByClientsOnSeveralThreads) {
  const Finished load =
      run(tickbox({"load", server_.address(), "--clients", "6", "--threads", "3", "--ramp", "0",
                   "--seconds", "9", "--bot", "still", "--desync-dir", clients_, "--json"}));
  expect_ended(load, kCheckFailed, {"hashes differ"});
  EXPECT_GT(Document{load.out}.number("state_hash.mismatched"), 1);
  std::istringstream lines{load.err};
  int desyncs = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto of_desync = line.find("desync ");
    if (of_desync == std::string::npos) continue;
    ++desyncs;
    EXPECT_EQ(line.find("desync ", of_desync + 1), std::string::npos) << "one line each: " << line;
  }
  EXPECT_GE(desyncs, 1) << load;
  EXPECT_LE(desyncs, 10) << load;
  for (const json& desync : desyncs_in(clients_)) {
    expect_a_flipped_bit(desync);
  }
}

TEST_F(FlippedRoom, IsExplainedToAPersonWithTheNextCommand) {
  (void)run(tickbox({"connect", server_.address(), "--seconds", "9", "--desync-dir", clients_}));
  (void)server_.stop();
  const auto desyncs = desyncs_in(clients_);
  ASSERT_FALSE(desyncs.empty());
  const std::string explanation = desyncs.front().at("explanation");
  constexpr std::string_view kNext = "tickbox replay verify RECORDING --from ";
  for (const std::string_view words : {std::string_view{"Crate 4 of the server, spawned in tick 0"},
                                       std::string_view{"only the server's value has changed"},
                                       std::string_view{"nothing entered for it"}, kNext}) {
    EXPECT_TRUE(explanation.contains(words)) << words << "\n" << explanation;
  }
  std::istringstream next{explanation.substr(explanation.find(kNext))};
  std::vector<std::string> words{std::istream_iterator<std::string>{next}, {}};
  words.resize(8);
  words.at(3) = os::files_in(recordings_).at(0);
  words.erase(words.begin());
  EXPECT_EQ(run(tickbox(words)).exit_code, kCheckFailed) << explanation;
}

// While somebody plays, each tick has its hash, and a keyframe every 5 s has the room as it is:
// what follows it verifies again.
TEST_F(FlippedRoom, IsFoundInItsRecordingAtThatTick) {
  (void)run(tickbox({"connect", server_.address(), "--seconds", "9", "--bot", "still"}));
  (void)server_.stop();
  const auto files = os::recordings_in(recordings_);
  ASSERT_EQ(files.size(), 1U);
  const Finished verified = run(tickbox({"replay", "verify", files.front(), "--json"}));
  EXPECT_EQ(verified.exit_code, kCheckFailed) << verified;
  const Document document{verified.out};
  EXPECT_EQ(document.number("first_mismatch.tick"), kFlippedAt);
  EXPECT_EQ(document.text("first_mismatch.entity"), std::to_string(kFirstCrate));
  EXPECT_EQ(document.text("first_mismatch.field"), kFlippedField);
}

}  // namespace
}  // namespace tickbox::integration
