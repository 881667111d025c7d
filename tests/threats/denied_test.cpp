// Clients that the operator puts out: by their id, or by the key that has admitted them. Their
// sessions end, and they come back neither by token nor by ticket. The ring of keys is changed
// while everybody plays: a key that is added ends nobody's session.

#include "tests/threats/peers/raw_peer.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace tickbox::tests::denied_test {
namespace {

using server::DenyList;
using std::chrono::milliseconds;
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

  // The client is taken off the list again. Its ticket stays over, and a new token admits it.
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

/// A ring with the newest key of this one and no other.
net::KeyRing newest_of(const net::KeyRing& ring) {
  const net::RingKey& key = ring.newest();
  return net::KeyRing::parse(fmt::format("{} {}\n", key.id, net::to_hex(key.key))).value();
}

TEST(Threat, CompromisedKeyIsRetiredUnderLoadWithTheClientsThatItAdmitted) {
  SeededEntropy entropy{31};
  const net::KeyRing old_ring = net::KeyRing::fresh(entropy);
  net::KeyRing both = old_ring;
  ASSERT_TRUE(both.rotate(entropy));
  const net::KeyRing new_ring = newest_of(both);

  Harness harness{
      {.seed = 31, .link = {.delay = milliseconds{20}, .loss_ppm = 20'000}, .keys = old_ring}};
  Wire wire{harness};
  constexpr std::size_t kClients = 8;
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{2});
  EXPECT_EQ(harness.shard().set_keys(both, harness.now()), 0U);
  const std::size_t with_the_old = harness.add_client();
  const std::size_t with_the_new = harness.add_client({}, make_token(harness, both, 100));
  harness.run_for(seconds{2});
  EXPECT_TRUE(harness.client(with_the_old).playing());
  EXPECT_TRUE(harness.client(with_the_new).playing());

  harness.restart_with_ticket(0);  // tickets are of another key: they outlive the rotation
  harness.run_for(seconds{2});
  EXPECT_EQ(harness.shard().clients(), kClients + 2);
  for (std::size_t i = 0; i < kClients + 2; ++i) {
    EXPECT_EQ(harness.client(i).connection().sessions(), 1U) << "client " << i;
    EXPECT_EQ(harness.client(i).connection().state(), client::Connection::State::Connected);
  }

  const net::ConnectToken stale = make_token(harness, old_ring, 101);
  EXPECT_EQ(harness.shard().set_keys(new_ring, harness.now()), kClients + 1);
  EXPECT_EQ(harness.shard().clients(), 1U);
  RawPeer late{harness, wire, stranger_far_away(1)};
  const Answer answer = late.connect(stale);
  ASSERT_TRUE(answer.refused_as(net::RefuseReason::KeyUnknown));
  EXPECT_EQ(answer.refused->have, old_ring.newest().id);
  EXPECT_TRUE(late.connect(make_token(harness, new_ring, 102)).accepted);

  harness.run_for(seconds{10});
  EXPECT_EQ(harness.shard().clients(), 1U);
  for (std::size_t i = 0; i < kClients + 2; ++i) {
    EXPECT_EQ(harness.client(i).connection().sessions(), 1U) << "client " << i;
    EXPECT_EQ(harness.client(i).connection().state(), i == with_the_new
                                                          ? client::Connection::State::Connected
                                                          : client::Connection::State::Closed)
        << "client " << i;
    EXPECT_EQ(harness.client(i).stats().hashes_mismatched, 0U);
  }
  EXPECT_EQ(harness.log().errors(), 0);
}

}  // namespace
}  // namespace tickbox::tests::denied_test
