// A server that stops hands its players over to another server, and they join it by themselves.

#include "tests/integration/access.h"

#include <string>

namespace tickbox::integration {
namespace {

constexpr int kClients = 64;

class HandOverTest : public testing::Test {
 protected:
  [[nodiscard]] RunningServer start(int seats = kClients) const {
    Strings arguments = slow_server();
    arguments.insert(arguments.end(), {"--key-file", keys_.file(), "--admin-token-file", token_,
                                       "--max-clients", std::to_string(seats)});
    return RunningServer{arguments};
  }

  /// Begins a load that plays until it is stopped.
  [[nodiscard]] Process play(const RunningServer& server, int clients) const {
    return Process{tickbox({"load", server.address(), "--key-file", keys_.file(), "--clients",
                            std::to_string(clients), "--ramp", "0", "--seconds", "60", "--net",
                            "delay=20ms,jitter=5ms,loss=1%", "--json"})};
  }

  /// Stops the load and returns its document.
  [[nodiscard]] static Document document(Process& load) {
    load.signal(SIGINT);
    const Finished loaded = finish(load);
    EXPECT_EQ(loaded.exit_code, kInconclusive) << loaded;
    return Document{loaded.out};
  }

  static void hand_over(RunningServer& from, const RunningServer& to) {
    EXPECT_EQ(from.ask(os::HttpMethod::Post, "/drain", "to=" + to.address()).status, 202U);
    EXPECT_TRUE(logs(from, "handing_over to=" + to.address() + " clients="));
  }

  Keys keys_;
  std::string token_ = write_admin_token(keys_.folder);
};

// A rolling update: each server ends by itself once its players have gone.
TEST_F(HandOverTest, NobodyIsLostWhenServersAreReplacedOneAfterTheOther) {
  RunningServer first = start();
  RunningServer second = start();
  RunningServer third = start();
  Process load = play(first, kClients);
  ASSERT_TRUE(first.wait_for_clients(kClients));
  hand_over(first, second);
  ASSERT_TRUE(second.wait_for_clients(kClients));
  expect_ended(first.ended(), kDone, {"stopping clients=0"});
  hand_over(second, third);
  ASSERT_TRUE(third.wait_for_clients(kClients));
  expect_ended(second.ended(), kDone, {"stopping clients=0"});
  const Document played = document(load);
  EXPECT_EQ(played.number("clients.connected"), kClients);
  EXPECT_EQ(played.number("clients.dropped"), 0);
  EXPECT_EQ(played.number("clients.moved"), 2 * kClients);
  EXPECT_EQ(played.number("clients.rejoined"), 2 * kClients);
  EXPECT_LE(played.number("outage_ms.max"), 2'000);
  EXPECT_GT(played.number("state_hash.checked"), kClients);
  EXPECT_EQ(played.number("state_hash.mismatched"), 0);
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

TEST_F(HandOverTest, PlayersJoinTheNextMatchWhereTheyAre) {
  RunningServer first = start();
  Strings arguments = slow_server();
  arguments.insert(arguments.end(), {"--key-file", keys_.file(), "--max-clients", "2"});
  const RunningServer second{faulty_server(arguments, "FAULT_MATCH_TICKS=20")};
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
