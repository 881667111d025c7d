#include "net/connect_token.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace tickbox::net {
namespace {

constexpr std::uint32_t kIdMax = std::numeric_limits<std::uint32_t>::max();
const std::string kHex(2 * kKeyBytes, 'a');

std::string why_not(const std::string& text) {
  const auto ring = KeyRing::parse(text);
  return ring ? "it is one" : ring.error();
}

TEST(KeyRing, PublishedHasThePublishedKeyAlone) {
  const KeyRing ring = KeyRing::published();
  EXPECT_TRUE(ring.is_published());
  ASSERT_EQ(ring.keys().size(), 1U);
  EXPECT_EQ(ring.newest().id, kPublishedKeyId);
  EXPECT_EQ(ring.newest().key, published_key());
  EXPECT_NE(ring.find(kPublishedKeyId), nullptr);
}

TEST(KeyRing, FreshHasOneKeyThatNobodyKnows) {
  const KeyRing ring = samples::ring(1);
  EXPECT_FALSE(ring.is_published());
  ASSERT_EQ(ring.keys().size(), 1U);
  EXPECT_EQ(ring.newest().id, 1U);
  EXPECT_EQ(ring.find(kPublishedKeyId), nullptr);
  EXPECT_NE(ring.newest().key, published_key());
  EXPECT_NE(ring.newest().key, samples::ring(2).newest().key);
}

TEST(KeyRing, RotatesTheNewestToTheFrontUntilItIsFull) {
  tests::SeededEntropy entropy{1};
  KeyRing ring = KeyRing::fresh(entropy);
  std::set<SecretKey> keys{ring.newest().key};
  for (std::uint32_t id = 2; id <= kRingKeysMax; ++id) {
    const RingKey before = ring.newest();
    ASSERT_TRUE(ring.rotate(entropy));
    EXPECT_EQ(ring.newest().id, id);
    EXPECT_EQ(ring.keys()[1].id, before.id);
    ASSERT_NE(ring.find(before.id), nullptr);
    EXPECT_EQ(*ring.find(before.id), before.key);
    keys.insert(ring.newest().key);
  }
  EXPECT_EQ(keys.size(), kRingKeysMax) << "a key was drawn twice";
  const std::string full = ring.text();
  EXPECT_FALSE(ring.rotate(entropy));
  EXPECT_EQ(ring.text(), full);
}

TEST(KeyRing, RotatesToAnIdAboveAllThoughTheLargestIsNotInFront) {
  tests::SeededEntropy entropy{1};
  auto ring = KeyRing::parse("3 " + kHex + "\n9 " + kHex + "\n5 " + kHex);
  ASSERT_TRUE(ring);
  ASSERT_TRUE(ring->rotate(entropy));
  EXPECT_EQ(ring->newest().id, 10U);
}

// Before the fix, the id after the last one wrapped to that of the published key, so that a ring of
// secret keys passed for the published one, and its file could not be read again.
TEST(KeyRing, NeverRotatesToThePublishedKeysId) {
  tests::SeededEntropy entropy{1};
  auto ring = KeyRing::parse(std::to_string(kIdMax) + " " + kHex + "\n1 " + kHex);
  ASSERT_TRUE(ring);
  ASSERT_TRUE(ring->rotate(entropy));
  EXPECT_FALSE(ring->is_published());
  EXPECT_EQ(ring->find(kPublishedKeyId), nullptr);
  const auto again = KeyRing::parse(ring->text());
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->keys().size(), 3U);
}

TEST(KeyRing, ReadsWhatItWrites) {
  tests::SeededEntropy entropy{4};
  KeyRing ring = KeyRing::fresh(entropy);
  do {
    const auto read = KeyRing::parse(ring.text());
    ASSERT_TRUE(read) << read.error();
    ASSERT_EQ(read->keys().size(), ring.keys().size());
    for (std::size_t i = 0; i < ring.keys().size(); ++i) {
      EXPECT_EQ(read->keys()[i].id, ring.keys()[i].id);
      EXPECT_EQ(read->keys()[i].key, ring.keys()[i].key);
    }
  } while (ring.rotate(entropy));
}

TEST(KeyRing, ReadsAFileThatItsOwnerHasEdited) {
  const auto ring = KeyRing::parse("# of last week\r\n\n \t\r\n  4294967295 \t" + kHex +
                                   "  # the newest\r\n7 " + std::string(64, 'B') + "# old");
  ASSERT_TRUE(ring) << ring.error();
  ASSERT_EQ(ring->keys().size(), 2U);
  EXPECT_EQ(ring->newest().id, kIdMax);
  EXPECT_EQ(ring->keys()[0].key[0], std::byte{0xaa});
  EXPECT_EQ(ring->keys()[1].id, 7U);
  EXPECT_EQ(ring->keys()[1].key[31], std::byte{0xbb});
  EXPECT_EQ(ring->find(8), nullptr);
}

TEST(KeyRing, NamesTheLineThatItCannotRead) {
  constexpr std::string_view kNoLine =
      "line 3: expected \"ID KEY\" (a number from 1 and 64 hex digits)";
  for (const std::string& line : {
           std::string{"1"},
           kHex,
           "0 " + kHex,
           "-1 " + kHex,
           "+1 " + kHex,
           "0x1 " + kHex,
           "1x " + kHex,
           "4294967296 " + kHex,
           "99999999999999999999 " + kHex,
           "1 " + kHex.substr(1),
           "1 " + kHex + "a",
           "1 " + kHex + " 2",
           "1 " + kHex.substr(2) + "xy",
           "1 " + kHex.substr(2) + ":a",
           "1, " + kHex,
           "1 0x" + kHex,
           "one " + kHex,
       }) {
    EXPECT_EQ(why_not("# keys\n8 " + kHex + "\n" + line + "\n9 " + kHex), kNoLine) << line;
  }
  EXPECT_EQ(why_not("1 " + kHex + "\n\n# again\n1 " + std::string(64, 'b')),
            "line 4: this id is also on an earlier line; give each key its own");
}

TEST(KeyRing, HoldsSixteenKeysAndNotOneMore) {
  std::string text;
  for (std::size_t id = 1; id <= kRingKeysMax; ++id)
    text += std::to_string(id) + " " + kHex + "\n";
  EXPECT_TRUE(KeyRing::parse(text));
  EXPECT_EQ(why_not(text + "17 " + kHex), "line 17: one key too many; the most is 16");
}

TEST(KeyRing, SaysHowToMakeAKeyWhereThereIsNone) {
  for (const char* text : {"", "\n", "# nothing\n\n", "   \t\r"}) {
    EXPECT_EQ(why_not(text), "it has no key; make one with: tickbox token keygen --out FILE");
  }
}

}  // namespace
}  // namespace tickbox::net
