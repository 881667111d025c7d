#include "net/connect_token.h"

#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace tickbox::net {
namespace {

void expect_equal(const TokenClaims& found, const TokenClaims& expected) {
  EXPECT_EQ(found.client, expected.client);
  EXPECT_EQ(found.room, expected.room);
  EXPECT_TRUE(std::ranges::equal(found.servers, expected.servers));
  EXPECT_TRUE(std::ranges::equal(found.user, expected.user));
}

TokenClaims largest_claims() {
  TokenClaims claims{
      .client = ~std::uint64_t{0}, .room = ~std::uint32_t{0}, .servers = {}, .user = {}};
  for (std::uint8_t i = 1; !claims.servers.full(); ++i)
    claims.servers.push_back(samples::address(i, static_cast<std::uint16_t>(60'000 + i)));
  for (std::uint8_t i = 100; !claims.user.full(); ++i)
    claims.user.push_back(std::byte{i});
  return claims;
}

TokenClaims smallest_claims() {
  TokenClaims claims;
  claims.servers.push_back(Address{});
  return claims;
}

TEST(ConnectToken, TellsTheServerEverythingThatWasIssued) {
  const KeyRing ring = samples::ring();
  for (const TokenClaims& claims : {samples::claims(), largest_claims(), smallest_claims()}) {
    const ConnectToken token = samples::token(ring, claims);
    const auto opened = open_token(token.sealed, ring);
    ASSERT_TRUE(opened);
    expect_equal(opened->claims, claims);
    EXPECT_EQ(opened->keys, token.keys);
    EXPECT_EQ(opened->head.key_id, 1U);
    EXPECT_EQ(opened->head.issued, samples::at_second(samples::kIssuedSecond));
    EXPECT_EQ(opened->head.expires, samples::at_second(samples::kExpiresSecond));
    EXPECT_TRUE(std::ranges::equal(token.servers, claims.servers));
  }
}

TEST(ConnectToken, TellsAnybodyItsHeadAndItsId) {
  const ConnectToken token = samples::token(samples::ring());
  const TokenHead head = token_head(token.sealed);
  EXPECT_EQ(head.key_id, 1U);
  EXPECT_EQ(head.issued, samples::at_second(samples::kIssuedSecond));
  EXPECT_EQ(head.expires, samples::at_second(samples::kExpiresSecond));
  EXPECT_TRUE(std::ranges::equal(token_id(token.sealed), ConstBytes{token.sealed}.last(16)));
}

// A time that no calendar has must not come out as one before 1970.
TEST(ConnectToken, ReadsEveryTimeAsOneFrom1970On) {
  SealedToken sealed{};
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    store_le(MutableBytes{sealed}.subspan(5), number);
    store_le(MutableBytes{sealed}.subspan(13), number);
    const TokenHead head = token_head(sealed);
    EXPECT_GE(head.issued, WallTime{}) << number;
    EXPECT_EQ(head.issued, head.expires);
  }
}

TEST(ConnectToken, HasKeysAndASealOfItsOwnEachTime) {
  const KeyRing ring = samples::ring();
  tests::SeededEntropy entropy{5};
  std::set<Key> keys;
  std::set<TokenId> ids;
  for (int i = 0; i < 100; ++i) {
    const ConnectToken token = issue_token(samples::claims(), {}, {}, ring, entropy);
    keys.insert(token.keys.to_server);
    keys.insert(token.keys.to_client);
    ids.insert(token_id(token.sealed));
  }
  EXPECT_EQ(keys.size(), 200U);
  EXPECT_EQ(ids.size(), 100U);
}

TEST(ConnectToken, ShowsNothingOfItsSecretOutsideTheSeal) {
  const ConnectToken token = samples::token(samples::ring());
  const ConstBytes sealed{token.sealed};
  EXPECT_TRUE(std::ranges::search(sealed, token.keys.to_server).empty());
  EXPECT_TRUE(std::ranges::search(sealed, token.keys.to_client).empty());
}

TEST(ConnectToken, OpensUnderEachKeyOfTheRingAndIsSealedWithTheNewest) {
  tests::SeededEntropy entropy{6};
  KeyRing ring = KeyRing::fresh(entropy);
  const ConnectToken old = samples::token(ring);
  ASSERT_TRUE(ring.rotate(entropy));
  const ConnectToken young = samples::token(ring);
  EXPECT_EQ(token_head(old.sealed).key_id, 1U);
  EXPECT_EQ(token_head(young.sealed).key_id, 2U);
  EXPECT_TRUE(open_token(old.sealed, ring));
  EXPECT_TRUE(open_token(young.sealed, ring));
}

TEST(ConnectToken, OfAKeyThatTheRingHasNotIsRefusedByThatName) {
  tests::SeededEntropy entropy{7};
  KeyRing ring = samples::ring();
  ASSERT_TRUE(ring.rotate(entropy));
  const ConnectToken young = samples::token(ring);
  EXPECT_EQ(samples::fault_of(open_token(young.sealed, samples::ring())), TokenFault::UnknownKey);
  const ConnectToken published = samples::token(KeyRing::published());
  EXPECT_TRUE(open_token(published.sealed, KeyRing::published()));
  EXPECT_EQ(samples::fault_of(open_token(published.sealed, ring)), TokenFault::UnknownKey);
}

TEST(ConnectToken, OfAnotherKeyOfTheSameIdIsForged) {
  const ConnectToken token = samples::token(samples::ring(1));
  EXPECT_EQ(samples::fault_of(open_token(token.sealed, samples::ring(99))), TokenFault::Forged);
}

// Also where the altered id names another key of the ring.
TEST(ConnectToken, NeverOpensWithABitFlipped) {
  tests::SeededEntropy entropy{8};
  KeyRing ring = KeyRing::fresh(entropy);
  while (ring.rotate(entropy)) {
  }
  int unknown = 0;
  samples::with_each_bit_flipped(
      samples::token(ring).sealed, [&](const SealedToken& altered, std::size_t bit) {
        const auto opened = open_token(altered, ring);
        ASSERT_FALSE(opened) << "bit " << bit;
        const bool is_id = bit >= 8 && bit < 40;
        unknown += opened.error() == TokenFault::UnknownKey ? 1 : 0;
        ASSERT_TRUE(is_id || opened.error() == TokenFault::Forged) << "bit " << bit;
      });
  // Of id 16 = 0b10000, a flip of that bit names the published key, one of the bits above it no
  // key; one of the four below names 17, 18, 20 and 24.
  EXPECT_EQ(unknown, 32);
}

TEST(ConnectToken, NeverOpensUnderTheIdOfAnotherKeyOfTheRing) {
  tests::SeededEntropy entropy{8};
  KeyRing ring = KeyRing::fresh(entropy);
  SealedToken sealed = samples::token(ring).sealed;
  ASSERT_TRUE(ring.rotate(entropy));
  sealed[1] = std::byte{2};
  EXPECT_EQ(samples::fault_of(open_token(sealed, ring)), TokenFault::Forged);
}

// Random seals under a right head, and a right token with a few bytes changed.
TEST(ConnectToken, NeverOpensWhenMadeUp) {
  constexpr int kForgeries = 400'000;
  const KeyRing ring = samples::ring();
  const SealedToken right = samples::token(ring).sealed;
  Rng rng{9};
  int opened = 0;
  for (int i = 0; i < kForgeries; ++i) {
    SealedToken forged = right;
    if (i % 2 == 0) {
      for (std::size_t at = kTokenHeadBytes; at + 8 < forged.size(); at += 8)
        store_le(MutableBytes{forged}.subspan(at), rng.next());
    } else {
      for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) {
        forged[rng.below(forged.size())] ^= static_cast<std::byte>(1 + rng.below(255));
      }
      if (forged == right) continue;
    }
    opened += open_token(forged, ring) ? 1 : 0;
  }
  EXPECT_EQ(opened, 0);
}

// A secret under a right seal that an issuer of ours would not have written.
std::expected<OpenedToken, TokenFault> open_secret(std::uint8_t servers, std::uint8_t user_bytes,
                                                   std::string_view label) {
  const KeyRing ring = samples::ring();
  SealedToken sealed{std::byte{1}, std::byte{1}};
  std::array<std::byte, kTokenSecretBytes> secret{};
  secret[76] = std::byte{servers};
  secret[77] = std::byte{user_bytes};
  std::vector<std::byte> clear = samples::copy_of(as_bytes_of(label));
  clear.insert(clear.end(), sealed.begin(), sealed.begin() + kTokenHeadBytes);
  seal_drawn(ring.newest().key, LongNonce{}, clear, secret,
             MutableBytes{sealed}.subspan(kTokenHeadBytes + kLongNonceBytes));
  return open_token(sealed, ring);
}

constexpr std::string_view kLabel = "tickbox connect token";

TEST(ConnectToken, ThatCannotBeIsForgedThoughItsSealIsRight) {
  EXPECT_TRUE(open_secret(1, 0, kLabel));
  EXPECT_TRUE(open_secret(8, 128, kLabel));
  EXPECT_EQ(open_secret(0x18, 128, kLabel)->claims.rights, kRightToAudit);
  EXPECT_EQ(samples::fault_of(open_secret(0x10, 0, kLabel)), TokenFault::Forged);
  EXPECT_EQ(samples::fault_of(open_secret(0x21, 0, kLabel)), TokenFault::Forged)
      << "a right that there is not";
  EXPECT_EQ(samples::fault_of(open_secret(0, 0, kLabel)), TokenFault::Forged);
  EXPECT_EQ(samples::fault_of(open_secret(9, 0, kLabel)), TokenFault::Forged);
  EXPECT_EQ(samples::fault_of(open_secret(255, 0, kLabel)), TokenFault::Forged);
  EXPECT_EQ(samples::fault_of(open_secret(1, 129, kLabel)), TokenFault::Forged);
  EXPECT_EQ(samples::fault_of(open_secret(1, 255, kLabel)), TokenFault::Forged);
}

TEST(ConnectToken, IsNothingThatWasSealedForAnotherUse) {
  EXPECT_FALSE(open_secret(1, 0, "tickbox resume ticket"));
  EXPECT_FALSE(open_secret(1, 0, ""));
}

}  // namespace
}  // namespace tickbox::net
