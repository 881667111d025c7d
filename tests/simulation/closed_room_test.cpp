// A game that closes its room, seen by its clients: they are disconnected, and others play the next
// match.

#include "tests/support/harness.h"
#include "tests/support/short_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::tests {
namespace {

using client::Connection;
using std::chrono::milliseconds;
using std::chrono::seconds;

HarnessOptions seconds_each() {
  return {.max_clients = kShortMatchSeats, .game = &short_match()};
}

HarnessOptions ten_seconds_each() {
  return {.game = &short_match()};
}

std::uint64_t told(Harness& harness) {
  return harness.shard()
      .metrics()
      .disconnects[static_cast<std::size_t>(net::DisconnectReason::MatchEnded)];
}

std::size_t lines_with(const Harness& harness, std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      harness.log().lines(), [text](const std::string& line) { return line.contains(text); }));
}

TEST(ClosedRoom, ItsClientsAreTold) {
  Harness harness{seconds_each()};
  const std::size_t player = harness.add_client();
  const std::size_t other = harness.add_client();
  harness.run_for(milliseconds{900});
  EXPECT_TRUE(harness.client(player).playing());
  harness.run_for(milliseconds{400});
  for (const std::size_t client : {player, other}) {
    EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Closed);
    EXPECT_EQ(harness.client(client).connection().reason(), "the match has ended");
  }
  EXPECT_EQ(harness.shard().clients(), 0U);
  EXPECT_EQ(harness.shard().seats_held(), 0U);
  EXPECT_EQ(told(harness), 2U);
  EXPECT_EQ(harness.shard().metrics().matches_ended, 1U);
  EXPECT_EQ(lines_with(harness, "match_ended room=1 tick=60 players=2"), 1U);
}

// A client may prove its keys in the tick in which the match ends, when it is in no match yet.
TEST(ClosedRoom, WhoComesAsItClosesPlaysTheNextMatch) {
  std::size_t played = 0;
  for (int ahead = 0; ahead < 60; ++ahead) {
    Harness harness{seconds_each()};
    harness.add_client();  // an empty room stands still, and no match ends in it
    harness.run_for(milliseconds{940 + ahead});
    const std::size_t client = harness.add_client({.delay = milliseconds{5}});
    harness.run_for(milliseconds{500});
    const Connection& connection = harness.client(client).connection();
    EXPECT_TRUE(harness.client(client).playing() || connection.reason() == "the match has ended")
        << ahead << ": " << connection.reason();
    played += harness.client(client).playing() ? 1U : 0U;
    EXPECT_EQ(harness.shard().seats_held(), harness.shard().clients());
  }
  EXPECT_GT(played, 20U);
}

TEST(ClosedRoom, ATicketOfItIsValidNoMore) {
  Harness harness{seconds_each()};
  const std::size_t client = harness.add_client();
  harness.run_for(milliseconds{1'300});
  harness.restart_with_ticket(client);
  harness.run_for(milliseconds{400});
  EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Refused);
}

TEST(ClosedRoom, ALostClientIsGoneWithIt) {
  Harness harness{ten_seconds_each()};
  const std::size_t lost = harness.add_client();
  harness.run_for(seconds{2});
  harness.silence(lost);
  harness.run_for(seconds{6});
  EXPECT_EQ(harness.shard().clients(), 0U);
  EXPECT_EQ(harness.shard().seats_held(), 1U) << "its body waits for it";
  std::vector<std::uint64_t> holders;
  harness.shard().copy_seat_holders(holders);
  EXPECT_EQ(holders.size(), 1U);
  harness.run_for(seconds{3});
  EXPECT_EQ(harness.shard().seats_held(), 0U);
  EXPECT_EQ(harness.world().rows_of_kind(kShortMatchPawn), 0U);
  harness.wake(lost);
  harness.run_for(seconds{8});
  EXPECT_EQ(harness.client(lost).connection().state(), Connection::State::Closed);
  EXPECT_EQ(harness.shard().seats_held(), 0U);
}

}  // namespace
}  // namespace tickbox::tests
