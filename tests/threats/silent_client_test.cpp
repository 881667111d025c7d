// Silent clients: a client proves its address once, among players, and then leaves it to another
// owner. What the server goes on sending there is the attacker's gain.

#include "protocol/messages.h"
#include "tests/support/sanitizers.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

namespace tickbox::tests::silent_client_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kPlayers = 60;

/// A match in which one client has just sent its first packet.
class SilentClientTest : public ::testing::Test {
 protected:
  SilentClientTest() {
    for (std::size_t i = 0; i < kPlayers; ++i) {
      harness.add_client();
    }
    harness.run_for(seconds{2});
    wire.listen([this](const Wire::Passed& passed) {
      if (passed.client != peer.address()) return;
      if (passed.where == Wire::Where::AtServer) up += passed.bytes.size();
      if (passed.where == Wire::Where::FromServer) down += passed.bytes.size();
    });
    EXPECT_TRUE(peer.connect(make_token(harness, net::KeyRing::published(), 77)).accepted);
    peer.stop_listening();
    up = 0;
    down = 0;
    peer.send_nothing_new();
  }

  Harness harness{{.seed = 151, .max_clients = 64}};
  Wire wire{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
  std::size_t up = 0;    ///< bytes from the client, after it was accepted
  std::size_t down = 0;  ///< bytes to the client
};

// Before the fix, one packet drew 131,684 bytes until the session timed out.
TEST_F(SilentClientTest, DrawsFewSnapshotsAfterItsOnePacket) {
  harness.run_for(seconds{7});
  EXPECT_EQ(harness.shard().clients(), kPlayers) << "the session has timed out";
  RecordProperty("bytes_up", static_cast<int>(up));
  RecordProperty("bytes_down", static_cast<int>(down));
  EXPECT_GT(down, 0U);
  EXPECT_LE(down, 20'000U) << up << " bytes up";
}

// Before the fix, such a client got a snapshot each second, and drew 20,000 bytes in a minute.
TEST_F(SilentClientTest, DrawsThreeTimesItsBytesInTheLongRun) {
  harness.run_for(milliseconds{4'900});
  peer.send_nothing_new();
  const std::size_t before = up;
  down = 0;
  for (int i = 0; i < (kHasSanitizer ? 4 : 12); ++i) {
    harness.run_for(milliseconds{4'900});
    peer.send_nothing_new();
  }
  RecordProperty("bytes_up", static_cast<int>(up - before));
  RecordProperty("bytes_down", static_cast<int>(down));
  EXPECT_EQ(harness.shard().clients(), kPlayers + 1) << "the session lives on";
  EXPECT_LE(down, 3 * up);
}

// The client names the newest tick in each packet, and guesses the receipt.
TEST_F(SilentClientTest, DrawsFewSnapshotsByAcknowledgementsWithoutProof) {
  constexpr int kSeconds = 10;
  const std::uint64_t wrong = harness.shard().metrics().snapshots.unproven;
  std::uint16_t guess = 0;
  for (int i = 0; i < 60 * kSeconds; ++i) {
    const Tick newest = harness.world().tick;
    peer.send_inputs({.view = protocol::ViewAck{.tick = newest, .receipt = ++guess},
                      .first_tick = newest + 2,
                      .inputs = {}});
    harness.run_for(milliseconds{1'000 / 60});
  }
  RecordProperty("bytes_up", static_cast<int>(up));
  RecordProperty("bytes_down", static_cast<int>(down));
  EXPECT_EQ(harness.shard().clients(), kPlayers + 1);
  EXPECT_GE(harness.shard().metrics().snapshots.unproven - wrong, 500U);
  EXPECT_LE(down, 30'000U) << up << " bytes up";
  EXPECT_LE(down, 2 * up);
}

}  // namespace
}  // namespace tickbox::tests::silent_client_test
