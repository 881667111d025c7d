// Dead clients: a thousand that are never heard of again, some before their first packet and some
// after, take nothing with them: not their seats, not their sessions, not memory.

#include "tests/support/allocations.h"
#include "tests/threats/memory.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

namespace tickbox::tests {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// One in this many clients plays.
constexpr std::uint32_t kOneInPlays = 4;

/// Lets clients in, each with a token of its own. Every fourth one sends one packet, the others
/// none.
void send_wave(Harness& harness, Wire& wire, std::uint32_t clients, std::uint32_t wave) {
  for (std::uint32_t i = 0; i < clients; ++i) {
    RawPeer peer{harness, wire, stranger_far_away(1 + i)};
    const net::ConnectToken token =
        make_token(harness, net::KeyRing::published(), wave * clients + i);
    ASSERT_TRUE(peer.connect(token).accepted) << "client " << i << " of wave " << wave;
    if (i % kOneInPlays == 0) peer.send_nothing_new();
    peer.stop_listening();
  }
}

TEST(Threat, DeadClientsHoldNoMemoryForTenMinutes) {
  const std::uint32_t clients = sized(1'000, 200);
  Harness harness{{.seed = 121, .max_clients = clients, .meter = &allocations}};
  harness.restart_server();  // without a recording, which is meant to grow
  Wire wire{harness};
  send_wave(harness, wire, clients, 0);
  EXPECT_GT(harness.shard().clients(), clients / 5);
  harness.run_for(minutes{10});
  EXPECT_EQ(harness.shard().clients(), 0U);
  EXPECT_EQ(harness.shard().metrics().clients, 0U);
  const std::size_t crates = harness.world().size();

  // All seats are free: as many come again, and once more; the server is warm by then.
  send_wave(harness, wire, clients, 1);
  harness.run_for(seconds{60});
  EXPECT_EQ(harness.world().size(), crates);
  const std::int64_t resident_before = resident_bytes();
  [[maybe_unused]] const std::uint64_t allocations_before = harness.metered();
  [[maybe_unused]] const std::size_t lines_before = harness.log().lines().size();
  send_wave(harness, wire, clients, 2);
  harness.run_for(minutes{10});
  EXPECT_EQ(harness.shard().clients(), 0U);
  EXPECT_EQ(harness.world().size(), crates) << "bodies are left";
#ifndef TICKBOX_AUDIT  // whose check after each step allocates
  // Memory is requested by each session for its ACCEPT, by one that plays for its views and events
  // too, and by a line of the log for a few strings.
  constexpr std::uint64_t kPerClient = 8 + 300 / kOneInPlays;
  constexpr std::uint64_t kPerLine = 8;
  const std::size_t lines = harness.log().lines().size() - lines_before;
  EXPECT_LE(harness.metered() - allocations_before, kPerClient * clients + kPerLine * lines);
#endif
  if (kFullSize) {
    EXPECT_LE(resident_bytes() - resident_before, std::int64_t{1} << 20);
  }
}

// The dead clients come while another client plays on.
TEST(Threat, DeadClientsAreNotNoticedByTheLiving) {
  Harness harness{{.seed = 122, .max_clients = 64}};
  Wire wire{harness};
  const std::size_t living = harness.add_client();
  harness.run_for(seconds{1});
  send_wave(harness, wire, 60, 0);
  harness.run_for(seconds{40});
  EXPECT_EQ(harness.shard().clients(), 1U);
  EXPECT_EQ(harness.client(living).stats().hashes_mismatched, 0U);
  EXPECT_EQ(harness.client(living).stats().packets_lost, 0U);
}

}  // namespace
}  // namespace tickbox::tests
