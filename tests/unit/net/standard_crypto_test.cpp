#include "tests/unit/net/standard.h"
#include "tests/unit/protocol/samples.h"

#include <string>

namespace tickbox::net {
namespace {

using standard::append;
using standard::Bytes;
using standard::bytes_of_hex;
using standard::laid;
using standard::slice;

// The cryptography of schema/README.md: published vectors, and values made by other
// implementations.

template <class Array>
Array array_of_hex(std::string_view hex) {
  const Bytes bytes = bytes_of_hex(hex);
  Array array{};
  EXPECT_EQ(bytes.size(), array.size());
  std::ranges::copy(bytes, array.begin());
  return array;
}

// RFC 8439, appendix A.5. Its nonce happens to be laid out as ours: four zero bytes, then eight
// that we read as a sequence.
TEST(StandardCrypto, SealIsThatOfRfc8439) {
  const auto key =
      array_of_hex<Key>("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0");
  constexpr std::uint64_t kSequence = 0x0807060504030201;
  const Bytes clear = bytes_of_hex("f33388860000000000004e91");
  const std::string text =
      "Internet-Drafts are draft documents valid for a maximum of six months and may be updated, "
      "replaced, or obsoleted by other documents at any time. It is inappropriate to use "
      "Internet-Drafts as reference material or to cite them other than as /\u201cwork in "
      "progress./\u201d";
  const Bytes expected = bytes_of_hex(
      "64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb2"
      "4c6cfc18755d43eea09ee94e382d26b0bdb7b73c321b0100d4f03b7f355894cf"
      "332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c855"
      "9797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4"
      "b9166c767b804d46a59b5216cde7a4e99040c5a40433225ee282a1b0a06c523e"
      "af4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a"
      "0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a10"
      "49e617d91d361094fa68f0ff77987130305beaba2eda04df997b714d6c6f2c29"
      "a6ad5cb4022b02709b"
      "eead9d67890cbb22392336fea1851f38");
  Bytes sealed(text.size() + kTagBytes);
  seal(key, kSequence, clear, as_bytes_of(text), sealed);
  EXPECT_EQ(to_hex(sealed), to_hex(expected));
  Bytes opened(text.size());
  EXPECT_TRUE(open(key, kSequence, clear, expected, opened));
  EXPECT_TRUE(std::ranges::equal(opened, as_bytes_of(text)));
}

// draft-irtf-cfrg-xchacha-03, A.3.1.
TEST(StandardCrypto, DrawnSealIsThatOfTheXChaChaDraft) {
  const auto key = samples::counting<Key>(0x80);
  const auto nonce = samples::counting<LongNonce>(0x40);
  const Bytes clear = bytes_of_hex("50515253c0c1c2c3c4c5c6c7");
  const std::string_view text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
      "sunscreen would be it.";
  Bytes sealed(text.size() + kTagBytes);
  seal_drawn(key, nonce, clear, as_bytes_of(text), sealed);
  EXPECT_EQ(to_hex(sealed),
            "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb"
            "731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452"
            "2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
            "21f9664c97637da9768812f615c68b13b52e"
            "c0875924c1c7987947deafd8780acf49");
}

// Aumasson and Bernstein, SipHash, appendix A and the vectors of its reference code: the key counts
// up from 0, and so do the bytes.
TEST(StandardCrypto, ShortHashIsSipHash24) {
  const auto key = samples::counting<ShortKey>(0);
  const auto input = samples::counting<std::array<std::byte, 15>>(0);
  EXPECT_EQ(short_hash(key, {}), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(short_hash(key, ConstBytes{input}.first(1)), 0x74f839c593dc67fdU);
  EXPECT_EQ(short_hash(key, ConstBytes{input}.first(8)), 0x93f5f5799a932462U);
  EXPECT_EQ(short_hash(key, input), 0xa129ca6149be45e5U);
}

// The tests of this file use BLAKE2b: RFC 7693, appendix A.
TEST(StandardCrypto, HashIsThatOfRfc7693) {
  EXPECT_EQ(to_hex(standard::blake2b(64, {}, as_bytes_of(std::string_view{"abc"}))),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
            "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

TEST(StandardCrypto, KeysAreDerivedAsTheStandardSays) {
  const KeyPair handed = samples::handed_keys();
  const HandshakePair client = samples::pair(1);
  const HandshakePair server = samples::pair(100);
  const Bytes agreed = standard::agreed(server.secret, client.nonce);
  const Bytes to_server =
      standard::session_key(handed.to_server, client.nonce, server.nonce, agreed);
  const Bytes to_client =
      standard::session_key(handed.to_client, client.nonce, server.nonce, agreed);
  const KeyPair session = samples::session_keys(1);
  EXPECT_TRUE(std::ranges::equal(session.to_server, to_server));
  EXPECT_TRUE(std::ranges::equal(session.to_client, to_client));
  const KeyPair resume = derive_resume_keys(session);
  EXPECT_TRUE(std::ranges::equal(resume.to_server, standard::derived(to_server, "tickbox resume")));
  EXPECT_TRUE(std::ranges::equal(resume.to_client, standard::derived(to_client, "tickbox resume")));
  EXPECT_TRUE(std::ranges::equal(derive_next_key(session.to_server),
                                 standard::derived(to_server, "tickbox next key")));
  EXPECT_TRUE(std::ranges::equal(published_key(), standard::published_key()));
}

// Another implementation's keys must be these. Made by Python's hashlib.blake2b and PyNaCl's
// crypto_scalarmult with the bytes that schema/README.md lists.
TEST(StandardCrypto, KeysAreThoseOfAnotherImplementation) {
  const KeyPair session = samples::session_keys(1);
  EXPECT_EQ(to_hex(session.to_server),
            "71a218b23ff1bcc8c47cac80991cff650c0193487f6018c764aee102f01d403f");
  EXPECT_EQ(to_hex(session.to_client),
            "9dc5072955007789a8689956f9418be9632db994d013c0517ec639f167123fcb");
  EXPECT_EQ(to_hex(derive_resume_keys(session).to_server),
            "4b12ac4f87918b7e0fde8b7ec9fa4ccfe017b598eb54bf5072675f2aeae79796");
  EXPECT_EQ(to_hex(derive_next_key(derive_next_key(session.to_client))),
            "7d747aeb316328d7767b8cb664ad7675fcf3da4c5dd04f95cd370d493c53d0b8");
  EXPECT_EQ(to_hex(tag_of(session.to_server, samples::nonce(3))),
            "30b0aed39e6743a00f0b7c1614424dc7");
}

// Key rings, tokens, tickets and cookies, read and written by schema/README.md alone.

Bytes token_clear_part(ConstBytes sealed) {
  return laid("tickbox connect token", sealed.first(21));
}

Bytes ticket_clear_part(ConstBytes sealed) {
  return laid("tickbox resume ticket", sealed.first(9));
}

void append_server(Bytes& to, const Address& server) {
  append(to, as_bytes_of(server.ip));
  append(to, server.port);
}

Bytes servers_by_the_page(const TokenServers& servers) {
  Bytes bytes;
  for (const Address& server : servers)
    append_server(bytes, server);
  bytes.resize(8 * 18);
  return bytes;
}

Bytes secret_by_the_page(const TokenClaims& claims, const KeyPair& keys) {
  Bytes secret =
      laid(claims.client, keys.to_server, keys.to_client, claims.room,
           static_cast<std::uint8_t>(16 * claims.rights + claims.servers.size()),
           static_cast<std::uint8_t>(claims.user.size()), servers_by_the_page(claims.servers),
           ConstBytes{claims.user.data(), claims.user.size()});
  secret.resize(350);
  return secret;
}

TEST(StandardToken, IsIssuedAsTheStandardSays) {
  const KeyRing ring = samples::ring();
  const ConnectToken token = samples::token(ring);
  const ConstBytes sealed{token.sealed};
  Bytes head = laid(std::byte{1}, std::uint32_t{1}, std::uint64_t{1'700'000'000'000},
                    std::uint64_t{1'700'000'045'000});
  EXPECT_EQ(slice(sealed, 0, 21), head);
  const Bytes secret = standard::open_drawn(ring.newest().key, sealed.subspan(21, 24),
                                            token_clear_part(sealed), sealed.subspan(45, 366));
  EXPECT_EQ(secret, secret_by_the_page(samples::claims(), token.keys));
}

TEST(StandardToken, IsOpenedAsTheStandardSays) {
  const KeyRing ring = samples::ring();
  const KeyPair keys = samples::handed_keys();
  Bytes sealed = laid(std::byte{1}, std::uint32_t{1}, std::uint64_t{1'700'000'000'123},
                      std::uint64_t{1'700'000'045'456});
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
  Bytes bytes = laid(token.sealed, token.keys.to_server, token.keys.to_client, std::uint8_t{2},
                     servers_by_the_page(token.servers));
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
  Bytes bytes = laid(ticket.sealed, ticket.keys.to_server, ticket.keys.to_client);
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
    for (std::byte& byte : out) {
      byte = std::byte{next_++};
    }
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
  constexpr std::uint32_t kSecond = 0x0302'0100U / 2 + 3;  // from the first four bytes drawn
  Bytes input = laid(kSecond, standard::bytes_of_hex("00000000000000000000ffff0a0000093412"),
                     samples::nonce(1));
  Bytes hash(8);
  crypto_shorthash(standard::raw(hash), standard::raw(input), input.size(),
                   standard::raw(samples::counting<ShortKey>(4)));
  Bytes expected = laid(kSecond, hash);
  EXPECT_EQ(samples::copy_of(cookie), expected);
}

}  // namespace
}  // namespace tickbox::net
