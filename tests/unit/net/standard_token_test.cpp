// Key rings, tokens, tickets and cookies, read and written by schema/README.md alone.

#include "tests/unit/net/standard.h"
#include "tests/unit/protocol/samples.h"

#include <string>

namespace tickbox::net {
namespace {

using standard::append;
using standard::append_le;
using standard::Bytes;
using standard::slice;

Bytes token_clear_part(ConstBytes sealed) {
  Bytes clear;
  append(clear, "tickbox connect token");
  append(clear, sealed.first(21));
  return clear;
}

Bytes ticket_clear_part(ConstBytes sealed) {
  Bytes clear;
  append(clear, "tickbox resume ticket");
  append(clear, sealed.first(9));
  return clear;
}

void append_server(Bytes& to, const Address& server) {
  append(to, as_bytes_of(server.ip));
  append_le(to, server.port);
}

Bytes servers_by_the_page(const TokenServers& servers) {
  Bytes bytes;
  for (const Address& server : servers)
    append_server(bytes, server);
  bytes.resize(8 * 18);
  return bytes;
}

Bytes secret_by_the_page(const TokenClaims& claims, const KeyPair& keys) {
  Bytes secret;
  append_le(secret, claims.client);
  append(secret, keys.to_server);
  append(secret, keys.to_client);
  append_le(secret, claims.room);
  append_le(secret, static_cast<std::uint8_t>(16 * claims.rights + claims.servers.size()));
  append_le(secret, static_cast<std::uint8_t>(claims.user.size()));
  append(secret, servers_by_the_page(claims.servers));
  append(secret, ConstBytes{claims.user.data(), claims.user.size()});
  secret.resize(350);
  return secret;
}

TEST(StandardToken, IsIssuedAsTheStandardSays) {
  const KeyRing ring = samples::ring();
  const ConnectToken token = samples::token(ring);
  const ConstBytes sealed{token.sealed};
  Bytes head{std::byte{1}};
  append_le(head, std::uint32_t{1});
  append_le(head, std::uint64_t{1'700'000'000'000});
  append_le(head, std::uint64_t{1'700'000'045'000});
  EXPECT_EQ(slice(sealed, 0, 21), head);
  const Bytes secret = standard::open_drawn(ring.newest().key, sealed.subspan(21, 24),
                                            token_clear_part(sealed), sealed.subspan(45, 366));
  EXPECT_EQ(secret, secret_by_the_page(samples::claims(), token.keys));
}

TEST(StandardToken, IsOpenedAsTheStandardSays) {
  const KeyRing ring = samples::ring();
  const KeyPair keys = samples::handed_keys();
  Bytes sealed{std::byte{1}};
  append_le(sealed, std::uint32_t{1});
  append_le(sealed, std::uint64_t{1'700'000'000'123});
  append_le(sealed, std::uint64_t{1'700'000'045'456});
  const Bytes clear = token_clear_part(sealed);
  append(sealed, samples::counting<LongNonce>(5));
  append(sealed, standard::seal_drawn(ring.newest().key, samples::counting<LongNonce>(5), clear,
                                      secret_by_the_page(samples::claims(), keys)));
  ASSERT_EQ(sealed.size(), 411U);
  const auto opened = open_token(sealed, ring);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->head.issued.time_since_epoch().count(), 1'700'000'000'123);
  EXPECT_EQ(opened->head.expires.time_since_epoch().count(), 1'700'000'045'456);
  EXPECT_EQ(opened->keys, keys);
  EXPECT_EQ(opened->claims.client, samples::claims().client);
  EXPECT_EQ(opened->claims.room, samples::claims().room);
  EXPECT_EQ(opened->claims.rights, 1);
  EXPECT_TRUE(std::ranges::equal(opened->claims.servers, samples::claims().servers));
  EXPECT_TRUE(std::ranges::equal(opened->claims.user, samples::claims().user));
  EXPECT_TRUE(std::ranges::equal(token_id(sealed), slice(sealed, 395, 16)));
}

// base64url, six bits at a time.
std::string base64_by_the_page(ConstBytes bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 6) {
    unsigned letter = 0;
    for (std::size_t i = bit; i < bit + 6; ++i) {
      const unsigned byte = i / 8 < bytes.size() ? std::to_integer<unsigned>(bytes[i / 8]) : 0;
      letter = letter << 1 | (byte >> (7 - i % 8) & 1);
    }
    text += kLetters[letter];
  }
  return text;
}

TEST(StandardToken, IsTextAsTheStandardSays) {
  const ConnectToken token = samples::token(samples::ring());
  Bytes bytes;
  append(bytes, token.sealed);
  append(bytes, token.keys.to_server);
  append(bytes, token.keys.to_client);
  append_le(bytes, std::uint8_t{2});
  append(bytes, servers_by_the_page(token.servers));
  ASSERT_EQ(bytes.size(), 620U);
  EXPECT_EQ(to_text(token), "tickbox-token-1." + base64_by_the_page(bytes));
}

TEST(StandardTicket, IsSealedAsTheStandardSays) {
  const SealedTicket ticket = samples::resume_ticket().sealed;
  const ConstBytes sealed{ticket};
  EXPECT_EQ(sealed[0], std::byte{1});
  EXPECT_EQ(load_le<std::uint64_t>(sealed.subspan(1)), samples::kBoot);
  const Bytes secret = standard::open_drawn(samples::ticket_key(), sealed.subspan(9, 24),
                                            ticket_clear_part(sealed), sealed.subspan(33, 102));
  EXPECT_EQ(secret.size(), 86U);
}

TEST(StandardTicket, IsTextAsTheStandardSays) {
  const ResumeTicket ticket = samples::resume_ticket();
  Bytes bytes;
  append(bytes, ticket.sealed);
  append(bytes, ticket.keys.to_server);
  append(bytes, ticket.keys.to_client);
  ASSERT_EQ(bytes.size(), 199U);
  EXPECT_EQ(to_text(ticket), "tickbox-ticket-1." + base64_by_the_page(bytes));
}

TEST(StandardKeyRing, IsReadAsTheStandardSays) {
  const std::string text =
      "# newest first\n\n4294967295 \t" + std::string(64, 'f') +
      " # new\n1 000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F";
  const auto ring = KeyRing::parse(text);
  ASSERT_TRUE(ring) << ring.error();
  EXPECT_EQ(ring->newest().id, 4'294'967'295U);
  ASSERT_NE(ring->find(1), nullptr);
  EXPECT_EQ(*ring->find(1), samples::counting<Key>(0));
}

// Hands out secrets that count up, so that the page can hash with them.
class CountingEntropy final : public Entropy {
 public:
  void fill(MutableBytes out) override {
    for (std::byte& byte : out)
      byte = std::byte{next_++};
  }

 private:
  std::uint8_t next_ = 0;
};

TEST(StandardCookie, IsBakedAsTheStandardSays) {
  const Instant start{std::chrono::hours{5}};
  CountingEntropy entropy;
  CookieJar jar{entropy, start};
  const Address from = samples::address(9, 0x1234);
  const CookieBytes cookie =
      jar.bake(from, samples::nonce(1), start + std::chrono::milliseconds{3'900});
  Bytes input;
  append_le(input, std::uint32_t{3});
  append(input, standard::bytes_of_hex("00000000000000000000ffff0a0000093412"));
  append(input, samples::nonce(1));
  Bytes hash(8);
  crypto_shorthash(standard::raw(hash), standard::raw(input), input.size(),
                   standard::raw(samples::counting<ShortKey>(0)));
  Bytes expected;
  append_le(expected, std::uint32_t{3});
  append(expected, hash);
  EXPECT_EQ(samples::copy_of(cookie), expected);
}

}  // namespace
}  // namespace tickbox::net
