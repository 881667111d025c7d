// Key compromise: the ring of token keys is changed while everybody plays. A key that is added
// costs nobody the match. A key that is removed opens nothing any more, and the clients that it has
// admitted are put out.

#include "tests/threats/raw_peer.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

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
}  // namespace tickbox::tests
