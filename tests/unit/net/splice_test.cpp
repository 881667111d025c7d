// Parts of one packet put where they do not belong: type × direction × session.

#include "net/packet.h"
#include "tests/unit/net/samples.h"

#include <gtest/gtest.h>

namespace tickbox::net {
namespace {

struct Session {
  std::uint8_t nonce;
  std::uint32_t connection;
};

constexpr Session kSessions[] = {
    {1, 0x11111111}, {2, 0x22222222}, {3, 0x11111111}};  // the third has the first's id
constexpr Direction kDirections[] = {Direction::ToServer, Direction::ToClient};
constexpr PacketType kTypes[] = {PacketType::Input, PacketType::Snapshot, PacketType::Disconnect};

bool travels(PacketType type, Direction direction) {
  if (type == PacketType::Disconnect) return true;
  return (type == PacketType::Input) == (direction == Direction::ToServer);
}

Direction opposite(Direction direction) {
  return direction == Direction::ToServer ? Direction::ToClient : Direction::ToServer;
}

struct Sealed {
  std::size_t session;
  Direction direction;
  PacketType type;
  std::vector<std::byte> datagram;
};

std::vector<Sealed> one_of_each() {
  std::vector<Sealed> all;
  for (std::size_t session = 0; session < std::size(kSessions); ++session) {
    for (const Direction direction : kDirections) {
      for (const PacketType type : kTypes) {
        if (!travels(type, direction)) continue;
        PacketChannel sender{samples::session_keys(kSessions[session].nonce),
                             kSessions[session].connection, direction};
        PacketBuffer buffer{};
        const auto message = samples::nonce(7);
        all.push_back({session, direction, type,
                       samples::copy_of(sender.seal_packet(type, message, buffer))});
      }
    }
  }
  return all;
}

// Delivered to every session, in every direction, under every type and connection id: taken only
// where it was meant.
TEST(Splice, TakesAPacketOnlyWhereItWasMeant) {
  int taken = 0;
  int tried = 0;
  for (const Sealed& sealed : one_of_each()) {
    for (std::size_t session = 0; session < std::size(kSessions); ++session) {
      for (const Direction direction : kDirections) {
        for (const PacketType type : kTypes) {
          for (const Session& named : kSessions) {
            PacketChannel receiver{samples::session_keys(kSessions[session].nonce),
                                   kSessions[session].connection, opposite(direction)};
            auto datagram = sealed.datagram;
            datagram[0] = static_cast<std::byte>(type);
            store_le(MutableBytes{datagram}.subspan(1), named.connection);
            PacketBuffer buffer{};
            const bool meant = session == sealed.session && direction == sealed.direction &&
                               type == sealed.type &&
                               named.connection == kSessions[session].connection;
            EXPECT_EQ(receiver.open_packet(datagram, buffer).has_value(), meant);
            taken += meant ? 1 : 0;
            ++tried;
          }
        }
      }
    }
  }
  EXPECT_EQ(tried, 12 * 3 * 2 * 3 * 3);
  EXPECT_EQ(taken, 4 * 2 + 4 * 1 + 4 * 2);  // two names are the first's and the third's own
}

TEST(Splice, TakesNoHeadWithAnothersBody) {
  const auto all = one_of_each();
  for (const Sealed& head : all) {
    for (const Sealed& body : all) {
      if (&head == &body) continue;
      auto datagram = body.datagram;
      std::copy_n(head.datagram.begin(), kPacketHeadBytes, datagram.begin());
      for (std::size_t session = 0; session < std::size(kSessions); ++session) {
        for (const Direction direction : kDirections) {
          PacketChannel receiver{samples::session_keys(kSessions[session].nonce),
                                 kSessions[session].connection, opposite(direction)};
          PacketBuffer buffer{};
          // Sessions of one connection id have the same head, so the body decides.
          const bool same_head = std::equal(datagram.begin(), datagram.begin() + kPacketHeadBytes,
                                            body.datagram.begin());
          const bool meant = same_head && session == body.session && direction == body.direction;
          EXPECT_EQ(receiver.open_packet(datagram, buffer).has_value(), meant);
        }
      }
    }
  }
}

// Datagrams of the handshake, and packets, given to every reader but their own.
TEST(Splice, TakesNoDatagramForOneOfAnotherKind) {
  PacketBuffer connect_buffer{};
  PacketBuffer accept_buffer{};
  PacketBuffer refuse_buffer{};
  PacketBuffer packet_buffer{};
  const SessionKeys keys = samples::session_keys(1);
  PacketChannel sender{keys, 9, Direction::ToClient};
  const std::pair<PacketType, ConstBytes> datagrams[] = {
      {PacketType::Connect, encode_connect(samples::connect(), published_key(), connect_buffer)},
      {PacketType::Accept,
       encode_accept(samples::accept(), 9, samples::nonce(100), keys, accept_buffer)},
      {PacketType::Refuse, encode_refuse(samples::refuse(), published_key(), refuse_buffer)},
      {PacketType::Snapshot,
       sender.seal_packet(PacketType::Snapshot, samples::nonce(7), packet_buffer)},
  };
  for (const auto& [type, bytes] : datagrams) {
    for (const PacketType renamed :
         {PacketType::Connect, PacketType::Accept, PacketType::Refuse, PacketType::Snapshot}) {
      auto datagram = samples::copy_of(bytes);
      datagram[0] = static_cast<std::byte>(renamed);
      PacketBuffer buffer{};
      PacketChannel receiver{keys, 9, Direction::ToServer};
      const auto taken = [&](PacketType reader) { return type == reader && renamed == reader; };
      EXPECT_EQ(decode_connect(datagram, published_key()).has_value(), taken(PacketType::Connect));
      EXPECT_EQ(decode_accept(datagram, published_key(), samples::nonce(1)).has_value(),
                taken(PacketType::Accept));
      EXPECT_EQ(decode_refuse(datagram, published_key()).has_value(), taken(PacketType::Refuse));
      EXPECT_EQ(receiver.open_packet(datagram, buffer).has_value(), taken(PacketType::Snapshot));
    }
  }
}

}  // namespace
}  // namespace tickbox::net
