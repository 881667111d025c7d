#include "tests/unit/net/standard.h"
#include "tests/unit/protocol/samples.h"

#include <string>

namespace tickbox::net {
namespace {

using standard::Bytes;
using standard::bytes_of_hex;
using standard::laid;

// Published vectors of the cryptography, and the two texts of schema/README.md that
// tests/conformance does not read.

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

}  // namespace
}  // namespace tickbox::net
