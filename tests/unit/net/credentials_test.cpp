// Connect tokens and resume tickets: sealed, opened, and as text.

#include "net/connect_token.h"
#include "net/handshake.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

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
  std::set<SecretKey> keys;
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

// No flip of the id names another key of this ring; the next test uses the id of another key.
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
  // The newest id is 16 = 0b10000. A flip of its one bit names the published key, a flip of the
  // four bits below names 17, 18, 20 or 24, and any other flip a number above. The ring has none of
  // these.
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

// Opens a token with a right seal around a secret with these fields.
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

SealedTicket sealed() {
  return samples::resume_ticket().sealed;
}

TEST(ResumeTicket, TellsItsServerEverythingThatWasSealed) {
  EXPECT_EQ(open_ticket(sealed(), samples::ticket_key()), samples::ticket());
  EXPECT_EQ(ticket_boot(sealed()), samples::kBoot);
}

TEST(ResumeTicket, CarriesTheLargestOfEverything) {
  SecretKey ones{};
  ones.fill(std::byte{0xff});
  const Ticket largest{.seat = {0xffff},
                       .generation = 0xffff'ffff,
                       .serial = 0xffff'ffff,
                       .room = 0xffff'ffff,
                       .client = ~std::uint64_t{0},
                       .keys = {.to_server = ones, .to_client = ones}};
  tests::SeededEntropy entropy{1};
  const auto ticket = seal_ticket(largest, ~std::uint64_t{0}, samples::ticket_key(), entropy);
  EXPECT_EQ(open_ticket(ticket, samples::ticket_key()), largest);
  EXPECT_EQ(ticket_boot(ticket), ~std::uint64_t{0});
}

TEST(ResumeTicket, OfAnotherServerDoesNotOpen) {
  SecretKey other = samples::ticket_key();
  other[31] ^= std::byte{1};
  EXPECT_FALSE(open_ticket(sealed(), other));
  EXPECT_FALSE(open_ticket(sealed(), published_key()));
}

TEST(ResumeTicket, IsSealedAnotherWayEachTime) {
  tests::SeededEntropy entropy{1};
  std::set<SealedTicket> tickets;
  for (int i = 0; i < 100; ++i)
    tickets.insert(seal_ticket(samples::ticket(), samples::kBoot, samples::ticket_key(), entropy));
  EXPECT_EQ(tickets.size(), 100U);
}

TEST(ResumeTicket, NeverOpensWithABitFlipped) {
  samples::with_each_bit_flipped(sealed(), [](const SealedTicket& altered, std::size_t bit) {
    ASSERT_FALSE(open_ticket(altered, samples::ticket_key())) << "bit " << bit;
  });
}

// The same key, bytes of the same length: only the label says what they were sealed for.
TEST(ResumeTicket, IsNothingThatWasSealedForAnotherUse) {
  for (const std::string_view label : {"tickbox resume ticket", "tickbox connect token", ""}) {
    SealedTicket ticket{std::byte{1}};
    std::vector<std::byte> clear = samples::copy_of(as_bytes_of(label));
    clear.insert(clear.end(), ticket.begin(), ticket.begin() + kTicketHeadBytes);
    const std::array<std::byte, kTicketSecretBytes> secret{};
    seal_drawn(samples::ticket_key(), LongNonce{}, clear, secret,
               MutableBytes{ticket}.subspan(kTicketHeadBytes + kLongNonceBytes));
    EXPECT_EQ(open_ticket(ticket, samples::ticket_key()).has_value(),
              label == "tickbox resume ticket");
  }
}

// Tokens and tickets as one line of text, as they are handed out and stored.

ConnectToken token() {
  return samples::token(samples::ring());
}

TEST(TokenText, IsReadAsItWasWritten) {
  const auto read = parse_token(to_text(token()));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->sealed, token().sealed);
  EXPECT_EQ(read->keys, token().keys);
  EXPECT_TRUE(std::ranges::equal(read->servers, token().servers));
}

TEST(TokenText, MayHaveBlanksAndLineEndsAroundIt) {
  const std::string text = to_text(token());
  for (const char* before : {"", " ", "\t\r\n"})
    for (const char* after : {"", "\n", " \r\n\n"})
      EXPECT_TRUE(parse_token(before + text + after));
  EXPECT_FALSE(parse_token(text + " " + text));
  EXPECT_FALSE(parse_token(text.substr(0, 40) + "\n" + text.substr(40)));
}

TEST(TokenText, SaysWhatItIsNot) {
  for (const char* text : {"", " \n", "token", "tickbox-token-2.AAAA", "tickbox-token-1"}) {
    EXPECT_EQ(samples::fault_of(parse_token(text)),
              "is not a connect token: a token is a line that begins with tickbox-token-1.");
  }
  EXPECT_EQ(samples::fault_of(parse_token("tickbox-token-1.")),
            "is a connect token that was cut short or altered");
  EXPECT_EQ(samples::fault_of(parse_token(to_text(samples::resume_ticket()))),
            "is not a connect token: a token is a line that begins with tickbox-token-1.");
  EXPECT_EQ(samples::fault_of(parse_ticket(to_text(token()))),
            "is not a resume ticket: a ticket is a line that begins with tickbox-ticket-1.");
  EXPECT_FALSE(parse_ticket(""));
}

TEST(TokenText, IsNoTokenWhenCutOrLonger) {
  const std::string text = to_text(token());
  for (std::size_t size = 0; size < text.size(); ++size)
    ASSERT_FALSE(parse_token(text.substr(0, size))) << size;
  for (const char tail : {'A', '=', '_', '+', '\0'})
    EXPECT_FALSE(parse_token(text + tail)) << tail;
  const std::string ticket = to_text(samples::resume_ticket());
  for (std::size_t size = 0; size < ticket.size(); ++size)
    ASSERT_FALSE(parse_ticket(ticket.substr(0, size))) << size;
  EXPECT_FALSE(parse_ticket(ticket + "A"));
}

/// The letter from which on the text of a token with two servers encodes unused server fields.
constexpr std::size_t kUnusedServersAt = 16 + (620 - 6 * 18) * 8 / 6;

// Whatever letter is changed, the text is of another token or of none. Only letters of unused
// server fields have no meaning.
TEST(TokenText, MeansSomethingElseWithAnyLetterChanged) {
  const std::string text = to_text(token());
  const std::string ticket = to_text(samples::resume_ticket());
  const auto try_all = [](const std::string& whole, auto&& look) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const char letter : {'A', 'b', '7', '-', '_', '+', '/', '=', ' ', '\n'}) {
        std::string altered = whole;
        altered[at] = letter;
        if (altered != whole) look(altered);
      }
    }
  };
  try_all(text, [&](const std::string& altered) {
    const auto read = parse_token(altered);
    if (!read) return;
    ASSERT_TRUE(read->sealed != token().sealed || read->keys != token().keys ||
                !std::ranges::equal(read->servers, token().servers) ||
                altered.substr(kUnusedServersAt) != text.substr(kUnusedServersAt))
        << altered;
  });
  try_all(ticket, [](const std::string& altered) {
    const auto read = parse_ticket(altered);
    if (!read) return;
    ASSERT_TRUE(read->sealed != samples::resume_ticket().sealed ||
                read->keys != samples::resume_ticket().keys)
        << altered;
  });
}

TEST(TokenText, NamesOneToEightServers) {
  for (const int servers : {0, 1, 8, 9, 255}) {
    std::array<std::byte, 620> bytes{};
    bytes[475] = static_cast<std::byte>(servers);
    const auto read = parse_token("tickbox-token-1." + to_base64(bytes));
    EXPECT_EQ(read.has_value(), servers == 1 || servers == 8) << servers;
    if (!read) {
      EXPECT_EQ(read.error(), "is a connect token that does not name 1 to 8 servers");
    }
  }
}

TEST(TicketText, IsReadAsItWasWritten) {
  const ResumeTicket ticket = samples::resume_ticket();
  for (const char* after : {"", "\n", " \r\n"}) {
    const auto read = parse_ticket(to_text(ticket) + after);
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->sealed, ticket.sealed);
    EXPECT_EQ(read->keys, ticket.keys);
  }
}

TEST(TicketText, IsTheTicketThenTheKeysToServerAndToClient) {
  const ResumeTicket ticket = samples::resume_ticket();
  std::array<std::byte, 2 * kKeyBytes> keys{};
  std::ranges::copy(ticket.keys.to_client,
                    std::ranges::copy(ticket.keys.to_server, keys.begin()).out);
  EXPECT_EQ(to_text(ticket), "tickbox-ticket-1." + to_base64(ticket.sealed) + to_base64(keys))
      << "135 bytes are whole letters";
}

}  // namespace
}  // namespace tickbox::net
