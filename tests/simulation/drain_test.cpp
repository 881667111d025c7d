// A server that drains: its clients play on, and are sent the time that is left. New clients are
// refused. A client that has lost its link may return.

#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>

namespace tickbox::tests {
namespace {

using client::Connection;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr net::LinkConditions kLossy{.delay = milliseconds{40}, .loss_ppm = 300'000};

const Connection& connection_of(const Harness& harness, std::size_t client) {
  return harness.client(client).connection();
}

TEST(Drain, ItsClientsPlayOnAndKnowTheEnd) {
  Harness harness{{.seed = 3}};
  const std::size_t player = harness.add_client();
  const std::size_t far_away = harness.add_client(kLossy);
  harness.run_for(seconds{2});
  EXPECT_FALSE(connection_of(harness, player).drains_to());

  const Instant end = harness.now() + seconds{20};
  harness.shard().drain(end);
  harness.run_for(seconds{10});
  for (const std::size_t client : {player, far_away}) {
    const auto told = connection_of(harness, client).drains_to();
    ASSERT_TRUE(told) << client;
    EXPECT_GE(*told, end) << client;
    EXPECT_LE(*told, end + milliseconds{100}) << client;
    // The event comes once, not with each repeat.
    const auto& drains = harness.players()[client].drains;
    ASSERT_EQ(drains.size(), 1U) << client;
    EXPECT_GT(drains[0], seconds{10}) << client;
    EXPECT_LE(drains[0], seconds{20}) << client;
    EXPECT_EQ(connection_of(harness, client).state(), Connection::State::Connected) << client;
    EXPECT_EQ(harness.client(client).stats().hashes_mismatched, 0U) << client;
    EXPECT_EQ(connection_of(harness, client).drops().total(), 0U) << client;
  }
  EXPECT_TRUE(harness.client(player).playing());
}

TEST(Drain, NobodyNewComesIn) {
  Harness harness{{.seed = 4}};
  harness.add_client();
  harness.run_for(seconds{1});
  harness.shard().drain(harness.now() + seconds{60});
  const std::size_t late = harness.add_client();
  harness.run_for(seconds{3});
  EXPECT_EQ(connection_of(harness, late).state(), Connection::State::Refused);
  EXPECT_EQ(connection_of(harness, late).refused(), net::RefuseReason::Draining);
  EXPECT_EQ(harness.shard().clients(), 1U);
}

TEST(Drain, AClientThatHoldsASeatMayReturn) {
  Harness harness{{.seed = 5}};
  const std::size_t by_ticket = harness.add_client();
  const std::size_t by_token = harness.add_client({}, harness.make_token(77));
  harness.run_for(seconds{1});
  const Instant end = harness.now() + seconds{60};
  harness.shard().drain(end);
  harness.run_for(seconds{1});
  harness.restart_with_ticket(by_ticket);
  harness.restart_client(
      by_token, {.server = SimulatedNetwork::server_address(), .token = harness.make_token(77)});
  harness.run_for(seconds{3});
  for (const std::size_t client : {by_ticket, by_token}) {
    EXPECT_EQ(connection_of(harness, client).state(), Connection::State::Connected) << client;
    EXPECT_TRUE(connection_of(harness, client).drains_to()) << "told again in its new session";
  }
  EXPECT_EQ(harness.shard().seats_held(), 2U);
}

}  // namespace
}  // namespace tickbox::tests
