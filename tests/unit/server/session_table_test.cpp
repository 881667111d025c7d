#include "server/shard/session_table.h"

#include "tests/support/virtual_time.h"

#include <gtest/gtest.h>

#include <set>

namespace tickbox::server {
namespace {

tests::SeededEntropy& entropy() {
  static tests::SeededEntropy seeded{1};
  return seeded;
}

TEST(SessionTable, FindsASessionByItsConnectionAndNoOther) {
  SessionTable table{8};
  const Session& one = table.open(entropy());
  const Session& other = table.open(entropy());
  const std::uint32_t connection = table.connection_of(one);
  const std::uint32_t connection_of_other = table.connection_of(other);
  EXPECT_EQ(table.find(connection), &one);
  EXPECT_EQ(table.find(connection_of_other), &other);
  for (std::uint32_t unknown = 0; unknown < 100'000; ++unknown) {
    if (unknown == connection || unknown == connection_of_other) continue;
    ASSERT_EQ(table.find(unknown), nullptr) << unknown;
  }
  EXPECT_EQ(table.find(0xffff'ffff), nullptr);
}

TEST(SessionTable, ForgetsAConnectionWithItsSession) {
  SessionTable table{1};
  Session& session = table.open(entropy());
  session.player = {3};
  const std::uint32_t first = table.connection_of(session);
  table.close(session);
  EXPECT_EQ(table.find(first), nullptr);
  Session& next = table.open(entropy());
  EXPECT_EQ(&next, &session) << "there is one slot";
  EXPECT_EQ(next.player, PlayerId{0}) << "nothing of the first session is left";
  EXPECT_NE(table.connection_of(next), first);
  EXPECT_EQ(table.find(first), nullptr) << "late packets of the first session find nothing";
  EXPECT_EQ(table.find(table.connection_of(next)), &next);
}

TEST(SessionTable, HasASlotForEachSession) {
  SessionTable table{4};
  std::set<const Session*> open;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(open.insert(&table.open(entropy())).second);
  }
  EXPECT_EQ(open.size(), 4U);
}

TEST(SessionTable, DrawsConnectionIdsSoThatNobodyCanGuessThem) {
  SessionTable table{2};
  std::set<std::uint32_t> given;
  std::uint32_t last = 0;
  for (int i = 0; i < 1'000; ++i) {
    Session& session = table.open(entropy());
    const std::uint32_t connection = table.connection_of(session);
    EXPECT_NE(connection, last);
    last = connection;
    given.insert(connection);
    table.close(session);
  }
  EXPECT_GT(given.size(), 990U) << "of half a million";
  EXPECT_GT(*given.rbegin() - *given.begin(), std::uint32_t{1} << 31);
}

TEST(SessionTable, KnowsWhoLeftJustNowByIdAndAddress) {
  SessionTable table{2};
  const net::Address there{.port = 7};
  Session& session = table.open(entropy());
  const std::uint32_t connection = table.connection_of(session);
  session.route.peer = there;
  const Instant left{std::chrono::seconds{9}};
  EXPECT_FALSE(table.has_departed(connection, there, left)) << "it is there";
  table.record_departure(session, left);
  table.close(session);
  EXPECT_TRUE(table.has_departed(connection, there, left + kLastPackets));
  EXPECT_FALSE(table.has_departed(connection, there, left + kLastPackets + Duration{1}));
  EXPECT_FALSE(table.has_departed(connection, {.port = 8}, left));
  EXPECT_FALSE(table.has_departed(connection + 1, there, left)) << "the slot beside it";
  EXPECT_FALSE(table.has_departed(connection ^ 0x8000'0000U, there, left));
  EXPECT_FALSE(table.has_departed(0xffff'ffffU, there, left)) << "of no slot";
  Session& next = table.open(entropy());
  ASSERT_EQ(&next, &session);
  EXPECT_TRUE(table.has_departed(connection, there, left)) << "another session has the slot by now";
  next.route.peer = there;
  const std::uint32_t second = table.connection_of(next);
  table.record_departure(next, left);
  EXPECT_TRUE(table.has_departed(second, there, left));
  EXPECT_FALSE(table.has_departed(connection, there, left)) << "one is remembered of each slot";
}

}  // namespace
}  // namespace tickbox::server
