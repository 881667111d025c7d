// Why a packet is dropped, and why a client is refused.

#include "net/reasons.h"

#include "net/handshake.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tickbox::net {
namespace {

TEST(DropReason, HasANameOfItsOwnForEach) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kDropReasons; ++i)
    names.insert(name_of(static_cast<DropReason>(i)));
  EXPECT_EQ(names.size(), kDropReasons);
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(name_of(DropReason::UnknownConnection), "unknown_connection");
}

TEST(DropCounts, CountsEachReasonApart) {
  DropCounts counts;
  for (std::size_t i = 0; i < kDropReasons; ++i)
    for (std::size_t n = 0; n <= i; ++n)
      counts.count(static_cast<DropReason>(i));
  for (std::size_t i = 0; i < kDropReasons; ++i)
    EXPECT_EQ(counts.of(static_cast<DropReason>(i)), i + 1);
  EXPECT_EQ(counts.total(), kDropReasons * (kDropReasons + 1) / 2);
}

Refuse refuse(RefuseReason reason, std::uint32_t have = 0, std::uint32_t limit = 0) {
  return {.client_nonce = {}, .reason = reason, .have = have, .limit = limit};
}

TEST(Refusal, HasANameAndWordsOfItsOwnForEachReason) {
  std::set<std::string_view> names;
  std::set<std::string> words;
  for (std::size_t i = 1; i < kRefuseReasons; ++i) {
    const auto reason = static_cast<RefuseReason>(i);
    names.insert(name_of(reason));
    words.insert(describe(refuse(reason, 12, 34)));
  }
  EXPECT_EQ(names.size(), 23U);
  EXPECT_EQ(words.size(), 23U);
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_FALSE(words.contains("refused"));
}

TEST(Refusal, OfAClientTravelsInItsDisconnect) {
  for (std::size_t i = 0; i < kDisconnectReasons + 2; ++i) {
    const auto reason = static_cast<DisconnectReason>(i);
    const auto refusal = refusal_in(reason);
    EXPECT_EQ(refusal.has_value(), i >= 7 && i <= 9) << i;
    if (!refusal) continue;
    EXPECT_EQ(name_of(*refusal), name_of(reason));
    EXPECT_EQ(disconnect_for(*refusal), reason);
  }
}

TEST(Refusal, IsFinalIfNeitherTimeNorANewTokenHelps) {
  for (const RefuseReason reason :
       {RefuseReason::Protocol, RefuseReason::Schema, RefuseReason::KeyUnknown,
        RefuseReason::TokenForged, RefuseReason::TokenElsewhere, RefuseReason::TokenRoom,
        RefuseReason::Denied, RefuseReason::TokenLong}) {
    EXPECT_TRUE(is_final(reason)) << name_of(reason);
  }
  for (const RefuseReason reason :
       {RefuseReason::Full, RefuseReason::Draining, RefuseReason::TokenBeforeBoot,
        RefuseReason::TokensFull, RefuseReason::Restarted, RefuseReason::Overloaded}) {
    EXPECT_FALSE(is_final(reason)) << name_of(reason);
  }
}

// A client without a token sends one that is sealed with the published key, of id 0.
TEST(Refusal, TellsPeopleTheNumbersAndWhatToTry) {
  const auto names = [](const Refuse& of, std::string_view word) {
    EXPECT_TRUE(describe(of).contains(word)) << describe(of);
  };
  names(refuse(RefuseReason::Full, 64, 65), "64/65");
  names(refuse(RefuseReason::Protocol, 3, 4), "3, not 4");
  names(refuse(RefuseReason::KeyUnknown, 7), "key 7");
  names(refuse(RefuseReason::KeyUnknown, 0), "--token FILE");
  names(refuse(RefuseReason::TokenExpired, 12), "12 s");
  names(refuse(RefuseReason::TokenBeforeBoot, 4'294'967'295), "4294967295 s");
  names(refuse(RefuseReason::TokenRoom, 9), "room 9, which is not at this port");
  names(refuse(RefuseReason::TokenRoom, 9), "--shards N");
  for (const RefuseReason of_time :
       {RefuseReason::TokenExpired, RefuseReason::TokenBeforeBoot, RefuseReason::TokenEarly}) {
    names(refuse(of_time, 12), "the clock of its issuer with that of the server");
  }
}

TEST(Refusal, OfNoReasonIsNamedSo) {
  for (const int reason : {0, 24, 255}) {
    EXPECT_EQ(name_of(static_cast<RefuseReason>(reason)), "unknown");
    EXPECT_EQ(describe(refuse(static_cast<RefuseReason>(reason))), "refused");
  }
}

}  // namespace
}  // namespace tickbox::net
