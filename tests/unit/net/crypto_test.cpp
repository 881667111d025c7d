#include "net/crypto.h"

#include "net/handshake.h"
#include "tests/support/paths.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace tickbox::net {
namespace {

TEST(Crypto, DerivesAnotherKeyForEachDirectionNonceAndUse) {
  std::set<SecretKey> keys;
  const auto insert = [&keys](const KeyPair& pair) {
    keys.insert(pair.to_server);
    keys.insert(pair.to_client);
  };
  insert(samples::handed_keys());
  for (const std::uint8_t client : {std::uint8_t{1}, std::uint8_t{2}}) {
    for (const std::uint8_t server : {std::uint8_t{1}, std::uint8_t{2}}) {
      const KeyPair session = derive_session_keys(samples::handed_keys(), samples::nonce(client),
                                                  samples::nonce(server), published_key());
      insert(session);
      insert(derive_resume_keys(session));
      keys.insert(derive_next_key(session.to_server));
      keys.insert(derive_next_key(session.to_client));
    }
  }
  EXPECT_EQ(keys.size(), 2U + 4 * 6);
}

TEST(Crypto, DerivesFromItsPartsOneAfterTheOther) {
  const std::array<std::byte, 90> whole{};
  EXPECT_EQ(derive_key(published_key(), "label1", {whole}),
            derive_key(published_key(), "label1",
                       {ConstBytes{whole}.first(40), ConstBytes{whole}.subspan(40)}));
}

// RFC 7748, section 6.1.
TEST(Crypto, AgreesAsTheRfcSays) {
  HandshakePair bob;
  HandshakeNonce alice{};
  ASSERT_TRUE(
      from_hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb", bob.secret));
  ASSERT_TRUE(from_hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a", alice));
  EXPECT_EQ(to_hex(agree(bob, alice).value()),
            "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
}

TEST(Crypto, AgreesWithNobodyWhoseNonceHasASmallOrder) {
  const HandshakePair own = samples::pair(1);
  HandshakeNonce zero{};
  HandshakeNonce one{};
  one[0] = std::byte{1};
  EXPECT_FALSE(agree(own, zero));
  EXPECT_FALSE(agree(own, one));
}

TEST(Crypto, WipesEveryByte) {
  auto key = samples::counting<SecretKey>(1);
  wipe(MutableBytes{key}.subspan(1, 30));
  EXPECT_EQ(key[0], std::byte{1});
  EXPECT_TRUE(std::ranges::all_of(ConstBytes{key}.subspan(1, 30),
                                  [](std::byte byte) { return byte == std::byte{0}; }));
  EXPECT_EQ(key[31], std::byte{32});
}

TEST(Crypto, SealsAndOpensEveryLength) {
  const SecretKey key = samples::counting<SecretKey>(9);
  const auto clear = samples::nonce(3);
  for (const Cipher cipher : samples::ciphers()) {
    for (std::size_t size = 0; size < 100; ++size) {
      const std::vector<std::byte> plain(size, std::byte{0x5a});
      std::vector<std::byte> sealed(size + kTagBytes);
      std::vector<std::byte> opened(size);
      seal(cipher, key, size, clear, plain, sealed);
      EXPECT_TRUE(open(cipher, key, size, clear, sealed, opened));
      EXPECT_EQ(opened, plain);
      EXPECT_FALSE(open(cipher, key, size + 1, clear, sealed, opened)) << "another sequence";
      for (const Cipher other : samples::ciphers()) {
        EXPECT_EQ(open(other, key, size, clear, sealed, opened), other == cipher);
      }
    }
  }
}

TEST(Crypto, UsesAllOfTheSequence) {
  const SecretKey key = samples::counting<SecretKey>(9);
  std::array<std::byte, kTagBytes> sealed{};
  std::array<std::byte, 1> none{};
  for (const Cipher cipher : samples::ciphers()) {
    for (int bit = 0; bit < 64; ++bit) {
      seal(cipher, key, std::uint64_t{1} << bit, {}, {}, sealed);
      for (int other = 0; other < 64; ++other) {
        EXPECT_EQ(open(cipher, key, std::uint64_t{1} << other, {}, sealed, none), bit == other);
      }
    }
  }
}

// Computed by OpenSSL. The first is test case 14 of McGrew and Viega: The Galois/Counter Mode of
// Operation (2005).
TEST(Crypto, SealsWithAesAsTheStandardSays) {
  if (samples::ciphers().back() != Cipher::Aes256Gcm) GTEST_SKIP() << "the processor has no AES";
  std::array<std::byte, 16 + kTagBytes> sealed{};
  seal(Cipher::Aes256Gcm, SecretKey{}, 0, {}, std::array<std::byte, 16>{}, sealed);
  EXPECT_EQ(to_hex(sealed), "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919");
  constexpr std::uint64_t kSequence = 0x1817'1615'1413'1211;
  seal(Cipher::Aes256Gcm, samples::counting<SecretKey>(9), kSequence,
       samples::counting<std::array<std::byte, 7>>(1),
       samples::counting<std::array<std::byte, 16>>(70), sealed);
  EXPECT_EQ(to_hex(sealed), "a99754c099b6ce5ca4a9b0c6722758baf56567042881b6820c18bd699a333375");
}

// A long nonce is all used, its first 16 bytes in deriving a key, the others in the cipher.
TEST(Crypto, SealsDrawnNoncesApart) {
  const SecretKey key = samples::counting<SecretKey>(9);
  const auto nonce = samples::counting<LongNonce>(60);
  const auto clear = samples::nonce(3);
  const auto plain = samples::nonce(5);
  std::array<std::byte, 32 + kTagBytes> sealed{};
  std::array<std::byte, 32> opened{};
  seal_drawn(key, nonce, clear, plain, sealed);
  ASSERT_TRUE(open_drawn(key, nonce, clear, sealed, opened));
  EXPECT_EQ(opened, plain);
  samples::with_each_bit_flipped(nonce, [&](const LongNonce& other, std::size_t bit) {
    ASSERT_FALSE(open_drawn(key, other, clear, sealed, opened)) << bit;
  });
  samples::with_each_bit_flipped(key, [&](const SecretKey& other, std::size_t bit) {
    ASSERT_FALSE(open_drawn(other, nonce, clear, sealed, opened)) << bit;
  });
  samples::with_each_bit_flipped(sealed, [&](const auto& altered, std::size_t bit) {
    ASSERT_FALSE(open_drawn(key, nonce, clear, altered, opened)) << bit;
  });
  EXPECT_FALSE(open_drawn(key, nonce, ConstBytes{clear}.first(31), sealed, opened));
  EXPECT_FALSE(open_drawn(key, nonce, clear, ConstBytes{sealed}.first(15), opened));
  EXPECT_FALSE(open(Cipher::ChaCha20Poly1305, key, 0, {}, ConstBytes{sealed}.first(15), opened))
      << "shorter than a tag";
}

TEST(Crypto, TagMatchesOnlyItsBytesAndKey) {
  const SecretKey key = samples::counting<SecretKey>(9);
  auto bytes = samples::nonce(3);
  const auto tag = tag_of(key, bytes);
  EXPECT_TRUE(tag_matches(key, bytes, tag));
  EXPECT_FALSE(tag_matches(published_key(), bytes, tag));
  EXPECT_FALSE(tag_matches(key, bytes, ConstBytes{tag}.first(15)));
  bytes[0] ^= std::byte{1};
  EXPECT_FALSE(tag_matches(key, bytes, tag));
}

TEST(Crypto, ShortHashDependsOnEveryBit) {
  const auto key = samples::counting<ShortKey>(1);
  const auto bytes = samples::nonce(3);
  const std::uint64_t hash = short_hash(key, bytes);
  EXPECT_TRUE(same_hash(hash, short_hash(key, bytes)));
  samples::with_each_bit_flipped(key, [&](const ShortKey& other, std::size_t bit) {
    EXPECT_FALSE(same_hash(hash, short_hash(other, bytes))) << bit;
  });
  samples::with_each_bit_flipped(bytes, [&](const HandshakeNonce& other, std::size_t bit) {
    EXPECT_FALSE(same_hash(hash, short_hash(key, other))) << bit;
  });
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_FALSE(same_hash(hash, hash ^ std::uint64_t{1} << bit)) << bit;
  }
}

// Aumasson and Bernstein, SipHash, appendix A and the vectors of its reference code: the key counts
// up from 0, and so do the bytes.
TEST(Crypto, ShortHashIsSipHash24) {
  const auto key = samples::counting<ShortKey>(0);
  const auto input = samples::counting<std::array<std::byte, 15>>(0);
  EXPECT_EQ(short_hash(key, {}), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(short_hash(key, input), 0xa129ca6149be45e5U);
}

TEST(Crypto, WritesAndReadsHexadecimal) {
  const auto bytes = samples::counting<std::array<std::byte, 4>>(0x9e);
  EXPECT_EQ(to_hex(bytes), "9e9fa0a1");
  EXPECT_EQ(to_hex({}), "");
  std::array<std::byte, 4> read{};
  for (const char* text : {"9e9fa0a1", "9E9FA0A1", "9e9Fa0A1"}) {
    read = {};
    EXPECT_TRUE(from_hex(text, read)) << text;
    EXPECT_EQ(read, bytes) << text;
  }
  for (const char* text : {"", "9e9fa0a", "9e9fa0", "9e9fa0a1a", "9e9fa0a1a2", "9e9fa0g1",
                           " 9e9fa0a", "9e:9f:a0", "0x9e9fa0"}) {
    EXPECT_FALSE(from_hex(text, read)) << text;
  }
}

TEST(Crypto, WritesAndReadsBase64OfEveryLength) {
  EXPECT_EQ(to_base64({}), "");
  EXPECT_EQ(to_base64(as_bytes_of(std::string_view{"\xfb\xff\xbf"})), "-_-_");
  EXPECT_EQ(to_base64(as_bytes_of(std::string_view{"foobar"})), "Zm9vYmFy");  // RFC 4648
  EXPECT_EQ(to_base64(as_bytes_of(std::string_view{"foob"})), "Zm9vYg");
  for (std::size_t size = 0; size < 40; ++size) {
    const std::vector<std::byte> bytes(size, std::byte{0xa7});
    const std::string text = to_base64(bytes);
    std::vector<std::byte> read(size);
    EXPECT_TRUE(from_base64(text, read)) << size;
    EXPECT_EQ(read, bytes);
    std::vector<std::byte> longer(size + 1);
    EXPECT_FALSE(from_base64(text, longer)) << size;
    if (size > 0) {
      EXPECT_FALSE(from_base64(text, MutableBytes{read}.first(size - 1))) << size;
      EXPECT_FALSE(from_base64(text + "=", read)) << size;
    }
  }
}

// Before the fix, letters beyond ASCII were read as others, so that the same bytes had a second
// text.
TEST(Crypto, ReadsNothingButItsSixtyFourLettersAsBase64) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::array<std::byte, 3> read{};
  for (int letter = 0; letter < 256; ++letter) {
    for (std::size_t at = 0; at < 4; ++at) {
      std::string text = "AAAA";
      text[at] = static_cast<char>(letter);
      ASSERT_EQ(from_base64(text, read), kLetters.contains(text[at])) << letter << " at " << at;
    }
  }
  std::array<std::byte, 1> one{};
  EXPECT_TRUE(from_base64("AQ", one));
  EXPECT_FALSE(from_base64("AR", one)) << "bits that belong to no byte";
}

}  // namespace
}  // namespace tickbox::net
