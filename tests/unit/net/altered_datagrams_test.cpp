// Datagrams that are not what was sent.

#include "core/rng.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "protocol/messages.h"
#include "protocol/snapshot_codec.h"
#include "protocol/view_parts.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

namespace tickbox::net {
namespace {

// Every bit of every datagram of the handshake, flipped on the way: none is taken for what was
// sent.

const CookieBytes kCookie = samples::counting<CookieBytes>(61);

// Returns the client that the token of a CONNECT admits, by the checks of a server except cookies
// and limits.
std::optional<std::uint64_t> let_in_by_token(ConstBytes datagram, const KeyRing& ring) {
  const auto request = decode_request(datagram);
  if (!request || request->type != PacketType::Connect) return std::nullopt;
  const auto token = open_token(sealed_token_of(datagram), ring);
  if (!token || !is_proven(datagram, token->keys.to_server)) return std::nullopt;
  return token->claims.client;
}

std::optional<Ticket> let_in_by_ticket(ConstBytes datagram) {
  const auto request = decode_request(datagram);
  if (!request || request->type != PacketType::Resume) return std::nullopt;
  const auto ticket = open_ticket(sealed_ticket_of(datagram), samples::ticket_key());
  if (!ticket || !is_proven(datagram, ticket->keys.to_server)) return std::nullopt;
  return ticket;
}

TEST(HandshakeBits, NoBitOfAConnectMayDiffer) {
  const KeyRing ring = samples::ring();
  const ConnectToken token = samples::token(ring);
  PacketBuffer buffer{};
  encode_connect(make_request(PacketType::Connect, samples::nonce(1)), kCookie, token, buffer);
  ASSERT_EQ(let_in_by_token(buffer, ring), samples::claims().client);
  samples::with_each_bit_flipped(buffer, [&](const PacketBuffer& altered, std::size_t bit) {
    ASSERT_FALSE(is_proven(altered, token.keys.to_server)) << "bit " << bit;
    ASSERT_EQ(let_in_by_token(altered, ring), std::nullopt) << "bit " << bit;
  });
}

TEST(HandshakeBits, NoBitOfAResumeMayDiffer) {
  PacketBuffer buffer{};
  encode_resume(make_request(PacketType::Resume, samples::nonce(1)), samples::resume_ticket(),
                buffer);
  ASSERT_EQ(let_in_by_ticket(buffer), samples::ticket());
  samples::with_each_bit_flipped(buffer, [&](const PacketBuffer& altered, std::size_t bit) {
    ASSERT_FALSE(is_proven(altered, samples::handed_keys().to_server)) << "bit " << bit;
    ASSERT_EQ(let_in_by_ticket(altered), std::nullopt) << "bit " << bit;
  });
}

TEST(HandshakeBits, NoBitOfAnAcceptMayDiffer) {
  PacketBuffer buffer{};
  const auto datagram = samples::copy_of(encode_accept(
      samples::accept(), 0xa1b2c3d4, samples::pair(100).nonce, samples::session_keys(1), buffer));
  samples::with_each_bit_flipped(
      datagram, [](const std::vector<std::byte>& altered, std::size_t bit) {
        const auto read = decode_accept(altered, samples::handed_keys(), samples::pair(1));
        ASSERT_FALSE(read) << "bit " << bit;
        ASSERT_EQ(read.error(), bit < 8 ? DropReason::UnknownType : DropReason::Forged) << bit;
      });
}

// COOKIE, and REFUSE without a proof, have no seal. Only an observer of the request knows the nonce
// that protects them.
TEST(HandshakeBits, ACookieThatDiffersIsNotThisCookieForThisClient) {
  PacketBuffer buffer{};
  const auto datagram = samples::copy_of(encode_cookie(samples::nonce(1), kCookie, buffer));
  int read = 0;
  samples::with_each_bit_flipped(
      datagram, [&](const std::vector<std::byte>& altered, std::size_t bit) {
        const auto answer = decode_cookie(altered);
        ASSERT_EQ(answer.has_value(), bit >= 8) << "bit " << bit;
        if (!answer) return;
        ++read;
        ASSERT_FALSE(answer->client_nonce == samples::nonce(1) && answer->cookie == kCookie) << bit;
        const bool in_nonce = bit < 8 * 33;
        ASSERT_EQ(answer->client_nonce == samples::nonce(1), !in_nonce) << "bit " << bit;
      });
  EXPECT_EQ(read, 8 * 44);
}

TEST(HandshakeBits, ARefuseThatDiffersIsNotThisRefuseForThisClient) {
  PacketBuffer buffer{};
  const auto datagram = samples::copy_of(encode_refuse(samples::refuse(), buffer));
  int read = 0;
  samples::with_each_bit_flipped(
      datagram, [&](const std::vector<std::byte>& altered, std::size_t bit) {
        const auto refuse = decode_refuse(altered);
        ASSERT_TRUE(bit >= 8 || !refuse) << "bit " << bit;
        if (!refuse) return;
        ++read;
        ASSERT_NE(*refuse, samples::refuse()) << "bit " << bit;
        const bool in_nonce = bit < 8 * 33;
        ASSERT_EQ(refuse->client_nonce == samples::nonce(1), !in_nonce) << "bit " << bit;
      });
  // All bits but the type's eight, and but the four flips of reason 1 to 0, 33, 65 and 129.
  EXPECT_EQ(read, 8 * 41 - 4);
}

// Nobody has proven a HELLO, but each bit of what it says arrives as it is.
TEST(HandshakeBits, AHelloThatDiffersWithinItsHeadSaysSomethingElse) {
  const ConnectRequest hello = make_request(PacketType::Hello, samples::nonce(1));
  PacketBuffer buffer{};
  encode_hello(hello, buffer);
  samples::with_each_bit_flipped(buffer, [&](const PacketBuffer& altered, std::size_t bit) {
    const bool in_head = bit < 8 * 45;
    ASSERT_EQ(decode_request(altered) == hello, !in_head) << "bit " << bit;
  });
}

// Random bytes, and valid messages with a few bytes changed, for each decoder. None may crash it. A
// sealed or tagged one must not be accepted.

constexpr int kDatagrams = 100'000;

class RandomBytes {
 public:
  explicit RandomBytes(std::uint64_t seed) : rng_(seed) {}

  /// Up to a little more than a datagram; short ones are as frequent as long ones.
  ConstBytes next() {
    const std::size_t size = rng_.chance(1, 2) ? rng_.below(64) : rng_.below(bytes_.size() + 1);
    for (std::size_t i = 0; i < size; ++i)
      bytes_[i] = static_cast<std::byte>(rng_.next() & 0xff);
    return ConstBytes{bytes_}.first(size);
  }

  /// `bytes` with up to four bytes changed, and sometimes its tail gone.
  ConstBytes mutated(ConstBytes bytes) {
    std::ranges::copy(bytes, bytes_.begin());
    const std::size_t size = rng_.chance(1, 4) ? 1 + rng_.below(bytes.size()) : bytes.size();
    for (std::uint64_t n = 1 + rng_.below(4); n > 0; --n) {
      bytes_[rng_.below(size)] =
          rng_.chance(1, 4) ? std::byte{0} : static_cast<std::byte>(rng_.next() & 0xff);
    }
    return ConstBytes{bytes_}.first(size);
  }

 private:
  Rng rng_;
  std::array<std::byte, kDatagramBytesMax + 8> bytes_{};
};

TEST(RandomDatagrams, AreNoHandshakeAndNoPacket) {
  RandomBytes random{1};
  PacketChannel server{samples::session_keys(1), 7, Direction::ToClient};
  PacketChannel client{samples::session_keys(1), 7, Direction::ToServer};
  PacketBuffer buffer{};
  for (int i = 0; i < kDatagrams; ++i) {
    const ConstBytes datagram = random.next();
    (void)decode_cookie(datagram);
    (void)decode_refuse(datagram);
    ASSERT_FALSE(decode_accept(datagram, samples::handed_keys(), samples::pair(1))) << i;
    ASSERT_FALSE(server.open_packet(datagram, buffer)) << i;
    ASSERT_FALSE(client.open_packet(datagram, buffer)) << i;
  }
}

// Requests of the right length and type: no token or ticket opens, no tag is right.
TEST(RandomDatagrams, LetNobodyIn) {
  RandomBytes random{5};
  const KeyRing ring = samples::ring();
  int connects = 0;
  for (int i = 0; i < kDatagrams / 4; ++i) {
    PacketBuffer datagram{};
    const ConstBytes bytes = random.next();
    std::copy_n(bytes.begin(), std::min(bytes.size(), datagram.size()), datagram.begin());
    datagram[0] = static_cast<std::byte>(i % 2 == 0 ? PacketType::Connect : PacketType::Resume);
    const auto request = decode_request(datagram);
    ASSERT_TRUE(request);
    ASSERT_FALSE(is_proven(datagram, samples::handed_keys().to_server));
    if (request->type == PacketType::Connect) {
      datagram[57] = std::byte{1};  // the token's version, and the ring's key
      store_le(MutableBytes{datagram}.subspan(58), ring.newest().id);
      ASSERT_EQ(samples::fault_of(open_token(sealed_token_of(datagram), ring)), TokenFault::Forged);
      ++connects;
    } else {
      datagram[45] = std::byte{1};
      ASSERT_FALSE(open_ticket(sealed_ticket_of(datagram), samples::ticket_key()));
    }
  }
  EXPECT_EQ(connects, kDatagrams / 8);
}

// Random bytes that pass the checks of length and type.
TEST(RandomDatagrams, WithARightHeadAreNoPacket) {
  RandomBytes random{2};
  PacketChannel server{samples::session_keys(1), 7, Direction::ToClient};
  PacketBuffer buffer{};
  int forged = 0;
  for (int i = 0; i < kDatagrams; ++i) {
    auto datagram = samples::copy_of(random.next());
    if (datagram.size() < kPacketOverheadBytes || datagram.size() > kDatagramBytesMax) continue;
    datagram[0] = static_cast<std::byte>(PacketType::Input);
    store_le(MutableBytes{datagram}.subspan(1), 7U);
    const auto opened = server.open_packet(datagram, buffer);
    ASSERT_FALSE(opened);
    forged += opened.error() == DropReason::Forged ? 1 : 0;
  }
  EXPECT_GT(forged, kDatagrams / 3);
}

TEST(RandomDatagrams, CrashNoMessageDecoder) {
  RandomBytes random{3};
  protocol::InputMessage read_input;
  protocol::Snapshot read_snapshot;
  for (int i = 0; i < kDatagrams; ++i) {
    const ConstBytes bytes = random.next();
    (void)protocol::decode_input(bytes, {}, read_input);
    (void)protocol::decode_snapshot(bytes, read_snapshot);
    (void)protocol::decode_disconnect(bytes);
    (void)protocol::decode_path_check(bytes);
    (void)protocol::decode_view_part(bytes);
  }
}

TEST(RandomDatagrams, ThatAreAlmostMessagesAreRefusedOrMeanSomething) {
  RandomBytes random{4};
  protocol::MessageBuffer message_buffer;
  const auto input =
      samples::copy_of(protocol::encode_input(samples::input_message(20), message_buffer));
  const auto snapshot = samples::copy_of(protocol::encode_snapshot(
      samples::snapshot(samples::kContentOfFullSnapshot), message_buffer));
  const auto goodbye =
      samples::copy_of(protocol::encode_disconnect(DisconnectReason::Kicked, message_buffer));
  int refused = 0;
  for (int i = 0; i < kDatagrams; ++i) {
    protocol::InputMessage taken_input;
    const auto read_input = protocol::decode_input(random.mutated(input), {}, taken_input);
    if (read_input) {
      protocol::InputMessage again;
      ASSERT_TRUE(
          protocol::decode_input(protocol::encode_input(taken_input, message_buffer), {}, again));
      ASSERT_EQ(again.inputs, taken_input.inputs);
    }
    protocol::Snapshot taken_snapshot;
    const auto read_snapshot = protocol::decode_snapshot(random.mutated(snapshot), taken_snapshot);
    if (read_snapshot) {
      protocol::Snapshot again;
      ASSERT_TRUE(protocol::decode_snapshot(
          protocol::encode_snapshot(taken_snapshot, message_buffer), again));
      ASSERT_EQ(again.head, taken_snapshot.head);
      ASSERT_EQ(again.content, taken_snapshot.content);
      ASSERT_EQ(again.events, taken_snapshot.events);
    }
    const auto read_goodbye = protocol::decode_disconnect(random.mutated(goodbye));
    if (read_goodbye) {
      ASSERT_NE(name_of(*read_goodbye), "unknown");
    }
    refused += (read_input ? 0 : 1) + (read_snapshot ? 0 : 1) + (read_goodbye ? 0 : 1);
  }
  EXPECT_GT(refused, kDatagrams / 2);
  EXPECT_LT(refused, 3 * kDatagrams);
}

}  // namespace
}  // namespace tickbox::net
