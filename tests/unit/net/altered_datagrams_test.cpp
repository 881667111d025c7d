// Every bit of every datagram of the handshake, flipped on the way: none is taken for what was
// sent.

#include "net/handshake.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

namespace tickbox::net {
namespace {

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
  ConnectRequest request = make_request(PacketType::Connect, samples::nonce(1));
  request.best_cipher = Cipher::Aes256Gcm;
  encode_connect(request, kCookie, token, buffer);
  ASSERT_EQ(let_in_by_token(buffer, ring), samples::claims().client);
  samples::with_each_bit_flipped(buffer, [&](const PacketBuffer& altered, std::size_t bit) {
    ASSERT_FALSE(is_proven(altered, token.keys.to_server)) << "bit " << bit;
    ASSERT_EQ(let_in_by_token(altered, ring), std::nullopt) << "bit " << bit;
  });
}

TEST(HandshakeBits, NoBitOfAResumeMayDiffer) {
  PacketBuffer buffer{};
  ConnectRequest request = make_request(PacketType::Resume, samples::nonce(1));
  request.best_cipher = Cipher::Aes256Gcm;
  encode_resume(request, samples::resume_ticket(), buffer);
  ASSERT_EQ(let_in_by_ticket(buffer), samples::ticket());
  samples::with_each_bit_flipped(buffer, [&](const PacketBuffer& altered, std::size_t bit) {
    ASSERT_FALSE(is_proven(altered, samples::handed_keys().to_server)) << "bit " << bit;
    ASSERT_EQ(let_in_by_ticket(altered), std::nullopt) << "bit " << bit;
  });
}

TEST(HandshakeBits, NoBitOfAnAcceptMayDiffer) {
  constexpr std::size_t kCipherBit = 6;
  for (const Cipher cipher : samples::ciphers()) {
    PacketBuffer buffer{};
    const auto datagram =
        samples::copy_of(encode_accept(samples::accept(), 0xa1b2c3d4, samples::pair(100).nonce,
                                       samples::session_keys(1), buffer, cipher));
    samples::with_each_bit_flipped(
        datagram, [](const std::vector<std::byte>& altered, std::size_t bit) {
          const auto read = decode_accept(altered, samples::handed_keys(), samples::pair(1),
                                          samples::ciphers().back());
          ASSERT_FALSE(read) << "bit " << bit;
          const bool is_other_cipher = bit == kCipherBit && samples::ciphers().size() > 1;
          ASSERT_EQ(read.error(),
                    bit < 8 && !is_other_cipher ? DropReason::UnknownType : DropReason::Forged)
              << bit;
        });
  }
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

}  // namespace
}  // namespace tickbox::net
