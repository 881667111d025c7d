// Clients that the operator puts out: by their id, or by the key that has admitted them. Their
// sessions end, and they come back neither by token nor by ticket.

#include "tests/threats/raw_peer.h"

#include <gtest/gtest.h>

namespace tickbox::tests {
namespace {

using server::DenyList;
using std::chrono::seconds;

constexpr std::uint64_t kDenied = 7;

struct Doors {
  SeededEntropy entropy{41};
  net::KeyRing keys = net::KeyRing::fresh(entropy);
  Harness harness{{.seed = 41, .keys = keys}};
  Wire wire{harness};

  std::size_t add(std::uint64_t client) {
    return harness.add_client({}, make_token(harness, keys, client));
  }

  std::size_t deny(std::vector<std::uint64_t> clients) {
    return harness.shard().set_denied(DenyList{std::move(clients)}, harness.now());
  }

  [[nodiscard]] bool plays(std::size_t client) const { return harness.client(client).playing(); }

  [[nodiscard]] std::uint64_t kicked() {
    return harness.shard()
        .metrics()
        .disconnects[static_cast<std::size_t>(net::DisconnectReason::Kicked)];
  }
};

TEST(Threat, DeniedClientIsPutOutAndTheOthersPlayOn) {
  Doors doors;
  const std::size_t denied = doors.add(kDenied);
  const std::size_t other = doors.add(8);
  doors.harness.run_for(seconds{2});
  ASSERT_TRUE(doors.plays(denied) && doors.plays(other));
  EXPECT_EQ(doors.deny({9, kDenied}), 1U);
  EXPECT_EQ(doors.kicked(), 1U);
  doors.harness.run_for(seconds{5});
  EXPECT_EQ(doors.harness.client(denied).connection().state(), client::Connection::State::Closed);
  EXPECT_EQ(doors.harness.client(other).connection().state(), client::Connection::State::Connected);
  EXPECT_EQ(doors.harness.client(other).stats().hashes_mismatched, 0U);
  EXPECT_EQ(doors.harness.shard().clients(), 1U);
  EXPECT_EQ(doors.harness.shard().seats_held(), 1U);
}

TEST(Threat, DeniedClientReturnsNeitherByTokenNorByTicket) {
  Doors doors;
  RawPeer peer{doors.harness, doors.wire, stranger_far_away(1)};
  ASSERT_TRUE(peer.connect(make_token(doors.harness, doors.keys, kDenied)).accepted);
  const net::ResumeTicket ticket = peer.ticket();
  peer.send_nothing_new();
  doors.harness.run_for(seconds{1});
  EXPECT_EQ(doors.deny({kDenied}), 1U);
  EXPECT_GE(peer.received(net::PacketType::Disconnect), 1U);

  RawPeer by_token{doors.harness, doors.wire, stranger_far_away(2)};
  RawPeer by_ticket{doors.harness, doors.wire, stranger_far_away(3)};
  const Answer to_token = by_token.connect(make_token(doors.harness, doors.keys, kDenied));
  EXPECT_TRUE(to_token.refused_as(net::RefuseReason::Denied));
  EXPECT_TRUE(to_token.refusal_is_proven);
  const Answer to_ticket = by_ticket.resume(ticket);
  EXPECT_TRUE(to_ticket.refused_as(net::RefuseReason::Denied));
  EXPECT_TRUE(to_ticket.refusal_is_proven);

  // Taken off the list again: the ticket stays over, and a token admits.
  EXPECT_EQ(doors.deny({}), 0U);
  EXPECT_TRUE(by_ticket.resume(ticket).refused_as(net::RefuseReason::TicketOver));
  EXPECT_TRUE(by_token.connect(make_token(doors.harness, doors.keys, kDenied)).accepted);
}

TEST(Threat, DeniedClientLosesTheBodyThatWaitsForIt) {
  Doors doors;
  const std::size_t denied = doors.add(kDenied);
  doors.harness.run_for(seconds{2});
  doors.harness.silence(denied);
  doors.harness.run_for(seconds{7});
  ASSERT_EQ(doors.harness.shard().clients(), 0U);
  ASSERT_EQ(doors.harness.shard().seats_held(), 1U);
  EXPECT_EQ(doors.deny({kDenied}), 1U);
  EXPECT_EQ(doors.harness.shard().seats_held(), 0U);
  doors.harness.wake(denied);
  doors.harness.run_for(seconds{5});
  EXPECT_EQ(doors.harness.client(denied).connection().state(), client::Connection::State::Closed);
  EXPECT_EQ(doors.harness.shard().clients(), 0U);
}

TEST(Threat, DeniedClientThatHasNotProvenItsKeysIsPutOutToo) {
  Doors doors;
  RawPeer peer{doors.harness, doors.wire, stranger_far_away(1)};
  ASSERT_TRUE(peer.connect(make_token(doors.harness, doors.keys, kDenied)).accepted);
  EXPECT_EQ(doors.deny({kDenied}), 1U);
  EXPECT_EQ(doors.kicked(), 0U);  // it has not played
  peer.send_nothing_new();
  doors.harness.run_for(seconds{1});
  EXPECT_EQ(doors.harness.shard().clients(), 0U);
  EXPECT_EQ(doors.harness.shard().seats_held(), 0U);
}

// A fresh key file has a key with the id of the old one: the id alone does not tell them apart.
TEST(Threat, CompromisedKeyThatIsReplacedUnderItsIdPutsItsClientsOut) {
  Doors doors;
  const std::size_t client = doors.add(1);
  doors.harness.run_for(seconds{2});
  const net::KeyRing fresh = net::KeyRing::fresh(doors.entropy);
  ASSERT_EQ(fresh.newest().id, doors.keys.newest().id);
  EXPECT_EQ(doors.harness.shard().set_keys(doors.keys, doors.harness.now()), 0U);
  EXPECT_EQ(doors.harness.shard().set_keys(fresh, doors.harness.now()), 1U);
  doors.harness.run_for(seconds{5});
  EXPECT_EQ(doors.harness.client(client).connection().state(), client::Connection::State::Closed);
  EXPECT_EQ(doors.harness.shard().seats_held(), 0U);
}

}  // namespace
}  // namespace tickbox::tests
