// Tokens and tickets as one line of text, as they are handed out and stored.

#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <string>

namespace tickbox::net {
namespace {

ConnectToken token() {
  return samples::token(samples::ring());
}

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

TEST(TokenText, IsReadAsItWasWritten) {
  const auto read = parse_token(to_text(token()));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->sealed, token().sealed);
  EXPECT_EQ(read->keys, token().keys);
  EXPECT_TRUE(std::ranges::equal(read->servers, token().servers));
}

TEST(TokenText, IsOneLineThatNeedsNoQuotes) {
  for (const std::string& text : {to_text(token()), to_text(samples::resume_ticket())}) {
    EXPECT_EQ(text.find_first_not_of(std::string{kAlphabet} + "."), std::string::npos);
  }
}

TEST(TokenText, MayHaveBlanksAndLineEndsAroundIt) {
  const std::string text = to_text(token());
  for (const char* before : {"", " ", "\t\r\n"}) {
    for (const char* after : {"", "\n", " \r\n\n"}) {
      EXPECT_TRUE(parse_token(before + text + after));
    }
  }
  EXPECT_FALSE(parse_token(text + " " + text));
  EXPECT_FALSE(parse_token(text.substr(0, 40) + "\n" + text.substr(40)));
}

TEST(TokenText, SaysWhatItIsNot) {
  for (const char* text : {"", " \n", "token", "tickbox-token-2.AAAA", "tickbox-token-1"}) {
    EXPECT_EQ(samples::fault_of(parse_token(text)),
              "is no connect token: one is a line that begins with tickbox-token-1.");
  }
  EXPECT_EQ(samples::fault_of(parse_token("tickbox-token-1.")),
            "is a connect token that was cut short or altered");
  EXPECT_EQ(samples::fault_of(parse_token(to_text(samples::resume_ticket()))),
            "is no connect token: one is a line that begins with tickbox-token-1.");
  EXPECT_EQ(samples::fault_of(parse_ticket(to_text(token()))),
            "is no resume ticket: one is a line that begins with tickbox-ticket-1.");
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

/// Of a token with two servers: from this letter on, its text is of places where servers could be.
constexpr std::size_t kUnusedServersAt = 16 + (620 - 6 * 18) * 8 / 6;

// No two texts mean the same: whatever letter is changed, it is another token or none.
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
      EXPECT_EQ(read.error(), "is a connect token that names no server");
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

}  // namespace
}  // namespace tickbox::net
