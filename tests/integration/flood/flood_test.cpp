// A real server under attack, with eight clients that play and verify meanwhile: nobody is lost,
// nothing differs, nothing is amplified, and newcomers get in.

#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <csignal>

namespace tickbox::integration {
namespace {

using Strings = std::vector<std::string>;

constexpr int kPlayers = 8;

/// Few enough for a sanitized server on a busy machine.
const std::string kRate = "10000";

/// How an attack ended, and what the eight say of it.
struct Outcome {
  Finished attack;
  Finished newcomer;
  Finished players;
};

Command flood(const RunningServer& server, const Strings& arguments) {
  Command command{.program = tests::built_program("tickbox-flood"),
                  .arguments = {server.address(), "--json"}};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return command;
}

/// Eight clients play for two seconds. In one of these seconds the server is attacked, and somebody
/// else connects.
Outcome attack(const RunningServer& server, const Strings& arguments) {
  Process players{tickbox({"load", server.address(), "--clients", std::to_string(kPlayers),
                           "--ramp", "0", "--seconds", "2", "--json"})};
  if (!server.wait_for_clients(kPlayers)) throw std::runtime_error{"the players do not get in"};
  Strings all{"--time", "1s"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const double before = server.metric("tickbox_packets_total", "in");
  Process attacker{flood(server, all)};
  const bool began =
      eventually([&] { return server.metric("tickbox_packets_total", "in") > before + 2'000; });
  if (!began) throw std::runtime_error{"the attack does not arrive"};
  const Finished newcomer =
      run(tickbox({"connect", server.address(), "--seconds", "0.2", "--json"}));
  return {.attack = finish(attacker), .newcomer = newcomer, .players = finish(players)};
}

void expect_undisturbed(const Outcome& outcome) {
  EXPECT_EQ(outcome.attack.exit_code, kDone) << outcome.attack;
  EXPECT_EQ(outcome.newcomer.exit_code, kDone) << outcome.newcomer;
  EXPECT_TRUE(outcome.players.exit_code == kDone || outcome.players.exit_code == kInconclusive)
      << outcome.players;
  const Document players{outcome.players.out};
  EXPECT_EQ(players.number("clients.connected"), kPlayers);
  EXPECT_EQ(players.number("clients.dropped"), 0);
  EXPECT_GT(players.number("state_hash.checked"), 0);
  EXPECT_EQ(players.number("state_hash.mismatched"), 0);
  EXPECT_GT(Document{outcome.attack.out}.number("sent"), 2'000);
}

/// Strangers never receive more than they sent.
void expect_nothing_amplified(const Outcome& outcome) {
  const Document attack{outcome.attack.out};
  EXPECT_LT(attack.number("bytes_answered"), attack.number("bytes_sent"));
}

TEST(Flood, MalformedDatagramsDisturbNobody) {
  const RunningServer server;
  const Outcome outcome = attack(server, {"--kind", "malformed", "--rate", kRate});
  expect_undisturbed(outcome);
  expect_nothing_amplified(outcome);
  for (const char* reason :
       {"too_short", "too_long", "unknown_type", "unknown_connection", "bad_cookie"}) {
    EXPECT_GT(server.metric("tickbox_packets_dropped_total", reason), 0) << reason;
  }
  EXPECT_EQ(server.get("/livez").status, 200U);
}

TEST(Flood, HellosFromManyAddressesLeaveNothingBehind) {
  const RunningServer server;
  const Outcome outcome = attack(server, {"--kind", "hello", "--rate", kRate});
  expect_undisturbed(outcome);
  expect_nothing_amplified(outcome);
  EXPECT_GT(Document{outcome.attack.out}.number("answers"), 0);
  EXPECT_EQ(server.metric("tickbox_connections_total", "accepted"), kPlayers + 1);
  EXPECT_TRUE(server.wait_for_goodbyes(kPlayers + 1));
}

TEST(Flood, TicketsThatDoNotOpenKeepNobodyOut) {
  const RunningServer server;
  const Outcome outcome = attack(server, {"--kind", "resume", "--rate", kRate});
  expect_undisturbed(outcome);
  expect_nothing_amplified(outcome);
  EXPECT_EQ(server.metric("tickbox_connections_total", "resumed"), 0);
}

// Connection ids are drawn, so who guesses finds none.
TEST(Flood, PacketsOfGuessedConnectionsKeepNobodyOut) {
  const RunningServer server;
  const Outcome outcome = attack(server, {"--kind", "packets", "--rate", kRate});
  expect_undisturbed(outcome);
  EXPECT_EQ(Document{outcome.attack.out}.number("answers"), 0);
  EXPECT_GT(server.metric("tickbox_packets_dropped_total", "unknown_connection"), 0);
}

TEST(Flood, AClientThatSendsAHundredTimesTooMuchIsHeldToItsShare) {
  const RunningServer server;
  const Outcome outcome = attack(server, {"--kind", "client", "--times", "100"});
  expect_undisturbed(outcome);
  EXPECT_GT(server.metric("tickbox_packets_dropped_total", "rate_limited"), 0);
  EXPECT_GT(Document{outcome.attack.out}.number("snapshots"), 0) << "it plays on as well";
}

// Twice as many HELLOs as a server answers. A newcomer sends some four HELLOs a second, and the
// server answers about every second one. On a busy machine the kernel loses most of them. So the
// newcomer tries again, for as long as the flood lasts.
TEST(Flood, AnEmptyServerLetsNewcomersInAmongHellos) {
  const RunningServer server;
  Process attacker{flood(server, {"--kind", "hello", "--rate", "40000", "--time", "60s"})};
  ASSERT_TRUE(eventually([&] { return server.metric("tickbox_packets_total", "in") > 10'000; }));
  bool let_in = false;
  for (int tries = 0; !let_in && tries < 12; ++tries) {
    let_in = run(tickbox({"connect", server.address(), "--seconds", "0.2"})).exit_code == kDone;
  }
  EXPECT_TRUE(let_in);
  attacker.signal(SIGTERM);
  EXPECT_EQ(finish(attacker).exit_code, kDone);
}

TEST(Flood, OnlyThisMachineCanBeAttacked) {
  for (const char* server : {"192.0.2.1:7777", "[2001:db8::1]:7777", "0.0.0.0:7777"}) {
    expect_one_line(run({.program = tests::built_program("tickbox-flood"),
                         .arguments = {server, "--time", "1s"}}),
                    kWrongUsage, {});
  }
}

}  // namespace
}  // namespace tickbox::integration
