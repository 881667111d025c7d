// The way back from another address: what was asked there, and is answered after the client has
// left, moves no session. Else who holds back one RESPONSE could send a session after it, to where
// nobody listens any more.

#include "protocol/messages.h"
#include "tests/threats/raw_peer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tickbox::tests {
namespace {

using net::DropReason;
using net::PacketType;
using std::chrono::milliseconds;

/// A client that plays, and is at home.
struct Traveller {
  Harness harness{{.seed = 77}};
  Wire wire{harness};
  net::Address home = stranger_far_away(1);
  net::Address abroad = stranger_far_away(2);
  RawPeer peer{harness, wire, home};
  protocol::MessageBuffer message_buffer;
  net::PacketBuffer buffer{};

  Traveller() {
    EXPECT_TRUE(peer.connect(make_token(harness, net::KeyRing::published(), 1)).accepted);
    peer.send_nothing_new();
    harness.run_for(milliseconds{100});
  }

  /// Sends something from there, and hands out what the CHALLENGE that answers it asks.
  std::uint64_t is_asked_at(const net::Address& address) {
    peer.move(address);
    peer.send_nothing_new();
    harness.run_for(milliseconds{1});
    EXPECT_EQ(peer.received(PacketType::Challenge), 1U);
    const auto challenge = std::ranges::find_if(peer.inbox(), [](const Bytes& datagram) {
      return net::packet_type(datagram) == PacketType::Challenge;
    });
    if (challenge == peer.inbox().end()) return 0;
    const auto opened = peer.channel().open_packet(*challenge, buffer);
    EXPECT_TRUE(opened.has_value());
    return protocol::decode_path_check(opened->message).value();
  }

  /// On its way, and not arrived.
  Bytes seal_response(std::uint64_t data) {
    return copy_of(peer.channel().seal_packet(
        PacketType::Response, protocol::encode_path_check(data, message_buffer), buffer));
  }

  void arrive(const net::Address& from, ConstBytes datagram) {
    harness.network().inject(from, datagram);
    harness.run_for(milliseconds{1});
  }

  [[nodiscard]] std::uint64_t moves() { return harness.shard().metrics().connections[2]; }

  [[nodiscard]] std::uint64_t unexpected() {
    return harness.shard().metrics().drops.of(DropReason::Unexpected);
  }

  /// Snapshots that come to an address within 100 ms.
  std::size_t snapshots_at(const net::Address& address) {
    wire.inbox(address).clear();
    harness.run_for(milliseconds{100});
    return static_cast<std::size_t>(std::ranges::count_if(
        wire.inbox(address),
        [](const Bytes& datagram) { return net::packet_type(datagram) == PacketType::Snapshot; }));
  }
};

TEST(Threat, ReflectionByAResponseThatComesAfterItsClientWentBackMovesNobody) {
  Traveller traveller;
  const std::uint64_t asked = traveller.is_asked_at(traveller.abroad);
  const Bytes response = traveller.seal_response(asked);
  traveller.peer.move(traveller.home);
  traveller.peer.send_nothing_new();
  traveller.harness.run_for(milliseconds{1});

  traveller.arrive(traveller.abroad, response);
  EXPECT_EQ(traveller.unexpected(), 1U);
  traveller.arrive(traveller.abroad, traveller.seal_response(asked));
  EXPECT_EQ(traveller.unexpected(), 2U) << "nor does the newest packet of all with the same data";
  EXPECT_EQ(traveller.moves(), 0U);
  EXPECT_EQ(traveller.snapshots_at(traveller.abroad), 0U);
  EXPECT_GE(traveller.snapshots_at(traveller.home), 1U);
}

// Only the newest packet from home says that the client is there: an old one that was held back on
// the way, or is sent again, does not keep it from moving.
TEST(Threat, ReplayOfAnOldPacketFromHomeDoesNotKeepAClientFromMoving) {
  Traveller traveller;
  traveller.peer.move(traveller.home);
  net::PacketBuffer buffer{};
  const Bytes held_back = copy_of(traveller.peer.channel().seal_packet(
      PacketType::Input, protocol::encode_input({}, traveller.message_buffer), buffer));
  const std::uint64_t asked = traveller.is_asked_at(traveller.abroad);
  traveller.arrive(traveller.home, held_back);
  traveller.arrive(traveller.abroad, traveller.seal_response(asked));
  EXPECT_EQ(traveller.moves(), 1U);
  EXPECT_GE(traveller.snapshots_at(traveller.abroad), 2U);
}

// Held back, and sent on by somebody from their own address when it is the newest no more: it would
// bring the session to them.
TEST(Threat, ReflectionByAResponseThatIsSentOnFromElsewhereMovesNobody) {
  Traveller traveller;
  const std::uint64_t asked = traveller.is_asked_at(traveller.abroad);
  const Bytes response = traveller.seal_response(asked);
  traveller.peer.send_nothing_new();
  traveller.harness.run_for(milliseconds{1});
  traveller.arrive(stranger_far_away(3), response);
  EXPECT_EQ(traveller.unexpected(), 1U);
  EXPECT_EQ(traveller.moves(), 0U);
  traveller.arrive(traveller.abroad, traveller.seal_response(asked));
  EXPECT_EQ(traveller.moves(), 1U) << "and it goes on from where it is";
}

// From the first network to a second and on to a third: what the second was asked is worth nothing,
// in neither of them.
TEST(Threat, ReflectionByAResponseOfAnAddressBeforeTheLastMovesNobody) {
  Traveller traveller;
  const net::Address further = stranger_far_away(3);
  const std::uint64_t asked = traveller.is_asked_at(traveller.abroad);
  const Bytes response = traveller.seal_response(asked);
  const Bytes again = traveller.seal_response(asked);
  const std::uint64_t asked_further = traveller.is_asked_at(further);
  EXPECT_NE(asked_further, asked);

  traveller.arrive(traveller.abroad, response);
  traveller.arrive(further, again);
  EXPECT_EQ(traveller.unexpected(), 2U);
  EXPECT_EQ(traveller.moves(), 0U);
  traveller.arrive(further, traveller.seal_response(asked_further));
  EXPECT_EQ(traveller.moves(), 1U);
  EXPECT_GE(traveller.snapshots_at(further), 2U);
}

/// Whether a client can move while one packet comes from fifty addresses in every millisecond.
bool moves_in_flood(Traveller& traveller, const Bytes& packet) {
  RawPeer& peer = traveller.peer;
  std::uint32_t sources = 1'000;
  for (int ms = 0; ms < 1'500; ++ms) {
    for (int i = 0; i < 50; ++i) {
      traveller.harness.network().inject(stranger_far_away(sources++), packet);
    }
    if (ms == 200) peer.move(traveller.abroad);
    if (ms % 20 == 0) peer.send_nothing_new();
    traveller.harness.run_for(milliseconds{1});
    std::vector<Bytes> received;
    received.swap(peer.inbox());
    for (const Bytes& datagram : received) {
      if (net::packet_type(datagram) != PacketType::Challenge) continue;
      const auto opened = peer.channel().open_packet(datagram, traveller.buffer);
      if (!opened) continue;
      const std::uint64_t asked = protocol::decode_path_check(opened->message).value();
      peer.send(traveller.seal_response(asked));
    }
  }
  return traveller.moves() == 1;
}

// A packet that was seen once costs nothing more. It once took from the limits that a client which
// moves needs.
TEST(Threat, ReplayFloodOfOneOldPacketKeepsNoClientFromMoving) {
  Traveller traveller;
  const Bytes old = copy_of(traveller.peer.channel().seal_packet(
      PacketType::Input, protocol::encode_input({}, traveller.message_buffer), traveller.buffer));
  traveller.arrive(traveller.home, old);
  EXPECT_TRUE(moves_in_flood(traveller, old));
}

// A session has a limit of its own, so that who sends under its connection id takes nothing from
// the others.
TEST(Threat, ForgedPacketsUnderOneConnectionIdKeepNoOtherClientFromMoving) {
  Traveller traveller;
  RawPeer other{traveller.harness, traveller.wire, stranger_far_away(3)};
  ASSERT_TRUE(other.connect(make_token(traveller.harness, net::KeyRing::published(), 2)).accepted);
  other.send_nothing_new();
  traveller.harness.run_for(milliseconds{1});
  Bytes forged(100);
  forged[0] = static_cast<std::byte>(PacketType::Input);
  store_le(MutableBytes{forged}.subspan(1), other.channel().connection());
  store_le(MutableBytes{forged}.subspan(5), std::uint16_t{500});
  EXPECT_TRUE(moves_in_flood(traveller, forged));
}

}  // namespace
}  // namespace tickbox::tests
