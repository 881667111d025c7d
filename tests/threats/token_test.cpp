// Stolen or forged token: it lets one client in, once, from one address, until it expires, at the
// servers and in the room it names.

#include "tests/threats/memory.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

namespace tickbox::tests::token_test {
namespace {

using net::RefuseReason;
using std::chrono::milliseconds;
using std::chrono::seconds;

const net::KeyRing& published() {
  static const net::KeyRing kRing = net::KeyRing::published();
  return kRing;
}

/// By how much somebody sets the server's calendar wrong.
constexpr milliseconds kTenYears = std::chrono::years{10};

struct Door {
  Harness harness{{.seed = 11}};
  Wire wire{harness};
  RawPeer owner{harness, wire, stranger_far_away(1)};
  RawPeer thief{harness, wire, stranger_far_away(2)};
  net::ConnectToken token = make_token(harness, published(), 1);
};

TEST(Threat, StolenTokenIsTakenFromASecondAddressWhileItIsPending) {
  Door door;
  ASSERT_TRUE(door.owner.connect(door.token).accepted);
  EXPECT_TRUE(door.thief.connect(door.token).refused_as(RefuseReason::TokenTaken));
  door.owner.send_nothing_new();
  door.harness.run_for(milliseconds{50});
  EXPECT_EQ(door.harness.shard().clients(), 1U);
  EXPECT_GE(door.owner.received(net::PacketType::Snapshot), 1U);
}

TEST(Threat, StolenTokenIsUsedFromTheFirstPacketOnAndForGood) {
  Door door;
  ASSERT_TRUE(door.owner.connect(door.token).accepted);
  door.owner.send_nothing_new();
  EXPECT_TRUE(door.thief.connect(door.token).refused_as(RefuseReason::TokenUsed));
  EXPECT_TRUE(door.owner.connect(door.token).refused_as(RefuseReason::TokenUsed))
      << "by its owner, too";
  door.owner.say_goodbye();
  door.harness.run_for(seconds{1});
  EXPECT_EQ(door.harness.shard().clients(), 0U);
  EXPECT_TRUE(door.thief.connect(door.token).refused_as(RefuseReason::TokenUsed))
      << "its session is over, and its seat free";
}

// Before the fix, a client whose network changed before its first packet stayed out until its token
// expired.
TEST(Threat, AbandonedTokenIsFreeForAnyAddressAndStillAdmitsOnce) {
  Door door;
  ASSERT_TRUE(door.owner.connect(door.token).accepted);
  door.harness.run_for(milliseconds{4'900});
  EXPECT_TRUE(door.thief.connect(door.token).refused_as(RefuseReason::TokenTaken));
  door.harness.run_for(milliseconds{200});
  EXPECT_EQ(door.harness.shard().seats_held(), 0U);

  RawPeer& elsewhere = door.thief;  // the owner, at another address
  ASSERT_TRUE(elsewhere.connect(door.token).accepted);
  EXPECT_TRUE(door.owner.connect(door.token).refused_as(RefuseReason::TokenTaken));
  elsewhere.send_nothing_new();
  door.harness.run_for(milliseconds{50});
  EXPECT_EQ(door.harness.shard().clients(), 1U);
  EXPECT_TRUE(door.owner.connect(door.token).refused_as(RefuseReason::TokenUsed));
}

// Such tokens come from a backend whose clock is ahead, or from an issuer that wants its tokens to
// outlive the history.
TEST(Threat, ForgedTimesOfATokenAreRefusedByMoreThanFiveSecondsAhead) {
  Door door;
  const auto at_the_limit = make_token(door.harness, published(), 2, {.age = -seconds{5}});
  const auto ahead =
      make_token(door.harness, published(), 3, {.age = -seconds{8}, .life = seconds{30}});
  EXPECT_TRUE(door.owner.connect(at_the_limit).accepted);
  const Answer early = door.thief.connect(ahead);
  ASSERT_TRUE(early.refused_as(RefuseReason::TokenEarly));
  EXPECT_TRUE(early.refusal_is_proven);
  EXPECT_EQ(early.refused->have, 7U);
  door.harness.run_for(seconds{3});
  EXPECT_TRUE(door.thief.connect(ahead).accepted) << "its time has come";
}

TEST(Threat, ForgedTimesOfATokenAreRefusedByALifeOfMoreThanTenMinutes) {
  Door door;
  const milliseconds ten_minutes = server::kTokenLifeMax;
  const auto longest = make_token(door.harness, published(), 2, {.life = ten_minutes});
  const auto longer =
      make_token(door.harness, published(), 3, {.life = ten_minutes + milliseconds{1}});
  EXPECT_TRUE(door.owner.connect(longest).accepted);
  const Answer answer = door.thief.connect(longer);
  ASSERT_TRUE(answer.refused_as(RefuseReason::TokenLong));
  EXPECT_TRUE(answer.refusal_is_proven);
  EXPECT_EQ(answer.refused->have, 600U);
  EXPECT_EQ(answer.refused->limit, 600U);
}

TEST(Threat, ExpiredTokenIsRefusedFromTheVeryMillisecondOn) {
  for (const bool is_in_time : {true, false}) {
    Door door;
    const WallTime arrives = door.harness.calendar().now() + milliseconds{2};
    const milliseconds left{is_in_time ? 1 : 0};
    const auto life = arrives + left - door.harness.calendar().now();
    const auto token = make_token(door.harness, published(), 2, {.life = life});
    const Answer answer = door.thief.connect(token);
    ASSERT_EQ(door.harness.calendar().now(), arrives) << "a HELLO and a CONNECT take 2 ms";
    EXPECT_EQ(answer.accepted.has_value(), is_in_time);
    EXPECT_EQ(answer.refused_as(RefuseReason::TokenExpired), !is_in_time);
  }
}

TEST(Threat, ExpiredTokenSaysForHowLong) {
  Door door;
  door.harness.run_for(seconds{20});
  const auto token =
      make_token(door.harness, published(), 2, {.age = seconds{15}, .life = seconds{3}});
  const Answer answer = door.thief.connect(token);
  ASSERT_TRUE(answer.refused_as(RefuseReason::TokenExpired));
  EXPECT_EQ(answer.refused->have, 12U);
}

TEST(Threat, StolenTokenOfAnotherServerIsRefused) {
  Door door;
  net::Address other = SimulatedNetwork::server_address();
  ++other.port;
  const auto token = make_token(door.harness, published(), 2, {.server = other});
  EXPECT_TRUE(door.thief.connect(token).refused_as(RefuseReason::TokenElsewhere));
}

TEST(Threat, StolenTokenOfAnotherRoomIsRefused) {
  Door door;
  const Answer other = door.thief.connect(make_token(door.harness, published(), 2, {.room = 7}));
  ASSERT_TRUE(other.refused_as(RefuseReason::TokenRoom));
  EXPECT_EQ(other.refused->have, 7U);
  EXPECT_TRUE(door.thief.connect(make_token(door.harness, published(), 3, {.room = 1})).accepted);
}

TEST(Threat, StolenTokenFromBeforeTheServersStartIsRefused) {
  Door door;
  const auto before = make_token(door.harness, published(), 2, {.age = milliseconds{1}});
  const auto at_start = make_token(door.harness, published(), 3);
  EXPECT_TRUE(door.thief.connect(before).refused_as(RefuseReason::TokenBeforeBoot));
  EXPECT_TRUE(door.thief.connect(at_start).accepted);
}

// The history of tokens is gone with the server that kept it; what it knew must not matter.
TEST(Threat, StolenTokenIsRefusedAfterARestartWhetherItWasUsedOrNot) {
  Door door;
  const auto never_shown = make_token(door.harness, published(), 3);
  ASSERT_TRUE(door.owner.connect(door.token).accepted);
  door.owner.send_nothing_new();
  door.harness.run_for(seconds{1});
  door.harness.restart_server();
  EXPECT_TRUE(door.thief.connect(door.token).refused_as(RefuseReason::TokenBeforeBoot));
  EXPECT_TRUE(door.thief.connect(never_shown).refused_as(RefuseReason::TokenBeforeBoot));
  EXPECT_TRUE(door.thief.resume(door.owner.ticket()).refused_as(RefuseReason::Restarted));
  EXPECT_TRUE(door.owner.connect(make_token(door.harness, published(), 4)).accepted);
}

TEST(Threat, ForgedTokenOfAKeyThatIsNotInTheRingIsRefusedByItsId) {
  Door door;
  SeededEntropy entropy{5};
  const net::KeyRing theirs = net::KeyRing::fresh(entropy);
  const Answer answer = door.thief.connect(make_token(door.harness, theirs, 2));
  ASSERT_TRUE(answer.refused_as(RefuseReason::KeyUnknown));
  EXPECT_EQ(answer.refused->have, theirs.newest().id);
}

TEST(Threat, ForgedTokenUnderTheIdOfARealKeyIsRefused) {
  SeededEntropy entropy{6};
  const net::KeyRing ours = net::KeyRing::fresh(entropy);
  const net::KeyRing theirs = net::KeyRing::fresh(entropy);
  ASSERT_EQ(ours.newest().id, theirs.newest().id);
  Harness harness{{.seed = 12, .keys = ours}};
  Wire wire{harness};
  RawPeer forger{harness, wire, stranger_far_away(1)};
  EXPECT_TRUE(forger.connect(make_token(harness, theirs, 1)).refused_as(RefuseReason::TokenForged));
  EXPECT_TRUE(forger.connect(make_token(harness, ours, 2)).accepted);
}

// The thief has the sealed part of the token, which everybody on the path sees in CONNECT. It lacks
// the token's keys, so it cannot make the tag.
TEST(Threat, StolenTokenWithoutItsKeysLetsNobodyIn) {
  Door door;
  net::ConnectToken seen = door.token;
  SeededEntropy entropy{7};
  seen.keys = {.to_server = net::draw<net::SecretKey>(entropy),
               .to_client = net::draw<net::SecretKey>(entropy)};
  const auto before = door.harness.shard().metrics().drops.of(net::DropReason::Forged);
  EXPECT_TRUE(door.thief.connect(seen).dropped());
  EXPECT_EQ(door.thief.received(net::PacketType::Accept), 0U);
  EXPECT_EQ(door.harness.shard().metrics().drops.of(net::DropReason::Forged), before + 1);
  EXPECT_TRUE(door.owner.connect(door.token).accepted) << "and it is not taken by that";
  net::ConnectToken expired = make_token(door.harness, published(), 2, {.life = milliseconds{1}});
  expired.keys = seen.keys;
  door.harness.run_for(milliseconds{10});
  EXPECT_TRUE(door.thief.connect(expired).dropped()) << "nor is anything said of a token";
}

// Each CONNECT has a damaged copy of a good token, and a cookie of the last second. None gets in,
// the limit of one network lets the server open 512 a second, and a player from elsewhere comes in
// meanwhile.
TEST(Threat, AMillionForgedTokensLetNobodyIn) {
  constexpr std::uint32_t kPerMillisecond = 100;
  const std::uint32_t milliseconds_of_attack = sized(10'000, 300);
  Harness harness{{.seed = 13}};
  Wire wire{harness};
  RawPeer forger{harness, wire, stranger_far_away(1)};
  const net::ConnectToken good = make_token(harness, published(), 1);
  Rng rng{14};
  Bytes connect;
  std::size_t newcomer = 0;
  for (std::uint32_t ms = 0; ms < milliseconds_of_attack; ++ms) {
    if (ms % 1'000 == 0) connect = forger.make_connect(good);  // with a fresh cookie
    if (ms == milliseconds_of_attack / 2) newcomer = harness.add_client();
    forger.inbox().clear();
    for (std::uint32_t i = 0; i < kPerMillisecond; ++i) {
      Bytes forged = connect;
      const ConstBytes sealed = net::sealed_token_of(forged);
      const auto token_at = static_cast<std::size_t>(sealed.data() - forged.data());
      const std::size_t bit = rng.below(8 * sealed.size());
      forged[token_at + bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      forged[token_at + rng.below(sealed.size())] ^= static_cast<std::byte>(1 + rng.below(255));
      forger.send(forged);
    }
    harness.run_for(milliseconds{1});
    ASSERT_EQ(forger.received(net::PacketType::Accept), 0U);
  }
  harness.run_for(seconds{5});
  EXPECT_TRUE(harness.client(newcomer).playing());
  EXPECT_EQ(harness.shard().clients(), 1U);
  const server::Metrics& metrics = harness.shard().metrics();
  const auto refused = [&](RefuseReason reason) {
    return metrics.refusals[static_cast<std::size_t>(reason)];
  };
  const std::uint64_t opened = refused(RefuseReason::TokenForged) +
                               refused(RefuseReason::KeyUnknown) + metrics.refusals_repeated;
  const std::uint64_t limited = metrics.drops.of(net::DropReason::RateLimited);
  EXPECT_EQ(opened + limited, std::uint64_t{kPerMillisecond} * milliseconds_of_attack);
  const std::uint64_t allowed = static_cast<std::uint64_t>(server::kOpensOfNetwork.burst) +
                                static_cast<std::uint64_t>(server::kOpensOfNetwork.per_second) *
                                    (milliseconds_of_attack / 1'000 + 1);
  EXPECT_LE(opened, allowed);
  EXPECT_GT(opened, 0U);
}

// Who issues tokens goes on by the true calendar; the server, by its own as it was at the start and
// by the time since. So no token lasts for longer or for less long than it says.
TEST(Threat, StolenTokenIsWorthNoMoreAndNoLessWhenTheServersCalendarJumps) {
  for (const milliseconds jump : {kTenYears, -kTenYears}) {
    SCOPED_TRACE(testing::Message() << "by " << jump.count() << " ms");
    Door door;
    const std::size_t player = door.harness.add_client();
    const auto for_a_minute = make_token(door.harness, published(), 2);
    const auto for_ten_seconds = make_token(door.harness, published(), 3, {.life = seconds{10}});
    const auto for_half_a_minute = make_token(door.harness, published(), 4, {.life = seconds{30}});
    ASSERT_TRUE(door.owner.connect(door.token).accepted);
    door.owner.send_nothing_new();
    door.harness.run_for(seconds{20});

    door.harness.calendar().jump(jump);
    const auto fresh = make_token(door.harness, published(), 5, {.age = jump});
    const auto before = make_token(door.harness, published(), 6, {.age = jump + seconds{30}});
    EXPECT_TRUE(door.thief.connect(fresh).accepted);
    EXPECT_TRUE(door.thief.connect(before).refused_as(RefuseReason::TokenBeforeBoot));
    EXPECT_TRUE(door.thief.connect(door.token).refused_as(RefuseReason::TokenUsed));
    EXPECT_TRUE(door.thief.connect(for_a_minute).accepted);
    const Answer late = door.thief.connect(for_ten_seconds);
    ASSERT_TRUE(late.refused_as(RefuseReason::TokenExpired));
    EXPECT_EQ(late.refused->have, 10U) << "seconds, by the time that has passed";
    door.harness.run_for(seconds{20});
    EXPECT_TRUE(door.thief.connect(for_half_a_minute).refused_as(RefuseReason::TokenExpired));
    EXPECT_EQ(door.harness.client(player).connection().sessions(), 1U);
    EXPECT_TRUE(door.harness.client(player).playing());
  }
}

class TokenRace : public testing::TestWithParam<std::uint64_t> {};

// Two whole clients, one token, links of chance: one plays, the other learns why not.
TEST_P(TokenRace, ThreatStolenTokenLetsOneOfTwoClientsIn) {
  const std::uint64_t seed = GetParam();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Harness harness{{.seed = seed}};
  const net::LinkConditions link{.delay = milliseconds{15},
                                 .jitter = milliseconds{15},
                                 .loss_ppm = 100'000,
                                 .duplicate_ppm = 50'000};
  const net::ConnectToken token = harness.make_token(1);
  const std::size_t first = harness.add_client(link, token);
  const std::size_t second = harness.add_client(link, token);
  harness.run_for(seconds{4});
  const bool first_plays = harness.client(first).playing();
  const bool second_plays = harness.client(second).playing();
  EXPECT_NE(first_plays, second_plays);
  EXPECT_EQ(harness.shard().clients(), 1U);
  const client::Connection& loser = harness.client(first_plays ? second : first).connection();
  EXPECT_EQ(loser.state(), client::Connection::State::Refused);
  EXPECT_NE(loser.reason().find("token"), std::string::npos) << loser.reason();
}

INSTANTIATE_TEST_SUITE_P(Seeds, TokenRace, testing::Range<std::uint64_t>(1, 33));

// The history is full of tokens that were all used. New ones are then refused, and no old one is
// forgotten, even if the calendar is set wrong. When the old ones have expired, there is room
// again.
TEST(Threat, AFullHistoryOfTokensRefusesAndNeverEvicts) {
  constexpr std::uint32_t kWatched = 3;
  Harness harness{{.seed = 15}};
  Wire wire{harness};
  std::vector<net::ConnectToken> watched;
  for (std::uint32_t i = 0; i < server::kTokensRemembered; ++i) {
    RawPeer peer{harness, wire, stranger_far_away(1 + i % 4'096)};
    const auto token = make_token(harness, published(), i);
    ASSERT_TRUE(peer.connect(token).accepted) << i;
    if (watched.size() < kWatched) watched.push_back(token);
    peer.send_nothing_new();
    peer.say_goodbye();
    peer.stop_listening();
  }
  harness.run_for(milliseconds{1});
  harness.calendar().jump(kTenYears);
  RawPeer late{harness, wire, stranger_far_away(60'000)};
  const auto one_more = make_token(harness, published(), 100'000,
                                   {.age = kTenYears, .life = std::chrono::minutes{5}});
  EXPECT_TRUE(late.connect(one_more).refused_as(RefuseReason::TokensFull));
  for (const net::ConnectToken& token : watched) {
    EXPECT_TRUE(late.connect(token).refused_as(RefuseReason::TokenUsed));
  }
  harness.run_for(std::chrono::minutes{1});
  EXPECT_TRUE(late.connect(one_more).refused_as(RefuseReason::TokensFull))
      << "their older tokens, of the longest life allowed, are still good elsewhere";
  harness.run_for(server::kTokenLifeMax - std::chrono::minutes{1});
  EXPECT_TRUE(late.connect(make_token(harness, published(), 100'000, {.age = kTenYears})).accepted);
  for (const net::ConnectToken& token : watched) {
    EXPECT_TRUE(late.connect(token).refused_as(RefuseReason::TokenExpired));
  }
}

}  // namespace
}  // namespace tickbox::tests::token_test
