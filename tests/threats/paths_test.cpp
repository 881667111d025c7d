// Where a session's packets go, when packets of its client come from a new address. They follow a
// client that has moved. They stay with a client that is still at its old address, even if somebody
// forwards its packets faster than the network does.

#include "protocol/messages.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::tests::paths_test {
namespace {

using net::DropReason;
using net::PacketType;
using std::chrono::milliseconds;

/// A client that plays at its old address.
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

  /// Returns the number in the first CHALLENGE among the datagrams that came to an address.
  std::optional<std::uint64_t> asked_at(const net::Address& address) {
    for (const Bytes& datagram : wire.inbox(address)) {
      if (net::packet_type(datagram) != PacketType::Challenge) continue;
      const auto opened = peer.channel().open_packet(datagram, buffer);
      if (opened) return protocol::decode_path_check(opened->message).value();
    }
    return std::nullopt;
  }

  /// Sends a packet from a new address. Returns the number that the server asks there.
  std::uint64_t go_to(const net::Address& address) {
    wire.inbox(peer.address()).clear();
    peer.move(address);
    peer.send_nothing_new();
    harness.run_for(milliseconds{1});
    EXPECT_EQ(peer.received(PacketType::Challenge), 1U);
    return asked_at(address).value_or(0);
  }

  Bytes seal_response(std::uint64_t number) {
    return copy_of(peer.channel().seal_packet(
        PacketType::Response, protocol::encode_path_check(number, message_buffer), buffer));
  }

  void arrive(const net::Address& from, ConstBytes datagram) {
    harness.network().inject(from, datagram);
    harness.run_for(milliseconds{1});
  }

  /// Goes on playing from where it is.
  void play(Duration duration) {
    for (Duration passed{}; passed < duration; passed += milliseconds{10}) {
      peer.send_nothing_new();
      harness.run_for(milliseconds{10});
    }
  }

  [[nodiscard]] std::uint64_t count(server::ConnectionResult result) {
    return harness.shard().metrics().connections[static_cast<std::size_t>(result)];
  }

  [[nodiscard]] std::uint64_t moves() { return count(server::ConnectionResult::Moved); }

  [[nodiscard]] std::uint64_t stays() { return count(server::ConnectionResult::Stayed); }

  [[nodiscard]] std::uint64_t unexpected() {
    return harness.shard().metrics().drops.of(DropReason::Unexpected);
  }

  /// Returns whether a snapshot comes to an address while the client plays. It proves no receipt,
  /// so it gets one a second.
  bool has_snapshots_at(const net::Address& address) {
    wire.inbox(address).clear();
    play(milliseconds{1'100});
    return std::ranges::any_of(wire.inbox(address), [](const Bytes& datagram) {
      return net::packet_type(datagram) == PacketType::Snapshot;
    });
  }
};

TEST(Path, IsTheNewAddressOnceTheOldOneHasBeenSilentForAWhile) {
  Traveller traveller;
  const std::uint64_t asked = traveller.go_to(traveller.abroad);
  traveller.arrive(traveller.abroad, traveller.seal_response(asked));
  traveller.play(server::kOldPathSilence - milliseconds{20});
  EXPECT_EQ(traveller.moves(), 0U);
  traveller.play(milliseconds{40});
  EXPECT_EQ(traveller.moves(), 1U);
  EXPECT_EQ(traveller.stays(), 0U);
  EXPECT_TRUE(traveller.has_snapshots_at(traveller.abroad));
  EXPECT_FALSE(traveller.has_snapshots_at(traveller.home));
}

// Three round trips of the new address: two more after its answer.
TEST(Path, WaitsLongerForTheOldAddressIfTheNewOneIsFarAway) {
  Traveller traveller;
  const std::uint64_t asked = traveller.go_to(traveller.abroad);
  traveller.play(milliseconds{300});
  traveller.arrive(traveller.abroad, traveller.seal_response(asked));
  traveller.play(milliseconds{580});
  EXPECT_EQ(traveller.moves(), 0U);
  traveller.play(milliseconds{40});
  EXPECT_EQ(traveller.moves(), 1U);
}

TEST(Path, StaysTheOldAddressIfTheClientAnswersThere) {
  Traveller traveller;
  const std::uint64_t asked = traveller.go_to(traveller.abroad);
  const std::optional<std::uint64_t> asked_at_home = traveller.asked_at(traveller.home);
  ASSERT_TRUE(asked_at_home.has_value());
  EXPECT_NE(*asked_at_home, asked);
  traveller.arrive(traveller.abroad, traveller.seal_response(asked));
  traveller.arrive(traveller.abroad, traveller.seal_response(*asked_at_home));
  EXPECT_EQ(traveller.stays(), 1U) << "from any address";
  traveller.play(milliseconds{1'000});
  EXPECT_EQ(traveller.moves(), 0U);
  EXPECT_TRUE(traveller.has_snapshots_at(traveller.home));
  EXPECT_FALSE(traveller.has_snapshots_at(traveller.abroad));
}

TEST(Path, ChangesAtMostOnceInTwoSeconds) {
  Traveller traveller;
  traveller.arrive(traveller.abroad, traveller.seal_response(traveller.go_to(traveller.abroad)));
  traveller.play(milliseconds{250});
  ASSERT_EQ(traveller.moves(), 1U);

  const net::Address further = stranger_far_away(3);
  traveller.peer.move(further);
  traveller.play(milliseconds{1'900});
  EXPECT_EQ(traveller.peer.received(PacketType::Challenge), 0U);
  traveller.play(milliseconds{200});
  const auto asked = traveller.asked_at(further);
  ASSERT_TRUE(asked.has_value());
  traveller.arrive(further, traveller.seal_response(*asked));
  traveller.play(milliseconds{1'000});
  EXPECT_EQ(traveller.moves(), 2U);
}

// Somebody who knows the id from one network does not find it in another.
TEST(Path, HasAConnectionIdOfItsOwn) {
  Traveller traveller;
  const std::uint32_t first = traveller.peer.channel().connection();
  traveller.arrive(traveller.abroad, traveller.seal_response(traveller.go_to(traveller.abroad)));
  traveller.play(milliseconds{250});
  ASSERT_EQ(traveller.moves(), 1U);
  const std::uint64_t unknown =
      traveller.harness.shard().metrics().drops.of(DropReason::UnknownConnection);
  traveller.play(milliseconds{1'100});
  EXPECT_EQ(traveller.harness.shard().metrics().drops.of(DropReason::UnknownConnection), unknown)
      << "packets with the former id still count";

  std::uint32_t second = first;
  for (const Bytes& datagram : traveller.peer.inbox()) {
    if (net::packet_type(datagram) != PacketType::Snapshot) continue;
    if (traveller.peer.channel().open_packet(datagram, traveller.buffer)) {
      second = net::packet_connection(datagram);
    }
  }
  EXPECT_NE(second, first);
  EXPECT_EQ(traveller.peer.channel().connection(), second) << "the client has taken it";
  traveller.play(milliseconds{100});
  EXPECT_EQ(traveller.harness.shard().metrics().drops.of(DropReason::UnknownConnection), unknown);
}

/// Someone who reads all packets between a client and the server. It forwards all packets of the
/// client from an address of its own, 20 ms faster than the network. The server sends it only
/// CHALLENGEs, and it passes these on to the client.
class Onlooker {
 public:
  Onlooker(Harness& harness, Wire& wire, std::size_t victim)
      : harness_(harness), victim_(victim), own_(stranger_far_away(9)) {
    wire.listen([this](const Wire::Passed& passed) { on_passed(passed); });
  }

  void run_for(Duration duration) {
    for (Duration passed{}; passed < duration; passed += milliseconds{1}) {
      harness_.run_for(milliseconds{1});
      for (const Bytes& datagram : std::exchange(to_server_, {})) {
        harness_.network().inject(own_, datagram);
      }
      for (const Bytes& datagram : std::exchange(to_victim_, {})) {
        harness_.network().inject_at_client(victim_, SimulatedNetwork::server_address(), datagram);
      }
    }
  }

 private:
  void on_passed(const Wire::Passed& passed) {
    const bool is_victims = passed.client == harness_.network().address(victim_);
    if (passed.where == Wire::Where::ToServer && is_victims) {
      to_server_.push_back(copy_of(passed.bytes));
    }
    const bool is_challenge = net::packet_type(passed.bytes) == PacketType::Challenge;
    if (passed.where == Wire::Where::FromServer && passed.client == own_ && is_challenge) {
      to_victim_.push_back(copy_of(passed.bytes));  // but no snapshot
    }
  }

  Harness& harness_;
  std::size_t victim_;
  net::Address own_;
  std::vector<Bytes> to_server_;
  std::vector<Bytes> to_victim_;
};

// The client answers at its old address too, so the session stays there. Before the fix, it moved
// to the onlooker, and no packet reached the client for six seconds.
TEST(Threat, OnlookerWhoForwardsFasterThanTheNetworkTakesNoSession) {
  Harness harness{{.seed = 78, .link = {.delay = milliseconds{20}}, .bot = "stress"}};
  Wire wire{harness};
  const std::size_t victim = harness.add_client();
  harness.run_for(std::chrono::seconds{2});
  Onlooker onlooker{harness, wire, victim};
  const std::uint64_t received = harness.client(victim).snapshots_received();
  onlooker.run_for(std::chrono::seconds{6});
  EXPECT_GE(harness.client(victim).snapshots_received(), received + std::uint64_t{6} * 50);
  EXPECT_EQ(harness.client(victim).connection().sessions(), 1U);
  const server::Metrics& metrics = harness.shard().metrics();
  EXPECT_EQ(metrics.connections[static_cast<std::size_t>(server::ConnectionResult::Moved)], 0U);
  EXPECT_GE(metrics.connections[static_cast<std::size_t>(server::ConnectionResult::Stayed)], 2U);
}

// A RESPONSE that is held back cannot move a session to an address that its client has left.
TEST(Threat, ReflectionByAResponseThatComesAfterItsClientWentBackMovesNobody) {
  Traveller traveller;
  const std::uint64_t asked = traveller.go_to(traveller.abroad);
  const Bytes response = traveller.seal_response(asked);
  traveller.peer.move(traveller.home);
  traveller.play(milliseconds{60});
  const auto asked_at_home = traveller.asked_at(traveller.home);
  ASSERT_TRUE(asked_at_home.has_value());
  traveller.peer.send(traveller.seal_response(*asked_at_home));
  traveller.harness.run_for(milliseconds{1});
  EXPECT_EQ(traveller.stays(), 1U);

  traveller.arrive(traveller.abroad, response);
  EXPECT_EQ(traveller.unexpected(), 1U);
  traveller.arrive(traveller.abroad, traveller.seal_response(asked));
  EXPECT_EQ(traveller.unexpected(), 2U) << "nor does the newest packet of all with the same number";
  EXPECT_FALSE(traveller.has_snapshots_at(traveller.abroad));
  EXPECT_TRUE(traveller.has_snapshots_at(traveller.home));
  EXPECT_EQ(traveller.moves(), 0U);
}

// An old packet that was held back on the way, or is sent again under a forged address, does not
// keep a client from moving. Nor does the newest one.
TEST(Threat, ReplayOfAPacketFromHomeDoesNotKeepAClientFromMoving) {
  Traveller traveller;
  const Bytes held_back = copy_of(traveller.peer.channel().seal_packet(
      PacketType::Input, protocol::encode_input({}, traveller.message_buffer), traveller.buffer));
  const std::uint64_t asked = traveller.go_to(traveller.abroad);
  traveller.arrive(traveller.home, held_back);
  traveller.arrive(traveller.abroad, traveller.seal_response(asked));
  traveller.arrive(traveller.home,
                   copy_of(traveller.peer.channel().seal_packet(
                       PacketType::Input, protocol::encode_input({}, traveller.message_buffer),
                       traveller.buffer)));
  traveller.play(milliseconds{250});
  EXPECT_EQ(traveller.moves(), 1U);
  EXPECT_TRUE(traveller.has_snapshots_at(traveller.abroad));
}

// Somebody holds a RESPONSE back, and sends it on from their own address. If it counted, the
// session would move there.
TEST(Threat, ReflectionByAResponseThatIsSentOnFromElsewhereMovesNobody) {
  Traveller traveller;
  const std::uint64_t asked = traveller.go_to(traveller.abroad);
  const Bytes response = traveller.seal_response(asked);
  traveller.play(milliseconds{10});
  traveller.arrive(stranger_far_away(3), response);
  EXPECT_EQ(traveller.unexpected(), 1U);
  traveller.play(milliseconds{250});
  EXPECT_EQ(traveller.moves(), 0U);
  traveller.arrive(traveller.abroad, traveller.seal_response(asked));
  traveller.play(milliseconds{1'000});
  EXPECT_EQ(traveller.moves(), 1U) << "and it goes on from where it is";
}

// A client moves from the first network to a second, and on to a third. The RESPONSE for the second
// address counts from neither address once its time is over.
TEST(Threat, ReflectionByAResponseOfAnAddressBeforeTheLastMovesNobody) {
  Traveller traveller;
  const net::Address further = stranger_far_away(3);
  const std::uint64_t asked = traveller.go_to(traveller.abroad);
  const Bytes response = traveller.seal_response(asked);
  const Bytes again = traveller.seal_response(asked);
  traveller.harness.run_for(server::kPathCheckLife + milliseconds{1});
  const std::uint64_t asked_further = traveller.go_to(further);
  EXPECT_NE(asked_further, asked);

  traveller.arrive(traveller.abroad, response);
  traveller.arrive(further, again);
  EXPECT_EQ(traveller.unexpected(), 2U);
  traveller.arrive(further, traveller.seal_response(asked_further));
  traveller.play(milliseconds{250});
  EXPECT_EQ(traveller.moves(), 1U);
  EXPECT_TRUE(traveller.has_snapshots_at(further));
}

/// Tells whether a client can move while one packet comes from fifty addresses in every
/// millisecond.
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

// A packet that has arrived before uses up no limit. Before the fix, it used up the limits that a
// client needs to move.
TEST(Threat, ReplayFloodOfOneOldPacketKeepsNoClientFromMoving) {
  Traveller traveller;
  const Bytes old = copy_of(traveller.peer.channel().seal_packet(
      PacketType::Input, protocol::encode_input({}, traveller.message_buffer), traveller.buffer));
  traveller.arrive(traveller.home, old);
  EXPECT_TRUE(moves_in_flood(traveller, old));
}

// Each session has a limit of its own, so a sender of forged packets under its connection id uses
// up nothing of the others.
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
}  // namespace tickbox::tests::paths_test
