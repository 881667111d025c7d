// Sessions that were accepted and whose clients never prove their keys.

#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::tests::pending_sessions_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kSeats = 4;
constexpr int kResumes = 400;  ///< and CONNECTs

std::uint64_t resumed(Harness& harness) {
  const auto result = static_cast<std::size_t>(server::ConnectionResult::Resumed);
  return harness.shard().metrics().connections[result];
}

/// Lets time pass while a client keeps its session alive.
void pass(Harness& harness, RawPeer& alive, int half_seconds) {
  for (int i = 0; i < half_seconds; ++i) {
    alive.send_nothing_new();
    harness.run_for(milliseconds{500});
  }
}

TEST(PendingSessions, AnyNumberOfResumesTakesOneSlotOfASeat) {
  Harness harness{{.max_clients = kSeats}};
  Wire wire{harness};
  RawPeer player{harness, wire, stranger_far_away(1)};
  ASSERT_TRUE(player.connect(harness.make_token(1)).accepted);
  pass(harness, player, 1);
  const net::ResumeTicket ticket = player.ticket();

  RawPeer other{harness, wire, stranger_far_away(2)};
  int accepted = 0;
  for (int i = 0; i < kResumes; ++i) {
    if (other.resume(ticket).accepted) ++accepted;
  }
  EXPECT_GE(accepted, server::kAgreementsOfSeat.burst - 1);
  EXPECT_LE(accepted, server::kAgreementsOfSeat.burst + 1) << "each costs a key agreement";
  EXPECT_EQ(harness.shard().clients(), 1U) << "nobody has proven the new keys";
  EXPECT_EQ(harness.shard().seats_held(), 1U);

  constexpr int kLongerThanTheTimeout = 14;
  pass(harness, player, kLongerThanTheTimeout);
  EXPECT_EQ(harness.shard().clients(), 1U) << "the session that plays outlives the pending one";

  for (std::uint32_t i = 1; i < kSeats; ++i) {
    harness.add_client();
  }
  pass(harness, player, 2);
  EXPECT_EQ(harness.shard().clients(), kSeats) << "no slot was lost";
  ASSERT_TRUE(other.resume(ticket).accepted);
  harness.stop();
  EXPECT_EQ(harness.shard().clients(), 0U);
  EXPECT_EQ(harness.shard().seats_held(), 0U);
}

TEST(PendingSessions, ATokenThatIsShownAgainAndAgainMakesFewSessions) {
  Harness harness{{.max_clients = kSeats}};
  Wire wire{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
  const net::ConnectToken token = harness.make_token(1);
  int accepted = 0;
  for (int i = 0; i < kResumes; ++i) {
    if (peer.connect(token).accepted) ++accepted;
  }
  EXPECT_GE(accepted, server::kAgreementsOfSeat.burst);
  EXPECT_LE(accepted, server::kAgreementsOfSeat.burst + 3) << "each costs a key agreement";
  for (std::uint64_t i = 1; i < kSeats; ++i) {
    RawPeer other{harness, wire, stranger_far_away(static_cast<std::uint32_t>(10 + i))};
    EXPECT_TRUE(other.connect(harness.make_token(1 + i)).accepted) << "newcomers get in";
  }
}

// A refused session frees its token and its seat. Before the change, nothing but the limit of all
// counted the next agreement: four tokens took each of the thousand in a second.
TEST(PendingSessions, TokensWhoseClientRefusesEachSessionMakeFewOfThem) {
  constexpr std::size_t kTokens = 4;
  Harness harness{{.max_clients = kSeats}};
  Wire wire{harness};
  std::vector<RawPeer> peers;
  std::vector<net::ConnectToken> tokens;
  for (std::uint32_t i = 0; i < kTokens; ++i) {
    peers.emplace_back(harness, wire, stranger_far_away(1 + i));
    tokens.push_back(harness.make_token(1 + i));
  }
  const Instant began = harness.clock().now();
  int accepted = 0;
  for (std::size_t i = 0; i < kTokens * kResumes; ++i) {
    RawPeer& peer = peers[i % kTokens];
    if (!peer.connect(tokens[i % kTokens]).accepted) continue;
    ++accepted;
    peer.say_goodbye(net::disconnect_for(net::RefuseReason::GameRules));
    harness.run_for(milliseconds{1});
  }
  const double took = std::chrono::duration<double>(harness.clock().now() - began).count();
  const double of_one = static_cast<double>(server::kAgreementsOfSeat.burst) +
                        took * static_cast<double>(server::kAgreementsOfSeat.per_second);
  EXPECT_GE(accepted, static_cast<int>(kTokens) * server::kAgreementsOfSeat.burst);
  EXPECT_LE(accepted, static_cast<double>(kTokens) * (of_one + 1)) << "each costs a key agreement";
  EXPECT_EQ(harness.shard().seats_held(), 0U) << "each was refused";
  RawPeer newcomer{harness, wire, stranger_far_away(99)};
  EXPECT_TRUE(newcomer.connect(harness.make_token(99)).accepted);
}

TEST(PendingSessions, OneThatNeverProvesItsKeysTakesNoEventsFromTheOneThatPlays) {
  Harness harness{{.max_clients = 8, .bot = "stress"}};
  const std::size_t client = harness.add_client();
  for (int i = 1; i < 8; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{2});
  const auto events = [&] { return harness.players()[client].events.size(); };
  const std::size_t before = events();
  SeededEntropy entropy{99};
  net::PacketBuffer packet{};
  const auto nonce = net::draw<net::HandshakeNonce>(entropy);
  harness.network().inject(
      stranger_far_away(1),
      net::encode_resume(net::make_request(net::PacketType::Resume, nonce),
                         harness.client(client).connection().ticket(), packet));
  harness.run_for(milliseconds{100});
  ASSERT_EQ(resumed(harness), 1U) << "the RESUME was accepted";
  const std::size_t at_resume = events();
  harness.run_for(seconds{4});
  EXPECT_GT(before, 0U);
  EXPECT_GT(events(), at_resume);
}

}  // namespace
}  // namespace tickbox::tests::pending_sessions_test
