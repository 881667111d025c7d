// Packets put where they do not belong: type × direction × session × epoch.

#include "net/packet.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <map>

namespace tickbox::protocol {
namespace {

struct Session {
  std::uint8_t nonce;
  std::uint32_t connection;
};

constexpr Session kSessions[] = {
    {1, 0x11111111}, {2, 0x22222222}, {3, 0x11111111}};  // the third has the first's id
constexpr net::Direction kDirections[] = {net::Direction::ToServer, net::Direction::ToClient};
constexpr net::PacketType kTypes[] = {net::PacketType::Input,       net::PacketType::Snapshot,
                                      net::PacketType::Disconnect,  net::PacketType::Challenge,
                                      net::PacketType::Response,    net::PacketType::DesyncReport,
                                      net::PacketType::DesyncState, net::PacketType::Drain};

/// The fifth looks like the first: two bits of an epoch are on the wire.
constexpr std::uint64_t kEpochs[] = {0, 1, 2, 3, 4};
constexpr std::uint64_t kEpochPackets = 65'536;
/// Of each epoch, the packet that is tried lies here, far from its borders.
constexpr std::uint64_t kPlace = 30'000;

struct Sealed {
  std::size_t session;
  net::Direction direction;
  net::PacketType type;
  std::uint64_t epoch;
  std::vector<std::byte> datagram;
};

struct Receiver {
  std::size_t session;
  net::Direction direction;  ///< of what it receives
  std::uint64_t epoch;
  net::PacketChannel channel;
};

struct Matrix {
  std::vector<Sealed> packets;
  std::vector<Receiver> receivers;
};

// Adds one direction of one session through all epochs: a packet of each type and a receiver in
// each epoch.
void add_way(std::size_t session, net::Direction direction, Matrix& matrix) {
  const auto& [nonce, connection] = kSessions[session];
  net::PacketChannel sender{samples::session_keys(nonce), connection, direction};
  net::PacketChannel receiver{samples::session_keys(nonce), connection,
                              samples::opposite(direction)};
  net::PacketBuffer wire{};
  net::PacketBuffer opened{};
  for (const std::uint64_t epoch : kEpochs) {
    const std::uint64_t place = epoch * kEpochPackets + kPlace;
    while (sender.sent() + 2 < place)
      (void)sender.seal_packet(net::PacketType::Disconnect, {}, wire);
    EXPECT_TRUE(
        receiver.open_packet(sender.seal_packet(net::PacketType::Disconnect, {}, wire), opened));
    matrix.receivers.push_back({session, direction, epoch, receiver});
    for (const net::PacketType type : kTypes) {
      if (!net::travels_sealed(type, direction)) continue;
      net::PacketChannel copy = sender;
      matrix.packets.push_back({session, direction, type, epoch,
                                samples::copy_of(copy.seal_packet(type, samples::nonce(7), wire))});
    }
  }
}

const Matrix& matrix() {
  static const Matrix kMatrix = [] {
    Matrix made;
    for (std::size_t session = 0; session < std::size(kSessions); ++session) {
      for (const net::Direction direction : kDirections)
        add_way(session, direction, made);
    }
    return made;
  }();
  return kMatrix;
}

bool opens(const Receiver& receiver, ConstBytes datagram) {
  net::PacketChannel channel =
      receiver.channel;  // a taken packet must not stand in the way of the next
  net::PacketBuffer buffer{};
  return channel.open_packet(datagram, buffer).has_value();
}

// Returns whether the packet was sent to this receiver, which is in the packet's epoch or in the
// epoch before.
bool is_meant(const Sealed& packet, const Receiver& receiver) {
  return packet.session == receiver.session && packet.direction == receiver.direction &&
         (packet.epoch == receiver.epoch || packet.epoch == receiver.epoch + 1);
}

// Each packet is delivered to every session, in every direction and epoch, under every epoch,
// connection id and sealed type. It is taken only where it was meant.
TEST(Splice, TakesAPacketOnlyWhereItWasMeant) {
  int taken = 0;
  int tried = 0;
  for (const Sealed& packet : matrix().packets) {
    for (const Receiver& receiver : matrix().receivers) {
      for (const net::PacketType type : kTypes) {
        for (unsigned epoch = 0; epoch < 4; ++epoch) {
          for (const std::uint32_t connection : {0x11111111U, 0x22222222U}) {
            auto datagram = packet.datagram;
            datagram[0] = static_cast<std::byte>(static_cast<unsigned>(type) | epoch << 6);
            store_le(MutableBytes{datagram}.subspan(1), connection);
            const bool meant = is_meant(packet, receiver) && datagram == packet.datagram;
            ASSERT_EQ(opens(receiver, datagram), meant)
                << "session " << packet.session << " for " << receiver.session << ", epoch "
                << packet.epoch << " in " << receiver.epoch << " as " << epoch << ", type "
                << static_cast<int>(packet.type) << " as " << static_cast<int>(type);
            taken += meant ? 1 : 0;
            ++tried;
          }
        }
      }
    }
  }
  EXPECT_EQ(tried, 135 * 30 * 8 * 4 * 2);
  // Each in its own epoch, and those of all but the first epoch also one epoch early.
  EXPECT_EQ(taken, 27 * (5 + 4));
}

TEST(Splice, TakesNoHeadWithAnothersBody) {
  for (const Sealed& head : matrix().packets) {
    for (const Sealed& body : matrix().packets) {
      if (&head == &body) continue;
      auto datagram = body.datagram;
      std::copy_n(head.datagram.begin(), net::kPacketHeadBytes, datagram.begin());
      // Some have the same head: the third session's id is the first's.
      const bool same_head = datagram == body.datagram;
      for (const Receiver& receiver : matrix().receivers) {
        if (receiver.epoch != body.epoch && receiver.epoch != head.epoch) continue;
        ASSERT_EQ(opens(receiver, datagram), same_head && is_meant(body, receiver));
      }
    }
  }
}

// Datagrams of the handshake, and a packet, under each other's types, given to every reader. Only
// its own reader takes one, under its own type. The three requests begin alike, so the tag must
// tell them apart; COOKIE and REFUSE are known by their length.
TEST(Splice, TakesNoDatagramForOneOfAnotherKind) {
  const net::KeyPair session = samples::session_keys(1);
  const net::KeyRing ring = samples::ring();
  const net::ConnectToken token = samples::token(ring);
  std::map<net::PacketType, std::vector<std::byte>> datagrams;
  net::PacketBuffer buffer{};
  const auto keep = [&](net::PacketType type, ConstBytes bytes) {
    datagrams[type] = samples::copy_of(bytes);
  };
  keep(net::PacketType::Hello, net::encode_hello(samples::request(net::PacketType::Hello), buffer));
  keep(net::PacketType::Cookie, net::encode_cookie(samples::nonce(1), {}, buffer));
  keep(net::PacketType::Connect,
       net::encode_connect(samples::request(net::PacketType::Connect), {}, token, buffer));
  keep(net::PacketType::Accept,
       net::encode_accept(samples::accept(), 9, samples::pair(100).nonce, session, buffer));
  keep(net::PacketType::Resume, net::encode_resume(samples::request(net::PacketType::Resume),
                                                   samples::resume_ticket(), buffer));
  keep(net::PacketType::Refuse, net::encode_refuse(samples::refuse(), buffer));
  net::PacketChannel sender{session, 9, net::Direction::ToClient};
  keep(net::PacketType::Snapshot,
       sender.seal_packet(net::PacketType::Snapshot, samples::nonce(7), buffer));

  for (const auto& [type, bytes] : datagrams) {
    for (const auto& [renamed, unused] : datagrams) {
      auto datagram = bytes;
      datagram[0] = static_cast<std::byte>(renamed);
      const auto taken = [&, own = type, name = renamed](net::PacketType reader) {
        return own == reader && name == reader;
      };
      net::PacketChannel receiver{session, 9, net::Direction::ToServer};
      const bool asks = datagram.size() == net::kRequestBytes;
      EXPECT_EQ(asks && net::is_proven(datagram, token.keys.to_server),
                taken(net::PacketType::Connect));
      EXPECT_EQ(asks && net::is_proven(datagram, samples::handed_keys().to_server),
                taken(net::PacketType::Resume));
      EXPECT_EQ(net::decode_cookie(datagram).has_value(), taken(net::PacketType::Cookie));
      EXPECT_EQ(net::decode_accept(datagram, samples::handed_keys(), samples::pair(1),
                                   net::Cipher::ChaCha20Poly1305)
                    .has_value(),
                taken(net::PacketType::Accept));
      EXPECT_EQ(net::decode_refuse(datagram).has_value(), taken(net::PacketType::Refuse));
      EXPECT_EQ(receiver.open_packet(datagram, buffer).has_value(),
                taken(net::PacketType::Snapshot));
    }
  }
}

}  // namespace
}  // namespace tickbox::protocol
