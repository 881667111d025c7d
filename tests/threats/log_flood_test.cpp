// Log floods: whatever comes, and however often, the log stays short. The counters count
// everything.

#include "protocol/messages.h"
#include "tests/threats/memory.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <deque>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Returns how many lines of one kind may be written in a time: the burst, what the rate gives, and
/// one more for rounding.
std::size_t lines_in(Duration duration) {
  return static_cast<std::size_t>(
      server::kLogLines.burst +
      server::kLogLines.per_second * std::chrono::duration_cast<seconds>(duration).count() + 1);
}

// A million bad packets in a minute and a half. Then a client that was let in sends some more, with
// other reasons to be dropped.
TEST(Threat, LogFloodByAMillionBadPacketsMakesFewerThanAHundredLines) {
  const std::uint32_t in_all = sized(1'000'000, 50'000);
  Harness harness{{.seed = 131}};
  Wire wire{harness};
  const std::size_t player = harness.add_client();
  RawPeer peer{harness, wire, stranger_far_away(1)};
  ASSERT_TRUE(peer.connect(make_token(harness, net::KeyRing::published(), 1)).accepted);
  peer.send_nothing_new();
  harness.run_for(seconds{1});
  peer.stop_listening();
  const std::size_t lines_before = harness.log().lines().size();
  const std::uint64_t dropped_before = harness.shard().metrics().drops.total();
  Rng rng{132};
  const Bytes replayed = [&] {
    net::PacketBuffer packet{};
    protocol::MessageBuffer message_buffer;
    const Bytes sealed = copy_of(peer.channel().seal_packet(
        net::PacketType::Input, protocol::encode_input({}, message_buffer), packet));
    peer.send(sealed);
    return sealed;
  }();
  const Bytes connect = peer.make_connect(make_token(harness, net::KeyRing::published(), 2));
  constexpr std::uint32_t kPerStep = 111;
  std::uint32_t sent = 0;
  while (sent < in_all) {
    for (std::uint32_t i = 0; i < kPerStep; ++i, ++sent) {
      Bytes bad;
      switch (sent % 8) {
        case 0:
          bad.resize(rng.below(20), std::byte{8});  // too short
          break;
        case 1:
          bad.resize(1'201);  // too long
          break;
        case 2:
          bad.resize(100, std::byte{0x3f});  // no type
          break;
        case 3:
          bad.resize(100, std::byte{8});  // nobody's connection
          break;
        case 4:
          bad = replayed;
          break;
        case 5:
          bad = replayed;  // forged
          bad.back() ^= std::byte{1};
          store_le(MutableBytes{bad}.subspan(5), static_cast<std::uint16_t>(900));
          break;
        case 6:
          bad = connect;  // bad cookie
          bad[45] ^= std::byte{1};
          break;
        default:
          bad.resize(200, std::byte{10});
      }
      peer.send(bad);
    }
    harness.run_for(milliseconds{10});
  }
  protocol::MessageBuffer message_buffer;
  for (int i = 0; i < 100; ++i) {  // and some that are malformed, unexpected, too many
    peer.send_sealed(net::PacketType::Input, {});
    peer.send_sealed(net::PacketType::Response, protocol::encode_path_check(1, message_buffer));
  }
  harness.run_for(seconds{11});
  EXPECT_LT(harness.log().lines().size() - lines_before, 100U);
  EXPECT_EQ(harness.log().errors(), 0);
  EXPECT_GE(harness.shard().metrics().drops.total() - dropped_before, in_all);
  EXPECT_EQ(harness.client(player).stats().hashes_mismatched, 0U);
}

// Clients with good tokens come and go, and eight return again and again with their tickets.
TEST(Threat, LogFloodByValidClientsThatComeAndGoIsLimited) {
  const std::uint32_t times = sized(4'000, 500);
  Harness harness{{.seed = 133}};
  Wire wire{harness};
  const Instant began = harness.clock().now();
  for (std::uint32_t i = 0; i < times; ++i) {
    RawPeer peer{harness, wire, stranger_far_away(1 + i)};
    ASSERT_TRUE(peer.connect(make_token(harness, net::KeyRing::published(), i)).accepted);
    peer.send_nothing_new();
    peer.say_goodbye();
    peer.stop_listening();
  }
  // As fast as the key agreements of their seats allow.
  constexpr std::uint32_t kPeers = 8;
  std::deque<RawPeer> peers;
  for (std::uint32_t i = 0; i < kPeers; ++i) {
    RawPeer& peer = peers.emplace_back(harness, wire, stranger_far_away(50'000 + i));
    ASSERT_TRUE(peer.connect(make_token(harness, net::KeyRing::published(), 500'000 + i)).accepted);
    peer.send_nothing_new();
  }
  const auto interval =
      milliseconds{1'000} / (server::kAgreementsOfSeat.per_second * kPeers) + milliseconds{1};
  for (std::uint32_t i = 0; i < times; ++i) {
    RawPeer& peer = peers[i % kPeers];
    peer.inbox().clear();
    harness.run_for(interval);
    ASSERT_TRUE(peer.resume(peer.ticket()).accepted) << i;
    peer.send_nothing_new();
  }
  harness.run_for(milliseconds{1});
  const server::Metrics& metrics = harness.shard().metrics();
  EXPECT_EQ(metrics.connections[0], times + kPeers);
  EXPECT_EQ(metrics.connections[1], times);
  const Duration took = harness.clock().now() - began;
  EXPECT_LE(harness.log().lines().size(), 3 * lines_in(took)) << "opened, closed, resumed";
  EXPECT_GE(harness.log().lines().size(), 30U);
  EXPECT_NE(harness.log().lines().back().find("left_out="), std::string::npos)
      << harness.log().lines().back();
}

// A client that reports wrong hashes makes errors in the log, as it should, but no more of them
// than the limit of the log lets through.
TEST(Threat, LogFloodByAClientThatReportsMismatchesIsLimited) {
  const std::uint32_t times = sized(1'000, 200);
  Harness harness{{.seed = 134}};
  Wire wire{harness};
  const Instant began = harness.clock().now();
  for (std::uint32_t i = 0; i < times; ++i) {
    RawPeer peer{harness, wire, stranger_far_away(1 + i)};
    ASSERT_TRUE(peer.connect(make_token(harness, net::KeyRing::published(), i)).accepted);
    for (std::uint32_t mismatches = 1; mismatches < 4; ++mismatches) {
      peer.send_inputs({.mismatches = 0xffff'fff0 + mismatches});
    }
    peer.say_goodbye();
    peer.stop_listening();
  }
  harness.run_for(milliseconds{1});
  const Duration took = harness.clock().now() - began;
  EXPECT_GT(harness.log().errors(), 0);
  EXPECT_LE(static_cast<std::size_t>(harness.log().errors()), lines_in(took));
}

}  // namespace
}  // namespace tickbox::tests
