// A server that stops hands its players over to another server, and they join it by themselves.

#include "net/transport.h"
#include "os/http/http.h"
#include "tests/integration/access.h"
#include "tests/support/sanitizers.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

namespace tickbox::integration {
namespace {

/// With more, sanitized clients do not keep up on a busy machine.
constexpr int kClients = tests::kHasSanitizer ? 8 : 64;
/// The most for which a client is away.
constexpr int kAwayMs = tests::kHasSanitizer ? 5'000 : 2'000;

class HandOverTest : public testing::Test {
 protected:
  [[nodiscard]] Strings arguments(int seats = kClients, const char* tick_rate = "20") const {
    return {"--tick-rate",        tick_rate, "--key-file",    keys_.file(),
            "--admin-token-file", token_,    "--max-clients", std::to_string(seats)};
  }

  [[nodiscard]] RunningServer start(int seats = kClients, const Strings& more = {}) const {
    Strings all = arguments(seats);
    all.insert(all.end(), more.begin(), more.end());
    return RunningServer{all};
  }

  /// Begins a load that plays until it is stopped.
  [[nodiscard]] Process play(const RunningServer& server, int clients) const {
    return Process{tickbox({"load", server.address(), "--key-file", keys_.file(), "--clients",
                            std::to_string(clients), "--ramp", "0", "--seconds", "60", "--net",
                            "delay=20ms,jitter=5ms,loss=1%", "--json"})};
  }

  /// Stops the load and returns its document.
  [[nodiscard]] static Document document(Process& load) {
    // A server has a client some time before the client knows: a way over the link, on a busy
    // machine.
    std::this_thread::sleep_for(std::chrono::milliseconds{500});
    load.signal(SIGINT);
    const Finished loaded = finish(load);
    EXPECT_EQ(loaded.exit_code, kInconclusive) << loaded;
    return Document{loaded.out};
  }

  static void expect_all_moved_twice(const Document& played) {
    EXPECT_EQ(played.number("clients.connected"), kClients);
    EXPECT_EQ(played.number("clients.dropped"), 0);
    EXPECT_EQ(played.number("clients.moved"), 2 * kClients);
    EXPECT_LE(played.number("outage_ms.max"), kAwayMs);
    EXPECT_GT(played.number("state_hash.checked"), kClients);
    EXPECT_EQ(played.number("state_hash.mismatched"), 0);
  }

  /// `admin`: the next admin side; empty: not named.
  static void hand_over(RunningServer& from, const RunningServer& to,
                        const std::string& admin = {}) {
    const std::string matches = admin.empty() ? "" : "&admin=" + admin;
    EXPECT_EQ(from.ask(os::HttpMethod::Post, "/drain", "to=" + to.address() + matches).status,
              202U);
    EXPECT_TRUE(logs(from, "handing_over to=" + to.address() + " clients="));
  }

  [[nodiscard]] std::string recordings(const std::string& of) const {
    return keys_.folder.file(of);
  }

  /// Verifies the only recording of a room, and returns what `replay info` says of it.
  [[nodiscard]] Document verified(const std::string& of, int room) const {
    const std::string end = "-room" + std::to_string(room) + ".tickbox";
    for (const auto& entry : std::filesystem::directory_iterator{recordings(of)}) {
      const std::string path = entry.path().string();
      if (!path.ends_with(end)) continue;
      EXPECT_GT(document_of(tickbox({"replay", "verify", path, "--json"})).number("ticks"), 0);
      return document_of(tickbox({"replay", "info", path, "--json"}));
    }
    throw std::runtime_error{of + " has no recording" + end};
  }

  Keys keys_;
  std::string token_ = write_admin_token(keys_.folder);
};

// A rolling update: each server ends by itself once its players have gone.
TEST_F(HandOverTest, NobodyIsLostWhenServersAreReplacedOneAfterTheOther) {
  RunningServer first = start();
  RunningServer second = start();
  RunningServer third{arguments(kClients, "30")};
  Process load = play(first, kClients);
  ASSERT_TRUE(first.wait_for_clients(kClients));
  hand_over(first, second);
  ASSERT_TRUE(second.wait_for_clients(kClients));
  expect_ended(first.ended(), kDone, {"stopping clients=0"});
  hand_over(second, third);
  ASSERT_TRUE(third.wait_for_clients(kClients));
  expect_ended(second.ended(), kDone, {"stopping clients=0"});
  const Document played = document(load);
  expect_all_moved_twice(played);
  EXPECT_EQ(played.number("clients.rejoined"), 2 * kClients);
}

// The match goes on with every tick, in bodies that the clients verify: no hash differs. The third
// server has an admin token of its own, so the order's token opens nothing there but the metrics.
TEST_F(HandOverTest, AMatchMovesWithItsPlayers) {
  const std::string matches = keys_.folder.write("matches-token", "a-token-of-the-servers\n");
  const std::string own = keys_.folder.write("own-token", "a-token-of-the-third-server\n");
  for (const std::string& file : {matches, own}) {
    std::filesystem::permissions(file, std::filesystem::perms{0600});
  }
  RunningServer first = start(kClients, {"--record", recordings("first")});
  RunningServer second =
      start(kClients, {"--record", recordings("second"), "--matches-token-file", matches});
  Strings of_third = arguments();
  *std::ranges::find(of_third, token_) = own;
  of_third.insert(of_third.end(),
                  {"--metrics-token-file", token_, "--matches-token-file", matches, "--record",
                   recordings("third"), "--rooms", "2", "--close-when-empty", "1s"});
  RunningServer third{of_third};
  Process load = play(first, kClients);
  ASSERT_TRUE(first.wait_for_clients(kClients));
  hand_over(first, second, second.admin());
  EXPECT_TRUE(logs(first, "match_moved room=1 to=" + second.address() + " next_room=2"));
  EXPECT_TRUE(logs(second, "players=" + std::to_string(kClients)));
  ASSERT_TRUE(second.wait_for_clients(kClients));
  expect_ended(first.ended(), kDone, {"stopping clients=0"});
  hand_over(second, third, third.admin());
  EXPECT_TRUE(logs(second, "match_moved room=2 to=" + third.address() + " next_room=3"));
  ASSERT_TRUE(third.wait_for_clients(kClients));
  expect_ended(second.ended(), kDone, {"stopping clients=0"});
  const Document played = document(load);
  expect_all_moved_twice(played);
  EXPECT_TRUE(logs(third, "room_closed room=3 shard=0 reason=empty"));
  EXPECT_EQ(third.stop().exit_code, kDone);
  // Each recording begins with the world with which the one before has ended, or with an earlier
  // one: a client that a busy machine holds up for three seconds plays on alone until then.
  const Document one = verified("first", 1);
  const Document two = verified("second", 2);
  const Document three = verified("third", 3);
  EXPECT_GT(two.number("first_tick"), 0);
  EXPECT_LE(two.number("first_tick"), one.number("last_tick"));
  EXPECT_GT(three.number("first_tick"), two.number("first_tick"));
  EXPECT_LE(three.number("first_tick"), two.number("last_tick"));
}

// Whatever keeps the match from the next server, the players get over.
TEST_F(HandOverTest, AMatchThatCannotMoveStaysAndThePlayersGo) {
  const auto nonsense = os::HttpServer::start({.bind = net::parse_address("127.0.0.1:0").value()},
                                              {.answer = [](const os::HttpRequest&) {
                                                return os::HttpResponse{.status = 201, .body = "?"};
                                              }});
  ASSERT_TRUE(nonsense) << nonsense.error();

  struct Case {
    int seats;          ///< of the next server
    std::string admin;  ///< empty: its own
    std::string why;
  };

  for (const Case& each :
       {Case{8, "", "--max-clients"}, Case{4, "127.0.0.1:1", "cannot connect"},
        Case{4, net::to_string((*nonsense)->local_address()), "names no room"}}) {
    RunningServer first = start(4);
    RunningServer second = start(each.seats);
    Process load = play(first, 4);
    ASSERT_TRUE(first.wait_for_clients(4));
    hand_over(first, second, each.admin.empty() ? second.admin() : each.admin);
    ASSERT_TRUE(second.wait_for_clients(4)) << each.why;
    const Document played = document(load);
    EXPECT_EQ(played.number("clients.dropped"), 0) << each.why;
    EXPECT_EQ(played.number("clients.moved"), 4) << each.why;
    EXPECT_EQ(played.number("state_hash.mismatched"), 0) << each.why;
    const Finished ended = first.ended();
    expect_ended(ended, kDone, {"match_not_moved room=1", each.why});
  }
}

// A server that hands its players over to one that is full keeps those that are not accepted.
TEST_F(HandOverTest, PlayersWhomTheNextServerRefusesPlayOn) {
  RunningServer first = start();
  RunningServer second = start(1);
  Process load = play(first, 2);
  ASSERT_TRUE(first.wait_for_clients(2));
  hand_over(first, second);
  ASSERT_TRUE(second.wait_for_clients(1));
  EXPECT_TRUE(logs(first, "session_resumed "));
  const Document played = document(load);
  EXPECT_EQ(played.number("clients.dropped"), 0);
  EXPECT_EQ(played.number("clients.moved"), 1);
  EXPECT_EQ(played.number("state_hash.mismatched"), 0);
  expect_ended(first.ended(), kDone, {"stopping clients=0"});
}

// Before the fix, each player left the first server when the second one accepted it. Then it found
// that it did not have the other rules, and had no seat any more.
TEST_F(HandOverTest, PlayersWhoseRulesTheNextServerDoesNotHavePlayOn) {
  RunningServer first = start();
  RunningServer second{faulty_server(arguments(), "FAULT_OTHER_RULES=1")};
  Process load = play(first, 4);
  ASSERT_TRUE(first.wait_for_clients(4));
  hand_over(first, second);
  const auto answers = [](const RunningServer& server, const char* result, int count) {
    return eventually([&] { return server.metric("tickbox_connections_total", result) == count; });
  };
  EXPECT_TRUE(answers(second, "refused_game_rules", 4));
  EXPECT_TRUE(answers(first, "resumed", 4));
  EXPECT_TRUE(first.wait_for_clients(4));
  EXPECT_EQ(second.metric("tickbox_clients"), 0);
  const Document played = document(load);
  EXPECT_EQ(played.number("clients.dropped"), 0);
  EXPECT_EQ(played.number("clients.moved"), 0);
  EXPECT_EQ(played.number("clients.rejoined"), 4);
  EXPECT_EQ(played.number("state_hash.mismatched"), 0);
  expect_ended(first.ended(), kDone, {"stopping clients=0"});
}

TEST_F(HandOverTest, PlayersJoinTheNextMatchWhereTheyAre) {
  RunningServer first = start();
  const RunningServer second{faulty_server(arguments(2), "FAULT_MATCH_TICKS=20")};
  Process load = play(first, 2);
  ASSERT_TRUE(first.wait_for_clients(2));
  hand_over(first, second);
  EXPECT_TRUE(
      eventually([&] { return second.metric("tickbox_connections_total", "accepted") > 3; }));
  const Document played = document(load);
  EXPECT_EQ(played.number("clients.dropped"), 0);
  EXPECT_GE(played.number("matches_ended"), 1);
}

TEST_F(HandOverTest, APersonIsToldWhereTheMatchGoesOn) {
  RunningServer first = start();
  const RunningServer second = start();
  Process player{tickbox({"connect", first.address(), "--key-file", keys_.file(), "--json"})};
  ASSERT_TRUE(first.wait_for_clients(1));
  EXPECT_EQ(first.ask(os::HttpMethod::Post, "/drain", "to=" + first.address()).status, 400U);
  hand_over(first, second);
  EXPECT_TRUE(player.wait_for_output(
      [&](const Output& output) {
        return output.err.contains("the server has handed this client over to " + second.address());
      },
      kPatience));
  player.signal(SIGINT);
  EXPECT_EQ(finish(player).exit_code, kDone);
}

}  // namespace
}  // namespace tickbox::integration
