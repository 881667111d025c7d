// What a player says to the game beside its inputs: the user bytes of its token, and commands.

#include "engine/state_hasher.h"
#include "net/connect_token.h"
#include "tests/support/declared_values.h"
#include "tests/support/harness.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const net::LinkConditions kBadLink{
    .delay = milliseconds{60}, .jitter = milliseconds{20}, .loss_ppm = 200'000};

net::TokenClaims claims_of(std::uint64_t client, std::string_view user) {
  net::TokenClaims claims{.client = client, .servers = {}, .user = {}};
  for (const char letter : user) {
    claims.user.push_back(static_cast<std::byte>(letter));
  }
  return claims;
}

/// A room of the menagerie that notes the commands of its tick records.
class PlayerDataTest : public ::testing::Test {
 protected:
  struct Commanded {
    Player player;
    std::int64_t x = 0;

    friend bool operator==(const Commanded&, const Commanded&) = default;
  };

  class Room : public Harness {
   public:
    explicit Room(const HarnessOptions& options = {.bot = "still", .game = &menagerie()})
        : Harness(options) {}

    std::vector<Commanded> commanded;

   protected:
    void tick() override {
      Harness::tick();
      for (const engine::Outcome& outcome : match().record().outcomes) {
        if (outcome.kind != engine::OutcomeKind::Commanded) continue;
        const auto x = field_value(look_at(), match().record().bytes_of(outcome), "x");
        commanded.push_back({.player = outcome.player, .x = x});
      }
    }
  };

  static const TypeInfo& look_at() { return menagerie().commands[0].type; }

  [[nodiscard]] Player player_of(std::size_t client) const {
    return {room_.client(client).connection().accept().player.value};
  }

  bool look(std::size_t client, std::int64_t x) {
    return room_.players()[client].client->command(
        0, value_with(look_at(), {{.field = "x", .value = x}}));
  }

  Room room_;
};

// The menagerie gives a player one more life for an odd number of bytes.
TEST_F(PlayerDataTest, TheUserBytesOfATokenReachTheGame) {
  for (const std::string_view user : {"", "x", "xy", "xyz"}) {
    const std::size_t client =
        room_.add_client({}, room_.make_token(claims_of(100 + user.size(), user)));
    room_.run_for(milliseconds{100});
    const Player player = player_of(client);
    ASSERT_TRUE(room_.world().has(player));
    const auto odd = static_cast<std::int64_t>(user.size() % 2);
    EXPECT_EQ(field_value(menagerie().seat, room_.world().seat_state(player), "left"),
              1 + player.seat % 2 + odd)
        << user;
  }
}

TEST_F(PlayerDataTest, CommandsReachTheGameOnceEachAndInOrder) {
  for (int i = 0; i < 4; ++i) {
    room_.add_client(kBadLink);
  }
  room_.run_for(seconds{2});
  std::vector<std::vector<Commanded>> said(4);
  for (std::int64_t round = 0; round < 60; ++round) {
    for (std::size_t client = 0; client < 4; ++client) {
      const std::int64_t x = (7 * round + static_cast<std::int64_t>(client)) % 30;
      if (look(client, x)) said[client].push_back({.player = player_of(client), .x = x});
    }
    room_.run_for(milliseconds{120});
  }
  room_.run_for(seconds{3});
  for (std::size_t client = 0; client < 4; ++client) {
    EXPECT_GT(said[client].size(), 40U);
    std::vector<Commanded> heard;
    std::ranges::copy_if(room_.commanded, std::back_inserter(heard),
                         [&](const Commanded& each) { return each.player == player_of(client); });
    EXPECT_EQ(heard, said[client]) << "client " << client;
    EXPECT_EQ(room_.client(client).stats().hashes_mismatched, 0U);
  }
  EXPECT_EQ(room_.shard().metrics().commands, room_.commanded.size());
}

// Commands beyond ten a second are not lost: up to ten wait in the client.
TEST_F(PlayerDataTest, NoMoreThanTenCommandsASecondAreTaken) {
  const std::size_t client = room_.add_client();
  room_.run_for(seconds{2});
  std::size_t said = 0;
  for (int ms = 0; ms < 5'000; ++ms) {
    said += look(client, 1) ? 1U : 0U;
    room_.run_for(milliseconds{1});
  }
  EXPECT_GE(said, 10U + 50U);
  EXPECT_LE(room_.commanded.size(), 10U + 10U * 5 + 1);
  EXPECT_GE(room_.commanded.size(), 10U * 5);
  EXPECT_EQ(room_.players()[client].client->command(0, value_with(look_at(), {})), false)
      << "ten wait";
  room_.run_for(seconds{2});
  EXPECT_EQ(room_.commanded.size(), said);
}

// Here a player gives commands together with its inputs, as keys and bots do.
TEST_F(PlayerDataTest, WhatAPlayerDecidesWithItsInputsReachesTheGame) {
  constexpr std::uint32_t kTicksBetween = 12;
  std::vector<std::int64_t> said;
  const auto player =
      [&said](const engine::GameOnMap&) -> std::expected<client::Decide, std::string> {
    return [&said, input = value_with(menagerie().input, {}), value = std::vector<std::byte>{},
            commands = std::vector<bots::PlayerCommand>{}](const bots::Seen& seen) mutable {
      commands.clear();
      if (seen.tick.value % kTicksBetween == 0 && said.size() < 20) {
        said.push_back(static_cast<std::int64_t>(said.size()));
        value = value_with(look_at(), {{.field = "x", .value = said.back()}});
        commands.push_back({.type = 0, .value = value});
      }
      return client::Decision{input, commands};
    };
  };
  Room room{
      {.player = [&](std::size_t) -> client::MakePlayer { return player; }, .game = &menagerie()}};
  room.add_client(kBadLink);
  room.run_for(seconds{10});
  std::vector<std::int64_t> heard;
  for (const Commanded& each : room.commanded) {
    heard.push_back(each.x);
  }
  EXPECT_EQ(said.size(), 20U);
  EXPECT_EQ(heard, said);
}

TEST_F(PlayerDataTest, TheCommandsOfAPlayerThatHasLeftAreForgotten) {
  const std::size_t client = room_.add_client();
  room_.run_for(seconds{1});
  const Player player = player_of(client);
  EXPECT_TRUE(look(client, 9));
  room_.run_for(milliseconds{17});
  room_.leave(client);
  room_.run_for(seconds{1});
  EXPECT_FALSE(room_.world().has(player));
  EXPECT_LE(room_.commanded.size(), 1U);
  EXPECT_FALSE(look(client, 9) && room_.client(client).connection().over()) << "nobody is asked";
}

}  // namespace
}  // namespace tickbox::tests
