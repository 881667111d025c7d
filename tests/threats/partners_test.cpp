// Wrong partners: a server and clients that have another game, or another version, other rules or
// another map of the same game. Each client that differs refuses in one line, and nothing is
// played. A client with the same game plays on.

#include "games/arena/arena.h"
#include "tests/support/harness.h"
#include "tickbox/game.h"

#include <gtest/gtest.h>

#include <string>

namespace tickbox::tests::partners_test {
namespace {

using std::chrono::seconds;

constexpr std::uint32_t kSeats = 8;

GameTable arcade() {
  GameTable game = games::arena();
  game.name = "arcade";
  return game;
}

GameTable next_version() {
  GameTable game = games::arena();
  ++game.version;
  return game;
}

/// A player that is hit stays where it is. No declaration differs.
GameTable other_rules() {
  GameTable game = games::arena();
  game.decide = nullptr;
  return game;
}

/// One wall more, in rooms of this test alone: the rules and all other maps are the same.
GameTable other_map() {
  GameTable game = games::arena();
  game.map = [](MapBuilder& builder, const MapOptions& options) {
    games::arena().map(builder, options);
    if (options.seats == kSeats) builder.solid({-kUnit, -kUnit}, {kUnit, kUnit});
  };
  return game;
}

struct Partners {
  const char* name;
  GameTable (*server)();
  GameTable (*client)();
  net::RefuseReason refused{};
  const char* reason;
};

GameTable arena() {
  return games::arena();
}

constexpr const char* kOtherRules =
    "the server plays the same version of arena, but its rules differ here: other code, constants "
    "or declarations, or memory outside of the state; build both ends from one source, and run "
    "NAME-laws";

const Partners kPartners[] = {
    {.name = "AnotherGame",
     .server = arena,
     .client = arcade,
     .refused = net::RefuseReason::GameVersion,
     .reason = "the server plays \"arena\", which this program does not have; it has arcade"},
    {.name = "AnotherGameOfTheServer",
     .server = arcade,
     .client = arena,
     .refused = net::RefuseReason::GameVersion,
     .reason = "the server plays \"arcade\", which this program does not have; it has arena"},
    {.name = "ANewerClient",
     .server = arena,
     .client = next_version,
     .refused = net::RefuseReason::GameVersion,
     .reason = "the server plays arena 2, not 3; use the same build at both ends"},
    {.name = "AnOlderClient",
     .server = next_version,
     .client = arena,
     .refused = net::RefuseReason::GameVersion,
     .reason = "the server plays arena 3, not 2; use the same build at both ends"},
    {.name = "OtherRules",
     .server = arena,
     .client = other_rules,
     .refused = net::RefuseReason::GameRules,
     .reason = kOtherRules},
    {.name = "OtherRulesOfTheServer",
     .server = other_rules,
     .client = arena,
     .refused = net::RefuseReason::GameRules,
     .reason = kOtherRules},
    {.name = "AnotherMap",
     .server = arena,
     .client = other_map,
     .refused = net::RefuseReason::Map,
     .reason = "the server plays another map of arena; build both ends from one source"},
    {.name = "AnotherMapOfTheServer",
     .server = other_map,
     .client = arena,
     .refused = net::RefuseReason::Map,
     .reason = "the server plays another map of arena; build both ends from one source"},
};

class WrongPartnersTest : public testing::TestWithParam<Partners> {};

TEST_P(WrongPartnersTest, AreRefusedInOneLineAndPlayNothing) {
  const GameTable server = GetParam().server();
  const GameTable wrong = GetParam().client();
  Harness harness{
      {.seed = 161, .max_clients = kSeats, .game = &server, .client_game = [&](std::size_t client) {
         return client == 0 ? &server : &wrong;
       }}};
  const std::size_t right = harness.add_client();
  const std::size_t player = harness.add_client();
  const std::size_t other = harness.add_client();
  harness.run_for(seconds{3});
  for (const std::size_t client : {player, other}) {
    const client::Client& refused = harness.client(client);
    EXPECT_EQ(refused.connection().state(), client::Connection::State::Refused);
    EXPECT_EQ(refused.connection().refused(), GetParam().refused);
    EXPECT_EQ(refused.connection().reason(), GetParam().reason);
    EXPECT_EQ(refused.connection().sessions(), 1U) << "it asks no second time";
    EXPECT_FALSE(refused.playing());
    EXPECT_EQ(refused.assets(), nullptr);
    EXPECT_EQ(refused.view(), nullptr);
    EXPECT_EQ(refused.stats().ticks, 0U);
    EXPECT_EQ(refused.stats().inputs_sent, 0U);
    EXPECT_TRUE(harness.players()[client].inputs.empty());
    EXPECT_TRUE(harness.players()[client].events.empty());
  }
  const server::Metrics& metrics = harness.shard().metrics();
  EXPECT_EQ(metrics.refusals[static_cast<std::size_t>(GetParam().refused)], 2U);
  EXPECT_EQ(metrics.drops.total(), 0U);
  EXPECT_EQ(harness.shard().clients(), 1U);
  const auto& lines = harness.log().lines();
  EXPECT_EQ(std::ranges::count_if(
                lines, [](const std::string& line) { return line.starts_with("session_opened"); }),
            1)
      << "of the right client alone";
  const std::string line =
      "connection_refused reason=" + std::string{name_of(GetParam().refused)} + " client=";
  EXPECT_TRUE(
      std::ranges::any_of(lines, [&](const std::string& each) { return each.starts_with(line); }));
  EXPECT_TRUE(harness.client(right).playing());
  EXPECT_EQ(harness.client(right).stats().hashes_mismatched, 0U);
  EXPECT_EQ(harness.client(right).stats().packets_lost, 0U);
  EXPECT_EQ(harness.log().errors(), 0);
}

// The refused client held a seat of the full server for a round trip.
TEST_P(WrongPartnersTest, LeaveTheirSeatAndTheirTokenToTheRightBuild) {
  const GameTable server = GetParam().server();
  const GameTable wrong = GetParam().client();
  Harness harness{
      {.seed = 162, .max_clients = kSeats, .game = &server, .client_game = [&](std::size_t client) {
         return client == kSeats - 1 ? &wrong : &server;
       }}};
  for (std::uint32_t seat = 1; seat < kSeats; ++seat) {
    harness.add_client();
  }
  const net::ConnectToken token = harness.make_token(7);
  const std::size_t refused = harness.add_client({}, token);
  harness.run_for(seconds{1});
  EXPECT_TRUE(harness.client(refused).connection().over());
  EXPECT_EQ(harness.shard().clients(), kSeats - 1);
  const std::size_t right = harness.add_client({}, token);
  harness.run_for(seconds{1});
  EXPECT_TRUE(harness.client(right).playing());
}

INSTANTIATE_TEST_SUITE_P(Threat, WrongPartnersTest, testing::ValuesIn(kPartners),
                         [](const auto& partners) { return std::string{partners.param.name}; });

}  // namespace
}  // namespace tickbox::tests::partners_test
