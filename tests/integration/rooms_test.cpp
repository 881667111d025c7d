// A server with rooms of several games on several shards: rooms are there from the start, open and
// close while it runs, and each has its own clients, log and recording.

#include "tests/integration/access.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace tickbox::integration {
namespace {

using nlohmann::json;

/// A server with keys, orders and recordings.
class RoomsTest : public testing::Test {
 protected:
  [[nodiscard]] RunningServer start(const Strings& more) const {
    Strings arguments = {"--key-file", keys_.file(),       "--admin-token-file", token_,
                         "--record",   records().string(), "--max-clients",      "16"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunningServer{arguments};
  }

  [[nodiscard]] std::filesystem::path records() const { return keys_.folder.file("recordings"); }

  [[nodiscard]] static json status(const RunningServer& server) {
    return json::parse(server.ask(os::HttpMethod::Get, "/v1/status").body);
  }

  /// Plays for a moment with a token that names a room.
  [[nodiscard]] Finished play(const std::string& address, int room) const {
    static int number = 0;
    const std::string file = "token" + std::to_string(++number);
    EXPECT_EQ(token({"issue", "--key-file", keys_.file(), "--client", std::to_string(100 + number),
                     "--server", address, "--room", std::to_string(room), "--expires", "5m",
                     "--out", keys_.folder.file(file)})
                  .exit_code,
              kDone);
    return connect(address, {"--token", keys_.folder.file(file)});
  }

  Keys keys_;
  std::string token_ = write_admin_token(keys_.folder);
};

/// Returns the number of recordings of a room in a folder, after each was verified.
int verified(const std::filesystem::path& folder, int room) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    const std::string path = entry.path().string();
    if (!path.contains("-room" + std::to_string(room) + ".tickbox")) continue;
    const Document document = document_of(tickbox({"replay", "verify", path, "--json"}));
    EXPECT_GT(document.number("ticks"), 0) << path;
    ++files;
  }
  return files;
}

TEST_F(RoomsTest, OfSeveralGamesOnSeveralShardsAreServedByOneProcess) {
  RunningServer server = start({"--rooms", "arena=2,bomber=1", "--shards", "2"});
  const json ready = json::parse(server.ready_line());
  ASSERT_EQ(ready["rooms"].size(), 3U);
  std::vector<std::string> addresses;
  int number = 0;
  for (const json& room : ready["rooms"]) {
    EXPECT_EQ(room["room"], ++number);
    EXPECT_EQ(room["game"], number < 3 ? "arena" : "bomber");
    addresses.push_back(room["address"]);
  }
  EXPECT_NE(addresses[0], addresses[1]);
  EXPECT_EQ(addresses[0], addresses[2]);
  number = 0;
  for (const std::string& address : addresses) {
    const Finished played = play(address, ++number);
    expect_played(played);
    EXPECT_EQ(Document{played.out}.text("game"), number < 3 ? "arena" : "bomber");
  }
  expect_refused(play(addresses[1], 1), "room");
  expect_refused(play(addresses[0], 4), "room");
  const std::string metrics = server.ask(os::HttpMethod::Get, "/metrics").body;
  for (const char* sample : {"tickbox_rooms 3", "tickbox_shards 2", "tickbox_clients_max 48",
                             "tickbox_connections_total{result=\"accepted\"} 3"}) {
    EXPECT_TRUE(metrics.contains(std::string{"\n"} + sample + "\n")) << sample;
  }
  const json now = status(server);
  EXPECT_EQ(now["shards"].size(), 2U);
  ASSERT_EQ(now["rooms"].size(), 3U);
  EXPECT_EQ(now["rooms"][1]["shard"], 1);
  EXPECT_EQ(now["rooms"][2]["game"], "bomber");
  EXPECT_EQ(server.stop().exit_code, kDone);
  for (int room = 1; room <= 3; ++room) {
    EXPECT_EQ(verified(records(), room), 1) << room;
  }
}

TEST_F(RoomsTest, OpenWhileTheLimitOfTheRecordingsHasSpace) {
  RunningServer server = start({"--record-max-bytes", "512KiB"});
  const auto open = [&] { return server.ask(os::HttpMethod::Post, "/rooms", "game=arena"); };
  EXPECT_EQ(open().status, 201U);
  const os::HttpResponse refused = open();
  EXPECT_EQ(refused.status, 503U);
  EXPECT_EQ(refused.body, "2 rooms are open, the most for --record-max-bytes; close one\n");
  EXPECT_EQ(server.ask(os::HttpMethod::Delete, "/rooms/1").status, 200U);
  EXPECT_EQ(open().status, 201U);
}

TEST_F(RoomsTest, OpenAndCloseWhileTheServerRuns) {
  RunningServer server = start({"--rooms", "2", "--shards", "2"});
  const auto open = [&](std::string_view query) {
    return server.ask(os::HttpMethod::Post, "/rooms", query);
  };
  const os::HttpResponse opened = open("game=platformer&seed=18446744073709551615");
  ASSERT_EQ(opened.status, 201U) << opened.body;
  const json room = json::parse(opened.body);
  EXPECT_EQ(room["room"], 3);
  EXPECT_EQ(room["game"], "platformer");
  const std::string address = room["address"];
  const Finished played = play(address, 3);
  expect_played(played);
  EXPECT_EQ(Document{played.out}.text("game"), "platformer");
  EXPECT_EQ(open("game=chess").status, 400U);
  EXPECT_EQ(open("game=arena&map=none").status, 400U);
  EXPECT_EQ(open("game=arena&seed=-1").status, 400U);
  EXPECT_EQ(open("").status, 400U);
  EXPECT_EQ(status(server)["rooms"].size(), 3U);

  const auto close = [&](std::string_view path) {
    return server.ask(os::HttpMethod::Delete, path).status;
  };
  EXPECT_EQ(close("/rooms/3"), 200U);
  EXPECT_EQ(close("/rooms/3"), 404U);
  EXPECT_EQ(close("/rooms/77"), 404U);
  EXPECT_TRUE(eventually([&] { return status(server)["rooms"].size() == 2; }));
  EXPECT_EQ(server.ask(os::HttpMethod::Get, "/rooms/3/log").status, 404U);
  expect_refused(play(address, 3), "room");
  // Its recording is whole before the server ends.
  EXPECT_EQ(verified(records(), 3), 1);
  for (const auto& entry : std::filesystem::directory_iterator{records()}) {
    const std::string path = entry.path().string();
    if (!path.ends_with("-room3.tickbox")) continue;
    EXPECT_EQ(document_of(tickbox({"replay", "info", path, "--json"})).text("header.seed"),
              "18446744073709551615");
  }
  // A number is never given twice: an old token must not lead to another match.
  EXPECT_EQ(json::parse(open("game=arena").body)["room"], 4);
  const Finished ended = server.stop();
  EXPECT_EQ(ended.exit_code, kDone);
  const json recordings = json::parse(last_line(ended.out))["recordings"];
  EXPECT_EQ(recordings.size(), 4U) << recordings;
}

// The limit of the directory is one of all rooms. It holds after the last file of a room too.
TEST_F(RoomsTest, ThatAreClosedLeaveNoFilesBeyondTheLimit) {
  RunningServer server = start({"--record-max-bytes", "2MiB"});
  (void)keys_.folder.write("recordings/ballast", std::string(std::size_t{2} << 20U, 'b'));
  for (int room = 2; room <= 6; ++room) {
    ASSERT_EQ(server.ask(os::HttpMethod::Post, "/rooms", "game=arena").status, 201U);
    ASSERT_EQ(server.ask(os::HttpMethod::Delete, "/rooms/" + std::to_string(room)).status, 200U);
    EXPECT_TRUE(logs(server, "recording_ended room=" + std::to_string(room)));
  }
  EXPECT_TRUE(eventually([&] {
    return std::ranges::count_if(
               std::filesystem::directory_iterator{records()},
               [](const auto& file) { return file.path().extension() == ".tickbox"; }) == 1;
  })) << "that of room 1";
  const Finished ended = server.stop();
  EXPECT_EQ(ended.exit_code, kDone);
  const json recordings = json::parse(last_line(ended.out))["recordings"];
  ASSERT_EQ(recordings.size(), 1U) << recordings;
  EXPECT_TRUE(std::string{recordings[0]}.ends_with("-room1.tickbox")) << recordings;
}

// One that nobody has joined, and one that its player has left. Their places are free then.
TEST_F(RoomsTest, CloseByThemselvesWhenTheyAreEmpty) {
  RunningServer server = start(
      {"--rooms", "2", "--shards", "2", "--record-max-bytes", "1MiB", "--close-when-empty", "5s"});
  const auto open = [&] { return server.ask(os::HttpMethod::Post, "/rooms", "game=arena"); };
  ASSERT_EQ(open().status, 201U);
  const std::string address = json::parse(open().body)["address"];
  EXPECT_EQ(open().status, 503U);
  expect_played(play(address, 4));
  EXPECT_TRUE(logs(server, "room_closed room=3 shard=0 reason=empty"));
  EXPECT_TRUE(logs(server, "room_closed room=4 shard=1 reason=empty"));
  EXPECT_TRUE(eventually([&] { return status(server)["rooms"].size() == 2; }));
  EXPECT_EQ(status(server)["rooms"][1]["id"], 2) << "the rooms of the start stay open";
  EXPECT_EQ(server.ask(os::HttpMethod::Get, "/rooms/4/log").status, 404U);
  EXPECT_EQ(server.ask(os::HttpMethod::Delete, "/rooms/4").status, 404U);
  expect_refused(play(address, 4), "room");
  EXPECT_EQ(json::parse(open().body)["room"], 5);
  EXPECT_EQ(server.stop().exit_code, kDone);
  for (int room = 1; room <= 4; ++room) {
    EXPECT_EQ(verified(records(), room), 1) << room;
  }
}

TEST_F(RoomsTest, AreLoadedInTurn) {
  RunningServer server = start({"--rooms", "6", "--shards", "3"});
  const Finished loaded =
      run(tickbox({"load", server.address(), "--key-file", keys_.file(), "--rooms", "6", "--shards",
                   "3", "--clients", "24", "--threads", "2", "--seconds", "1", "--json"}));
  // On a busy machine figures are inconclusive, and the clients were in their rooms all the same.
  EXPECT_TRUE(loaded.exit_code == kDone || loaded.exit_code == kInconclusive) << loaded;
  const Document document{loaded.out};
  EXPECT_EQ(document.number("clients.connected"), 24);
  EXPECT_EQ(document.number("state_hash.mismatched"), 0);
  EXPECT_TRUE(server.ask(os::HttpMethod::Get, "/metrics")
                  .body.contains("tickbox_connections_total{result=\"accepted\"} 24\n"));
  // Before the fix, the server "did not have" the room.
  expect_ended(run(tickbox({"load", server.address(), "--key-file", keys_.file(), "--rooms", "6",
                            "--clients", "6", "--seconds", "0.2"})),
               kNotConnected, {"which is not at this port", "--shards N"});
  expect_wrong_usage(tickbox({"load", server.address(), "--shards", "2"}), {"--shards"});
  expect_wrong_usage(tickbox({"load", server.address(), "--rooms", "0"}), {"--rooms"});
  EXPECT_EQ(server.stop().exit_code, kDone);
  for (int room = 1; room <= 6; ++room) {
    EXPECT_EQ(verified(records(), room), 1) << room;
  }
}

// The second client of the first room makes its ticks take 40 ms. A shard that waited for another
// would fall behind with it.
TEST(SlowRoom, DelaysItsOwnShardAlone) {
  RunningServer server{
      faulty_server({"--rooms", "2", "--shards", "2", "--max-clients", "4"}, "FAULT_SLOW_MS=40")};
  Process load{tickbox({"load", server.address(), "--rooms", "2", "--shards", "2", "--clients", "3",
                        "--seconds", "4", "--json"})};
  const auto ticks = [&] {
    const json rooms = json::parse(server.get("/v1/status").body)["rooms"];
    return std::pair{rooms[0]["tick"].get<int>(), rooms[1]["tick"].get<int>()};
  };
  ASSERT_TRUE(server.wait_for_clients(3));
  const auto before = ticks();
  ASSERT_TRUE(eventually([&] { return ticks().first - before.first >= 50; }));
  const auto after = ticks();
  EXPECT_GT(after.second - before.second, (after.first - before.first) * 3 / 2);
  EXPECT_NE(finish(load).exit_code, kNotConnected);
  const json shards = json::parse(server.get("/v1/status").body)["shards"];
  EXPECT_GT(shards[0]["overruns"], 40);
  EXPECT_LT(shards[1]["overruns"], shards[0]["overruns"]);
}

TEST_F(RoomsTest, WhatTheOptionsCannotMeanIsSaid) {
  const auto expect_wrong = [](const Strings& more, const std::string& words) {
    expect_wrong_usage(tickbox_server(more), {words});
  };
  expect_wrong({"--rooms", "chess=2"}, "'chess' is not a game of this server; it has");
  expect_wrong({"--rooms", "arena"}, "'arena' is not GAME=N");
  expect_wrong({"--rooms", "arena=0"}, "give at least 1");
  expect_wrong({"--rooms", "arena=2,3"}, "'3' is not GAME=N");
  expect_wrong({"--rooms", "arena/none=2"}, "--rooms: ");
  expect_wrong({"--rooms", "arena=1025"}, "at most 1024");
  expect_wrong({"--shards", "2"}, "2 shards need as many rooms");
  expect_wrong({"--rooms", "arena=2", "--map", "x"}, "--map");
  expect_wrong({"--rooms", "8", "--record", "r", "--record-max-bytes", "1MiB"}, "256KiB each");
  expect_wrong({"--rooms", "4", "--shards", "4", "--port", "65534"}, "beyond 65535");
}

}  // namespace
}  // namespace tickbox::integration
