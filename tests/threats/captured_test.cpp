// What an eavesdropper has of a handshake is sent again: later, or from elsewhere, or put together
// in a new way. No session may notice, and nobody may come in with it.

#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tickbox::tests {
namespace {

using net::DropReason;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Every datagram of a type that a client has sent.
class Capture {
 public:
  Capture(Wire& wire, net::PacketType type) {
    wire.listen([this, type](const Wire::Passed& passed) {
      if (passed.where == Wire::Where::ToServer && net::packet_type(passed.bytes) == type) {
        datagrams_.push_back({.from = passed.client, .bytes = copy_of(passed.bytes)});
      }
    });
  }

  struct Captured {
    net::Address from;
    Bytes bytes;
  };

  [[nodiscard]] const std::vector<Captured>& datagrams() const { return datagrams_; }

 private:
  std::vector<Captured> datagrams_;
};

struct Scene {
  /// This bot changes its input in nearly every tick, so nearly every tick has a snapshot.
  Harness harness{{.seed = 21, .link = {.delay = milliseconds{10}}, .bot = "stress"}};
  Wire wire{harness};
  Capture connects{wire, net::PacketType::Connect};
  Capture resumes{wire, net::PacketType::Resume};
  std::size_t victim = harness.add_client();

  void expect_undisturbed(std::uint32_t sessions) {
    const client::ClientStats before = harness.client(victim).stats();
    harness.run_for(seconds{7});
    const client::ClientStats after = harness.client(victim).stats();
    EXPECT_EQ(harness.client(victim).connection().sessions(), sessions);
    EXPECT_EQ(harness.client(victim).connection().state(), client::Connection::State::Connected);
    EXPECT_EQ(after.packets_lost, before.packets_lost);
    EXPECT_EQ(after.hashes_mismatched, 0U);
    // A tick in which the input happens to stay as it was may have no snapshot.
    constexpr std::uint64_t kInSevenSeconds = 7 * 60 * 19 / 20;
    EXPECT_GE(after.snapshots_received, before.snapshots_received + kInSevenSeconds);
    EXPECT_EQ(harness.shard().clients(), 1U);
  }
};

TEST(Threat, StolenTokenInACapturedConnectFromAnotherAddressIsABadCookie) {
  Scene scene;
  scene.harness.run_for(milliseconds{42});  // HELLO, COOKIE, CONNECT: and nothing has come back
  ASSERT_FALSE(scene.connects.datagrams().empty());
  RawPeer thief{scene.harness, scene.wire, stranger_far_away(1)};
  const Bytes captured = scene.connects.datagrams().front().bytes;
  const auto before = scene.harness.shard().metrics().drops.of(DropReason::BadCookie);
  for (int i = 0; i < 100; ++i) {
    thief.send(captured);
    scene.harness.run_for(milliseconds{1});
  }
  EXPECT_EQ(scene.harness.shard().metrics().drops.of(DropReason::BadCookie), before + 100);
  EXPECT_TRUE(thief.inbox().empty());
  scene.harness.run_for(seconds{1});
  scene.expect_undisturbed(1);
}

// The thief asks for a cookie under the client's own nonce, and puts it into the captured CONNECT.
// The tag does not fit.
TEST(Threat, StolenTokenInACapturedConnectWithACookieOfTheThiefsIsForged) {
  for (const Duration when : {milliseconds{42}, milliseconds{2'000}}) {
    Scene scene;
    scene.harness.run_for(when);
    ASSERT_FALSE(scene.connects.datagrams().empty());
    RawPeer thief{scene.harness, scene.wire, stranger_far_away(1)};
    Bytes spliced = scene.connects.datagrams().front().bytes;
    const auto request = net::decode_request(spliced);
    ASSERT_TRUE(request.has_value());
    net::PacketBuffer packet{};
    thief.send(net::encode_hello(net::make_request(net::PacketType::Hello, request->client_nonce),
                                 packet));
    scene.harness.run_for(milliseconds{1});
    ASSERT_EQ(thief.inbox().size(), 1U);
    const auto cookie = net::decode_cookie(thief.inbox().front());
    ASSERT_TRUE(cookie.has_value());
    const net::CookieBytes theirs = net::cookie_of(spliced);
    const auto place = std::ranges::search(spliced, theirs);
    ASSERT_FALSE(place.empty());
    std::ranges::copy(cookie->cookie, place.begin());
    thief.inbox().clear();
    const auto before = scene.harness.shard().metrics().drops.of(DropReason::Forged);
    thief.send(spliced);
    scene.harness.run_for(milliseconds{1});
    EXPECT_EQ(scene.harness.shard().metrics().drops.of(DropReason::Forged), before + 1);
    EXPECT_TRUE(thief.inbox().empty());
    scene.harness.run_for(seconds{1});
    scene.expect_undisturbed(1);
  }
}

TEST(Threat, ReplayOfACapturedConnectFromItsOwnAddressDisturbsNoSession) {
  Scene scene;
  scene.harness.run_for(seconds{1});
  ASSERT_TRUE(scene.harness.client(scene.victim).playing());
  const auto [address, bytes] = scene.connects.datagrams().front();
  for (int i = 0; i < 300; ++i) {  // while its cookie is good, and long after
    scene.harness.network().inject(address, bytes);
    scene.harness.run_for(milliseconds{20});
  }
  scene.expect_undisturbed(1);
}

TEST(Threat, ReplayOfACapturedConnectAfterItsSessionIsOverLetsNobodyIn) {
  Scene scene;
  scene.harness.run_for(seconds{1});
  const auto [address, bytes] = scene.connects.datagrams().front();
  scene.harness.leave(scene.victim);
  scene.harness.run_for(milliseconds{100});
  scene.harness.silence(scene.victim);
  for (int i = 0; i < 300; ++i) {
    scene.harness.network().inject(address, bytes);
    scene.harness.run_for(milliseconds{20});
  }
  EXPECT_EQ(scene.harness.shard().clients(), 0U);
  EXPECT_EQ(scene.harness.shard().metrics().connections[0], 1U) << "sessions ever accepted";
}

TEST(Threat, ReplayOfACapturedResumeDisturbsNoSession) {
  Scene scene;
  scene.harness.run_for(seconds{1});
  scene.harness.restart_with_ticket(scene.victim);
  scene.harness.run_for(seconds{1});
  ASSERT_EQ(scene.harness.client(scene.victim).connection().resumed(), 1U);
  ASSERT_FALSE(scene.resumes.datagrams().empty());
  const auto [address, bytes] = scene.resumes.datagrams().front();
  RawPeer thief{scene.harness, scene.wire, stranger_far_away(1)};
  for (int i = 0; i < 300; ++i) {
    scene.harness.network().inject(address, bytes);
    thief.send(bytes);
    scene.harness.run_for(milliseconds{20});
  }
  EXPECT_EQ(thief.received(net::PacketType::Accept), 0U);
  EXPECT_EQ(thief.received(net::PacketType::Refuse), thief.inbox().size());
  scene.expect_undisturbed(1);
  EXPECT_EQ(scene.harness.shard().metrics().connections[1], 1U) << "sessions ever resumed";
}

// The thief sends a RESUME that never arrived. Its ticket is good, but the thief cannot read the
// server's answer. So the old session goes on, and its owner comes back by the same ticket.
TEST(Threat, ReplayOfAResumeThatNeverArrivedDoesNotKeepItsOwnerOut) {
  Scene scene;
  scene.harness.run_for(seconds{1});
  const net::ResumeTicket ticket = scene.harness.client(scene.victim).connection().ticket();
  scene.harness.silence(scene.victim);
  RawPeer owner{scene.harness, scene.wire, stranger_far_away(7)};
  const Bytes lost = owner.make_resume(ticket);
  RawPeer thief{scene.harness, scene.wire, stranger_far_away(8)};
  for (int i = 0; i < 100; ++i) {
    thief.send(lost);
    scene.harness.run_for(milliseconds{20});
  }
  EXPECT_EQ(scene.harness.shard().metrics().connections[1], 1U) << "one session, begun again";
  ASSERT_TRUE(owner.resume(ticket).accepted);
  owner.send_nothing_new();
  scene.harness.run_for(milliseconds{100});
  EXPECT_GE(owner.received(net::PacketType::Snapshot), 1U);
  EXPECT_EQ(scene.harness.shard().clients(), 1U);
}

// Between the server's ACCEPT and the client's first packet, the same RESUME comes from elsewhere.
// It is a copy, and must not take the place of the RESUME that it copies.
TEST(Threat, ReplayOfACapturedResumeWhileItIsPendingDisturbsNoSession) {
  Scene scene;
  scene.harness.run_for(seconds{1});
  scene.harness.restart_with_ticket(scene.victim);
  scene.harness.run_for(milliseconds{12});
  ASSERT_FALSE(scene.resumes.datagrams().empty());
  RawPeer thief{scene.harness, scene.wire, stranger_far_away(1)};
  thief.send(scene.resumes.datagrams().front().bytes);
  scene.harness.run_for(seconds{1});
  EXPECT_TRUE(thief.inbox().empty());
  EXPECT_EQ(scene.harness.client(scene.victim).connection().resumed(), 1U);
  scene.expect_undisturbed(1);
}

// A ticket that was used is over. The newest ticket lets nobody in without its keys, or if it is
// altered.
TEST(Threat, StolenTicketIsOverOnceTheSeatHasANewerOne) {
  Scene scene;
  scene.harness.run_for(seconds{1});
  const net::ResumeTicket first = scene.harness.client(scene.victim).connection().ticket();
  scene.harness.restart_with_ticket(scene.victim);
  scene.harness.run_for(seconds{1});
  RawPeer thief{scene.harness, scene.wire, stranger_far_away(1)};
  EXPECT_TRUE(thief.resume(first).refused_as(net::RefuseReason::TicketOver));
  net::ResumeTicket without_keys = scene.harness.client(scene.victim).connection().ticket();
  without_keys.keys = first.keys;
  EXPECT_TRUE(thief.resume(without_keys).dropped()) << "seen on the path, without its keys";
  EXPECT_EQ(thief.received(net::PacketType::Accept), 0U) << "nor any answer that it cannot read";
  net::ResumeTicket altered = without_keys;
  altered.sealed[60] ^= std::byte{1};
  EXPECT_TRUE(thief.resume(altered).refused_as(net::RefuseReason::TicketForged));
  scene.expect_undisturbed(1);
}

}  // namespace
}  // namespace tickbox::tests
