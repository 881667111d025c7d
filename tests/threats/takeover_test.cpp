// Client ids: one player holds one seat. A newer token of the same client takes that seat over.
// Nobody else can disturb its player.

#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

namespace tickbox::tests {
namespace {

using net::PacketType;
using net::RefuseReason;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kPlayer = 7;

struct Account {
  Harness harness;
  Wire wire{harness};
  RawPeer first{harness, wire, stranger_far_away(1)};
  RawPeer second{harness, wire, stranger_far_away(2)};
  RawPeer third{harness, wire, stranger_far_away(3)};

  explicit Account(const HarnessOptions& options = {.seed = 51}) : harness(options) {}

  /// A token issued now.
  net::ConnectToken token(std::uint64_t client = kPlayer) {
    return make_token(harness, net::KeyRing::published(), client);
  }

  bool begins(RawPeer& peer) {
    const bool accepted = peer.connect(token()).accepted.has_value();
    if (accepted) begin(peer);
    return accepted;
  }

  void begin(RawPeer& peer) {
    peer.send_nothing_new();
    harness.run_for(milliseconds{50});
  }

  void pass(milliseconds time, RawPeer& alive) {
    for (milliseconds passed{}; passed < time; passed += milliseconds{100}) {
      alive.send_nothing_new();
      harness.run_for(milliseconds{100});
    }
  }

  std::uint64_t taken_over() {
    return harness.shard()
        .metrics()
        .disconnects[static_cast<std::size_t>(net::DisconnectReason::TakenOver)];
  }
};

TEST(Threat, AccountOfOnePlayerHoldsOneSeat) {
  Account account;
  ASSERT_TRUE(account.begins(account.first));
  const net::Accept before = account.first.accepted().accept;
  const net::ResumeTicket ticket = account.first.ticket();
  ASSERT_TRUE(account.second.connect(account.token()).accepted);
  const net::Accept after = account.second.accepted().accept;
  EXPECT_EQ(after.player, before.player);
  EXPECT_EQ(after.generation, before.generation);
  account.first.inbox().clear();
  account.pass(milliseconds{200}, account.first);
  EXPECT_GE(account.first.received(PacketType::Snapshot), 2U) << "the newcomer has proven nothing";
  EXPECT_EQ(account.first.received(PacketType::Disconnect), 0U);

  account.begin(account.second);
  EXPECT_EQ(account.first.received(PacketType::Disconnect), 3U);
  EXPECT_GE(account.second.received(PacketType::Snapshot), 1U);
  EXPECT_EQ(account.taken_over(), 1U);
  EXPECT_EQ(account.harness.shard().clients(), 1U);
  EXPECT_EQ(account.harness.shard().seats_held(), 1U);
  EXPECT_TRUE(account.first.resume(ticket).refused_as(RefuseReason::TicketOver));
}

TEST(Threat, AccountIsTakenOverByTheNewestTokenOnly) {
  Account account;
  const net::ConnectToken older = account.token();
  account.harness.run_for(milliseconds{1});
  const net::ConnectToken newer = account.token();
  ASSERT_TRUE(account.first.connect(newer).accepted);
  const Answer beside = account.second.connect(older);
  EXPECT_TRUE(beside.refused_as(RefuseReason::TokenUsed)) << "while the newer one is pending";
  EXPECT_TRUE(beside.refusal_is_proven);
  account.begin(account.first);
  EXPECT_TRUE(account.second.connect(older).refused_as(RefuseReason::TokenUsed));
  account.first.say_goodbye();
  account.harness.run_for(seconds{1});
  EXPECT_TRUE(account.second.connect(older).refused_as(RefuseReason::TokenUsed))
      << "its seat is free, and the newer token was used";
  EXPECT_TRUE(account.second.connect(account.token()).accepted);
}

// Three programs with one account take its seat from each other, each with a new token.
TEST(Threat, AccountChangesHandsOnceInTwoSeconds) {
  Account account;
  ASSERT_TRUE(account.begins(account.first));
  ASSERT_TRUE(account.begins(account.second));
  EXPECT_TRUE(account.third.connect(account.token()).dropped());
  account.pass(milliseconds{1'500}, account.second);
  EXPECT_TRUE(account.third.connect(account.token()).dropped());
  EXPECT_EQ(account.taken_over(), 1U);
  account.pass(milliseconds{600}, account.second);
  EXPECT_TRUE(account.begins(account.third));
  EXPECT_EQ(account.taken_over(), 2U);
  EXPECT_EQ(account.harness.shard().clients(), 1U);
}

TEST(Threat, AccountThatIsNotTakenOverInTheEndPlaysOn) {
  Account account;
  ASSERT_TRUE(account.begins(account.first));
  const net::ConnectToken token = account.token();
  ASSERT_TRUE(account.second.connect(token).accepted);
  account.first.inbox().clear();
  account.pass(seconds{6}, account.first);
  EXPECT_EQ(account.harness.shard().clients(), 1U);
  EXPECT_EQ(account.taken_over(), 0U);
  EXPECT_EQ(account.first.received(PacketType::Disconnect), 0U);
  EXPECT_TRUE(account.third.connect(token).accepted) << "the pending session was given up";
}

TEST(Threat, AccountGetsItsBodyBackWithoutATicketAfterACrash) {
  Account account;
  ASSERT_TRUE(account.begins(account.first));
  const Player player{account.first.accepted().accept.player.value};
  const engine::World& world = account.harness.world();
  account.harness.run_for(milliseconds{50});
  const BodyId body = world.id(world.avatar_of(player));
  account.harness.run_for(seconds{10});
  ASSERT_EQ(account.harness.shard().clients(), 0U);
  ASSERT_EQ(account.harness.shard().seats_held(), 1U);
  ASSERT_TRUE(account.begins(account.second));
  EXPECT_EQ(account.second.accepted().accept.player.value, player.seat);
  EXPECT_EQ(world.id(world.avatar_of(player)), body);
  EXPECT_EQ(account.harness.shard().seats_held(), 1U);
  account.pass(seconds{40}, account.second);
  EXPECT_EQ(account.harness.shard().clients(), 1U) << "its body stays";
}

// Before the fix, one account with many tokens filled a server.
TEST(Threat, AccountWithManyTokensKeepsNobodyOut) {
  Account account{{.seed = 52, .max_clients = 4}};
  for (std::uint32_t i = 0; i < 16; ++i) {
    RawPeer peer{account.harness, account.wire, stranger_far_away(10 + i)};
    if (peer.connect(account.token()).accepted && i % 2 == 0) account.begin(peer);
    EXPECT_EQ(account.harness.shard().seats_held(), 1U);
  }
  for (std::uint32_t other = 100; other < 103; ++other) {
    RawPeer peer{account.harness, account.wire, stranger_far_away(other)};
    EXPECT_TRUE(peer.connect(account.token(other)).accepted);
  }
  EXPECT_EQ(account.harness.shard().seats_held(), 4U);
  EXPECT_TRUE(account.third.connect(account.token(200)).refused_as(RefuseReason::Full));
}

TEST(Threat, AccountOfALoadTestHoldsTheSeatsThatItsServerAllows) {
  Account account{{.seed = 53, .seats_per_client = 3}};
  const net::ConnectToken older = account.token();
  account.harness.run_for(milliseconds{1});
  ASSERT_TRUE(account.begins(account.first));
  ASSERT_TRUE(account.begins(account.second));
  EXPECT_EQ(account.harness.shard().seats_held(), 2U);
  ASSERT_TRUE(account.third.connect(older).accepted) << "each token stands for itself";
  account.begin(account.third);
  EXPECT_EQ(account.harness.shard().clients(), 3U);
  RawPeer fourth{account.harness, account.wire, stranger_far_away(4)};
  EXPECT_TRUE(fourth.connect(older).refused_as(RefuseReason::TokenUsed));
  EXPECT_TRUE(account.begins(fourth));
  EXPECT_EQ(account.harness.shard().clients(), 3U) << "it has taken over one of the three";
}

// An account has two seats, and both are contested. A token that is shown again stays in its seat.
// Before the fix, it replaced the session that was pending in the other seat, which then played
// without a view.
TEST(Threat, AccountOfTwoSeatsShowsATokenAgain) {
  Account account{{.seed = 55, .seats_per_client = 2}};
  ASSERT_TRUE(account.first.connect(account.token(kPlayer + 1)).accepted);
  account.begin(account.first);
  ASSERT_TRUE(account.begins(account.second));
  ASSERT_TRUE(account.begins(account.third));
  RawPeer fourth{account.harness, account.wire, stranger_far_away(4)};
  const net::ConnectToken shown_twice = account.token();
  ASSERT_TRUE(fourth.connect(shown_twice).accepted);
  account.first.say_goodbye();
  account.third.say_goodbye();
  account.harness.run_for(milliseconds{50});

  RawPeer fifth{account.harness, account.wire, stranger_far_away(5)};
  ASSERT_TRUE(account.begins(fifth));
  RawPeer sixth{account.harness, account.wire, stranger_far_away(6)};
  ASSERT_TRUE(sixth.connect(account.token()).accepted);
  ASSERT_TRUE(fourth.connect(shown_twice).accepted);
  account.begin(sixth);
  account.begin(fourth);
  EXPECT_EQ(account.harness.shard().clients(), 2U);
  EXPECT_EQ(account.harness.shard().seats_held(), 2U);
  EXPECT_GE(sixth.received(PacketType::Snapshot), 1U);
  EXPECT_GE(fourth.received(PacketType::Snapshot), 1U);
}

TEST(Threat, AccountCannotBeTakenOverWithAKeyThatWasRemoved) {
  SeededEntropy entropy{54};
  net::KeyRing old_ring = net::KeyRing::fresh(entropy);
  net::KeyRing both = old_ring;
  ASSERT_TRUE(both.rotate(entropy));
  Harness harness{{.seed = 54, .keys = both}};
  Wire wire{harness};
  RawPeer first{harness, wire, stranger_far_away(1)};
  ASSERT_TRUE(first.connect(make_token(harness, both, kPlayer)).accepted);
  first.send_nothing_new();
  harness.run_for(milliseconds{50});
  RawPeer thief{harness, wire, stranger_far_away(2)};
  ASSERT_TRUE(thief.connect(make_token(harness, old_ring, kPlayer)).accepted);

  const net::RingKey& newest = both.newest();
  const net::KeyRing only_new =
      net::KeyRing::parse(std::to_string(newest.id) + " " + net::to_hex(newest.key) + "\n").value();
  EXPECT_EQ(harness.shard().set_keys(only_new, harness.now()), 0U);
  thief.send_nothing_new();
  harness.run_for(milliseconds{50});
  EXPECT_EQ(first.received(PacketType::Disconnect), 0U);
  EXPECT_EQ(harness.shard().clients(), 1U);
}

}  // namespace
}  // namespace tickbox::tests
