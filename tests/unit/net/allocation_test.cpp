// The way of a packet, and the bad link, allocate nothing once warm: every allocation of this
// program is counted.

#include "net/link_simulator.h"
#include "net/packet.h"
#include "protocol/messages.h"
#include "protocol/snapshot.h"
#include "tests/support/allocations.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <vector>

namespace tickbox::net {
namespace {

using namespace std::chrono_literals;

TEST(Allocation, IsCounted) {
  const std::uint64_t before = tests::allocations();
  const std::vector<int> some(10);
  EXPECT_EQ(tests::allocations() - before, 1U);
}

TEST(Allocation, NoneOnTheWayOfAPacket) {
  const KeyPair keys = samples::session_keys(1);
  PacketChannel client{keys, 7, Direction::ToServer};
  PacketChannel server{keys, 7, Direction::ToClient};
  protocol::MessageBuffer message_buffer;
  const protocol::InputMessage input = samples::input_message(protocol::kInputBytesMax);
  const protocol::Snapshot told = samples::snapshot(samples::kContentOfFullSnapshot);
  PacketBuffer wire{};
  PacketBuffer opened{};
  protocol::InputMessage read_input;
  protocol::Snapshot read_snapshot;
  std::uint64_t taken = 0;
  const auto once = [&] {
    auto packet = server.open_packet(
        client.seal_packet(PacketType::Input, protocol::encode_input(input, message_buffer), wire),
        opened);
    taken += packet && protocol::decode_input(packet->message, {}, read_input) ? 1U : 0U;
    const ConstBytes snapshot = protocol::encode_snapshot(told, message_buffer);
    packet = client.open_packet(server.seal_packet(PacketType::Snapshot, snapshot, wire), opened);
    taken += packet && protocol::decode_snapshot(packet->message, read_snapshot) ? 1U : 0U;
    const ConstBytes goodbye =
        protocol::encode_disconnect(DisconnectReason::Kicked, message_buffer);
    packet = client.open_packet(server.seal_packet(PacketType::Disconnect, goodbye, wire), opened);
    taken += packet && protocol::decode_disconnect(packet->message) ? 1U : 0U;
    const ConstBytes check = protocol::encode_path_check(7, message_buffer);
    packet = client.open_packet(server.seal_packet(PacketType::Challenge, check, wire), opened);
    taken += packet && protocol::decode_path_check(packet->message) ? 1U : 0U;
  };
  once();
  const std::uint64_t before = tests::allocations();
  for (int i = 0; i < 1'000; ++i) {
    once();
  }
  EXPECT_EQ(tests::allocations() - before, 0U);
  EXPECT_EQ(taken, 4U * 1'001);
}

// What a stranger sends costs no memory, whatever it holds, and right tokens and tickets do not
// either.
TEST(Allocation, NoneForWhatAsks) {
  const Address from = samples::address(9, 40'000);
  const KeyRing ring = samples::ring();
  tests::SeededEntropy entropy{1};
  CookieJar jar{entropy, {}};
  const CookieBytes cookie = jar.bake(from, samples::nonce(1), {});
  PacketBuffer connect{};
  PacketBuffer resume{};
  encode_connect(samples::request(PacketType::Connect), cookie, samples::token(ring), connect);
  encode_resume(samples::request(PacketType::Resume), samples::resume_ticket(), resume);
  PacketBuffer answer{};
  const std::uint64_t before = tests::allocations();
  const auto lets_in = [&] {
    const auto token = open_token(sealed_token_of(connect), ring);
    const auto ticket = open_ticket(sealed_ticket_of(resume), samples::ticket_key());
    return decode_request(connect) && decode_request(resume) &&
           jar.accepts(cookie_of(connect), from, samples::nonce(1), {}) && token && ticket &&
           is_proven(connect, token->keys.to_server) && is_proven(resume, ticket->keys.to_server);
  };
  EXPECT_TRUE(lets_in());
  connect[500] ^= std::byte{1};
  EXPECT_FALSE(lets_in());
  connect[100] ^= std::byte{1};
  EXPECT_FALSE(lets_in());
  EXPECT_EQ(encode_cookie(samples::nonce(1), jar.bake(from, samples::nonce(1), {}), answer).size(),
            kCookieDatagramBytes);
  EXPECT_EQ(encode_refuse(samples::refuse(), answer).size(), kRefuseBytes);
  EXPECT_EQ(tests::allocations() - before, 0U);
}

TEST(Allocation, ABurstOnALinkIsGivenBack) {
  constexpr std::uint64_t kBurst = 10'000;
  LinkSimulator link{{.delay = 40ms}, 0};
  const std::vector<std::byte> datagram(1'200);
  const std::uint64_t before = tests::live_bytes();
  for (std::uint64_t i = 0; i < kBurst; ++i) {
    link.push(Instant{}, datagram);
  }
  EXPECT_GT(tests::live_bytes() - before, kBurst * datagram.size());
  while (link.pop(Instant{} + 1s)) {
  }
  EXPECT_LT(tests::live_bytes() - before, kBurst * datagram.size() / 10);
}

TEST(Allocation, NoneOnAWarmLink) {
  LinkSimulator link{{.delay = 40ms,
                      .jitter = 20ms,
                      .loss_ppm = 50'000,
                      .duplicate_ppm = 50'000,
                      .reorder_ppm = 50'000,
                      .corrupt_ppm = 50'000},
                     0};
  const std::vector<std::byte> datagram(1'200);
  Instant now{};
  const auto run = [&](int count) {
    for (int i = 0; i < count; ++i, now += 1ms) {
      link.push(now, datagram);
      while (link.pop(now)) {
      }
    }
  };
  for (int i = 0; i < 1'000; ++i) {
    link.push(now, datagram);
  }
  run(50'000);
  const std::uint64_t before = tests::allocations();
  run(10'000);
  EXPECT_EQ(tests::allocations() - before, 0U);
}

}  // namespace
}  // namespace tickbox::net
