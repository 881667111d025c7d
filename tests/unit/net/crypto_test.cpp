#include "net/crypto.h"

#include "net/handshake.h"
#include "tests/unit/net/samples.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace tickbox::net {
namespace {

std::string hex_of(ConstBytes bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                 bytes.size());
  text.pop_back();
  return text;
}

TEST(Crypto, IsReady) {
  EXPECT_TRUE(crypto_ready());
}

// Another implementation's key must be this one. Made apart from this code: b2sum -l 256 of the
// text.
TEST(Crypto, PublishesOneKey) {
  EXPECT_EQ(hex_of(published_key()),
            "42a1c94c078fd926073372ad3c0a2d6e10f08e40151b6a268564bb250c637100");
}

TEST(Crypto, DerivesAnotherKeyForEachDirectionAndNonce) {
  std::set<Key> keys;
  for (const std::uint8_t client : {std::uint8_t{1}, std::uint8_t{2}}) {
    for (const std::uint8_t server : {std::uint8_t{1}, std::uint8_t{2}}) {
      const auto session =
          derive_session_keys(published_key(), samples::nonce(client), samples::nonce(server));
      keys.insert(session.client_to_server);
      keys.insert(session.server_to_client);
    }
  }
  keys.insert(derive_session_keys(Key{}, samples::nonce(1), samples::nonce(1)).client_to_server);
  EXPECT_EQ(keys.size(), 9U);
}

// Another implementation's keys must be these. Made by Python's hashlib.blake2b with the bytes that
// schema/README.md lists.
TEST(Crypto, DerivesTheKeysOfTheStandard) {
  const auto keys = derive_session_keys(published_key(), samples::nonce(1), samples::nonce(100));
  EXPECT_EQ(hex_of(keys.client_to_server),
            "a7accf288c6558518761ed42fca9423c0fc718ebefc961d871db554fc746fd82");
  EXPECT_EQ(hex_of(keys.server_to_client),
            "ab948efb59c3693b21664413ba5078f07e27e9ea3a363f0cee501278ea38a309");
}

TEST(Crypto, SealsAndOpensEveryLength) {
  const Key key = samples::counting<Key>(9);
  const auto clear = samples::nonce(3);
  for (std::size_t size = 0; size < 100; ++size) {
    const std::vector<std::byte> plain(size, std::byte{0x5a});
    std::vector<std::byte> sealed(size + kTagBytes);
    std::vector<std::byte> opened(size);
    seal(key, size, clear, plain, sealed);
    EXPECT_TRUE(open(key, size, clear, sealed, opened));
    EXPECT_EQ(opened, plain);
    EXPECT_FALSE(open(key, size + 1, clear, sealed, opened)) << "another sequence";
  }
}

TEST(Crypto, UsesAllOfTheSequence) {
  const Key key = samples::counting<Key>(9);
  std::array<std::byte, kTagBytes> sealed{};
  std::array<std::byte, 1> none{};
  for (int bit = 0; bit < 64; ++bit) {
    seal(key, std::uint64_t{1} << bit, {}, {}, sealed);
    for (int other = 0; other < 64; ++other) {
      EXPECT_EQ(open(key, std::uint64_t{1} << other, {}, sealed, none), bit == other);
    }
  }
}

TEST(Crypto, TagMatchesOnlyItsBytesAndKey) {
  const Key key = samples::counting<Key>(9);
  auto bytes = samples::nonce(3);
  const auto tag = tag_of(key, bytes);
  EXPECT_TRUE(tag_matches(key, bytes, tag));
  EXPECT_FALSE(tag_matches(published_key(), bytes, tag));
  EXPECT_FALSE(tag_matches(key, bytes, ConstBytes{tag}.first(15)));
  bytes[0] ^= std::byte{1};
  EXPECT_FALSE(tag_matches(key, bytes, tag));
}

TEST(Crypto, SchemaHashIsThatOfTheFiles) {
  std::string text;
  for (const char* name : {"wire", "world"}) {
    std::ifstream file{std::string{TICKBOX_SOURCE_DIR "/schema/"} + name + ".fbs",
                       std::ios::binary};
    ASSERT_TRUE(file) << name;
    text.append(std::istreambuf_iterator<char>{file}, {});
  }
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size());
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < 8; ++i)
    expected = expected << 8 | digest[i];
  EXPECT_EQ(schema_hash(), expected);
}

}  // namespace
}  // namespace tickbox::net
