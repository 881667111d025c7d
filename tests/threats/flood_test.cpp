// Connection floods and slow handshakes: whatever strangers ask, and however many of them ask,
// memory is flat, the players notice nothing, and a new player comes in within seconds.

#include "tests/support/allocations.h"
#include "tests/threats/memory.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <functional>

namespace tickbox::tests::flood_test {
namespace {

using net::PacketType;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kPlayers = 4;
constexpr std::uint32_t kSources = 100'000;
constexpr std::uint32_t kPerMillisecond = 50;

/// One more datagram of a flood, and from where.
struct Flooder {
  net::Address from;
  Bytes datagram;
};

using Flood = std::function<Flooder(std::uint32_t number)>;

struct Outcome {
  std::vector<std::uint64_t> gap_p99;
  std::vector<std::uint64_t> received;
  std::uint64_t allocations = 0;
  std::uint64_t lines = 0;
  std::uint64_t mismatched = 0;
  Duration newcomer_waited{};
};

/// After ten seconds of play, floods for four seconds, then until a new player has joined, then for
/// one second more. In debug and sanitizer builds the four seconds and the one are a tenth.
Outcome run(Flood (*make_flood)(Harness&, Wire&)) {
  const milliseconds half{sized(4'000, 400)};
  Harness harness{{.seed = 81, .link = {.delay = milliseconds{20}}, .meter = &allocations}};
  Wire wire{harness};
  for (std::size_t i = 0; i < kPlayers; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{10});
  const Flood flood = make_flood != nullptr ? make_flood(harness, wire) : Flood{};
  if (!flood) harness.run_for(milliseconds{3});
  std::uint32_t sent = 0;
  Rng rng{82};
  const auto run_for = [&](milliseconds duration) {
    for (milliseconds passed{}; passed < duration; passed += milliseconds{1}) {
      // In bursts: what is injected arrives before what comes over a link, and must not always be
      // the first to take what a limit gives.
      const std::uint32_t burst = rng.chance(1, 2) ? 2 * kPerMillisecond : 0;
      for (std::uint32_t i = 0; flood && i < burst; ++i) {
        const Flooder one = flood(sent++ % kSources);
        harness.network().inject(one.from, one.datagram);
      }
      harness.run_for(milliseconds{1});
    }
  };
  const std::uint64_t allocations_before = harness.metered();
  const std::size_t lines_before = harness.log().lines().size();
  const std::int64_t resident_before = resident_bytes();
  run_for(half);
  Outcome outcome{.allocations = harness.metered() - allocations_before,
                  .lines = harness.log().lines().size() - lines_before};
  constexpr std::int64_t kGrowth = std::int64_t{2} * 1024 * 1024;
  if (kFullSize) {
    EXPECT_LE(resident_bytes() - resident_before, kGrowth);
  }
  for (std::size_t i = 0; i < kPlayers; ++i) {
    const client::ClientStats stats = harness.client(i).stats();
    EXPECT_EQ(stats.packets_lost, 0U);
    outcome.mismatched += stats.hashes_mismatched;
    outcome.gap_p99.push_back(stats.snapshot_gap.quantile(990));
    outcome.received.push_back(stats.snapshots_received);
  }

  const std::size_t newcomer = harness.add_client();
  const Instant came = harness.clock().now();
  while (!harness.client(newcomer).playing() && harness.clock().now() - came < seconds{6}) {
    run_for(milliseconds{10});
  }
  EXPECT_TRUE(harness.client(newcomer).playing()) << harness.client(newcomer).connection().reason();
  outcome.newcomer_waited = harness.clock().now() - came;
  run_for(half / 4);
  EXPECT_EQ(harness.shard().clients(), kPlayers + 1);
  return outcome;
}

void expect_unnoticed(Flood (*make_flood)(Harness&, Wire&)) {
  const Outcome plain = run(nullptr);
  const Outcome flooded = run(make_flood);
  constexpr std::uint64_t kPerLine = 8;
  EXPECT_LE(flooded.allocations, plain.allocations + kPerLine * flooded.lines);
  EXPECT_EQ(flooded.gap_p99, plain.gap_p99);
  EXPECT_EQ(flooded.received, plain.received);
  EXPECT_EQ(flooded.mismatched, 0U);
  EXPECT_LE(flooded.newcomer_waited, seconds{3});
}

Bytes hello(std::uint32_t number) {
  net::PacketBuffer packet{};
  net::HandshakeNonce nonce{};
  store_le(nonce, number);
  return copy_of(net::encode_hello(net::make_request(PacketType::Hello, nonce), packet));
}

TEST(Threat, ConnectionFloodOfHellosFromAHundredThousandAddressesIsNotNoticed) {
  expect_unnoticed([](Harness&, Wire&) -> Flood {
    return [](std::uint32_t number) { return Flooder{stranger(number), hello(number)}; };
  });
}

// Answers cost time too. The server sends no more of them than the limit allows, for any number of
// requests.
TEST(Threat, ConnectionFloodOfHellosIsAnsweredNoMoreOftenThanTheLimitSays) {
  Harness harness{{.seed = 83}};
  constexpr std::uint32_t kFlood = 100;
  constexpr std::uint32_t kMilliseconds = 1'000;
  for (std::uint32_t ms = 0; ms < kMilliseconds; ++ms) {
    for (std::uint32_t i = 0; i < kFlood; ++i) {
      harness.network().inject(stranger(ms * kFlood + i), hello(ms * kFlood + i));
    }
    harness.run_for(milliseconds{1});
  }
  const auto allowed = static_cast<std::uint64_t>(server::kRepliesToStrangers.per_second +
                                                  server::kRepliesToStrangers.burst);
  const server::Metrics& metrics = harness.shard().metrics();
  EXPECT_LE(metrics.traffic.packets_out, allowed);
  EXPECT_GE(metrics.traffic.packets_out, allowed * 9 / 10);
  EXPECT_EQ(metrics.traffic.packets_out + metrics.drops.of(net::DropReason::RateLimited),
            kFlood * kMilliseconds);
}

// A real CONNECT with a real cookie, as somebody on the network path has seen it, comes from
// everywhere.
TEST(Threat, ConnectionFloodOfConnectsWithStolenCookiesIsNotNoticed) {
  expect_unnoticed([](Harness& harness, Wire& wire) -> Flood {
    RawPeer victim{harness, wire, stranger_far_away(1)};
    Bytes connect = victim.make_connect(make_token(harness, net::KeyRing::published(), 7));
    victim.stop_listening();
    harness.run_for(milliseconds{2});
    return [connect](std::uint32_t number) { return Flooder{stranger(number), connect}; };
  });
}

// Each of these RESUMEs has a boot id of its own.
TEST(Threat, ConnectionFloodOfResumesWithGarbageTicketsIsNotNoticed) {
  expect_unnoticed([](Harness& harness, Wire&) -> Flood {
    harness.run_for(milliseconds{3});
    return [](std::uint32_t number) {
      Bytes resume = hello(number);
      resume[0] = static_cast<std::byte>(PacketType::Resume);
      Rng rng{number};
      for (std::size_t i = 45; i < 200; ++i) {
        resume[i] = static_cast<std::byte>(rng.next());
      }
      return Flooder{stranger(number), resume};
    };
  });
}

// A client that has played knows the boot id, so the server must open each of these RESUMEs to
// refuse it. Below a limit of its own a RESUME needs no cookie, so its source can be forged. Such
// RESUMEs must not use up what CONNECT needs. Before the fix, both shared one limit, and a newcomer
// waited until the flood was over.
TEST(Threat, ConnectionFloodOfResumesThatMustBeOpenedIsNotNoticed) {
  expect_unnoticed([](Harness& harness, Wire& wire) -> Flood {
    RawPeer once{harness, wire, stranger_far_away(1)};
    const Answer answer = once.connect(make_token(harness, net::KeyRing::published(), 7));
    EXPECT_TRUE(answer.accepted);
    const net::ResumeTicket ticket = once.ticket();
    once.stop_listening();
    harness.run_for(milliseconds{1});
    return [ticket](std::uint32_t number) {
      net::ResumeTicket forged = ticket;
      forged.sealed[50] ^= std::byte{1};
      net::PacketBuffer packet{};
      net::HandshakeNonce nonce{};
      store_le(nonce, number);
      return Flooder{stranger_far_away(number),
                     copy_of(net::encode_resume(net::make_request(PacketType::Resume, nonce),
                                                forged, packet))};
    };
  });
}

// The limit of tickets without a cookie is one of its own: it leaves all that tokens may use.
TEST(Threat, ConnectionFloodOfResumesUsesUpNothingOfWhatConnectsMayUse) {
  Harness harness{{.seed = 86}};
  Wire wire{harness};
  RawPeer once{harness, wire, stranger_far_away(1)};
  ASSERT_TRUE(once.connect(make_token(harness, net::KeyRing::published(), 7)).accepted);
  net::ResumeTicket forged = once.ticket();
  forged.sealed[50] ^= std::byte{1};
  RawPeer newcomer{harness, wire, stranger_far_away(2)};
  const net::ConnectToken token = make_token(harness, net::KeyRing::published(), 8);
  const Bytes connect = newcomer.make_connect(token);
  for (std::uint32_t i = 0; i < 2 * server::kOpens.burst; ++i) {
    // Among datagrams that the shard takes at one moment: its limits have not grown since the last.
    if (i == server::kOpens.burst + 1'000) newcomer.send(connect);
    net::PacketBuffer packet{};
    net::HandshakeNonce nonce{};
    store_le(nonce, i);
    harness.network().inject(
        stranger_far_away(100 + i),
        net::encode_resume(net::make_request(PacketType::Resume, nonce), forged, packet));
  }
  harness.run_for(milliseconds{50});
  EXPECT_EQ(newcomer.received(PacketType::Accept), 1U);
}

// A client that was cut off returns during a flood of RESUMEs. The server asks it for a cookie.
TEST(Threat, ConnectionFloodOfResumesKeepsNoClientFromReturning) {
  Harness harness{{.seed = 85, .link = {.delay = milliseconds{20}}}};
  Wire wire{harness};
  const std::size_t client = harness.add_client();
  RawPeer once{harness, wire, stranger_far_away(1)};
  ASSERT_TRUE(once.connect(make_token(harness, net::KeyRing::published(), 7)).accepted);
  net::ResumeTicket forged = once.ticket();
  forged.sealed[50] ^= std::byte{1};
  once.stop_listening();
  harness.run_for(seconds{1});
  ASSERT_TRUE(harness.client(client).playing());
  std::uint32_t sent = 0;
  for (int ms = 0; ms < 4'000; ++ms) {
    if (ms == 1'000) harness.restart_with_ticket(client);
    for (int i = 0; i < 10; ++i, ++sent) {
      net::PacketBuffer packet{};
      net::HandshakeNonce nonce{};
      store_le(nonce, sent);
      harness.network().inject(
          stranger_far_away(100 + sent),
          net::encode_resume(net::make_request(PacketType::Resume, nonce), forged, packet));
    }
    harness.run_for(milliseconds{1});
  }
  EXPECT_TRUE(harness.client(client).playing());
  EXPECT_EQ(harness.client(client).connection().resumed(), 1U);
}

// Packets under the connection ids of those who play, from everywhere: each must be opened to be
// found out, for it might be a client's that has moved.
TEST(Threat, ConnectionFloodOfPacketsUnderTheIdsOfPlayersIsNotNoticed) {
  expect_unnoticed([](Harness& harness, Wire&) -> Flood {
    harness.run_for(milliseconds{3});
    std::vector<std::uint32_t> connections;
    for (std::size_t i = 0; i < kPlayers; ++i) {
      connections.push_back(harness.client(i).connection().channel().connection());
    }
    return [connections](std::uint32_t number) {
      Bytes packet(100);
      packet[0] = static_cast<std::byte>(PacketType::Input);
      store_le(MutableBytes{packet}.subspan(1), connections[number % connections.size()]);
      store_le(MutableBytes{packet}.subspan(5), static_cast<std::uint16_t>(10'000 + number));
      return Flooder{stranger_far_away(number), packet};
    };
  });
}

// A repeated CONNECT of an accepted session is answered without opening anything, and outside of
// the limit of answers to strangers. So each session has a limit of repeated ACCEPTs.
TEST(Threat, ConnectionFloodOfOneConnectIsAnsweredAFewTimesASecondAndKeepsNobodyOut) {
  constexpr std::uint32_t kFlood = 20;
  constexpr std::uint32_t kSeconds = 3;  // its cookie is good for longer
  Harness harness{{.seed = 84}};
  Wire wire{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
  const net::ConnectToken token = make_token(harness, net::KeyRing::published(), 1);
  const Bytes connect = peer.make_connect(token);
  ASSERT_TRUE(peer.ask(connect, token.keys).accepted);
  const Bytes accept = peer.inbox().back();
  peer.inbox().clear();
  const server::Metrics before = harness.shard().metrics();
  for (std::uint32_t ms = 0; ms < 1'000 * kSeconds; ++ms) {
    for (std::uint32_t i = 0; i < kFlood; ++i) {
      peer.send(connect);
    }
    harness.run_for(milliseconds{1});
  }
  const server::Rate rate = server::kRepeatedAccepts;
  const auto allowed = static_cast<std::uint64_t>(rate.burst + rate.per_second * kSeconds);
  const std::uint64_t answers = peer.inbox().size();
  EXPECT_LE(answers, allowed);
  EXPECT_GE(answers, allowed * 9 / 10);
  for (const Bytes& answer : peer.inbox()) {
    ASSERT_EQ(answer, accept);
  }
  const server::Metrics& after = harness.shard().metrics();
  EXPECT_EQ(after.drops.of(net::DropReason::RateLimited) + answers,
            std::uint64_t{1'000} * kSeconds * kFlood);
  EXPECT_EQ(after.drops.total(), after.drops.of(net::DropReason::RateLimited));
  EXPECT_EQ(after.traffic.packets_out - before.traffic.packets_out, answers);

  peer.send_nothing_new();
  harness.run_for(milliseconds{50});
  EXPECT_EQ(harness.shard().clients(), 1U) << "its session begins as ever, in the midst of it";
}

// Clients begin and never go on: as many good CONNECTs as there are seats hold them for five
// seconds and no longer.
TEST(Threat, SlowHandshakesHoldSeatsForFiveSeconds) {
  constexpr std::uint32_t kSeats = 16;
  Harness harness{{.seed = 82, .max_clients = kSeats}};
  Wire wire{harness};
  for (std::uint32_t i = 0; i < kSeats; ++i) {
    RawPeer slow{harness, wire, stranger_far_away(i)};
    ASSERT_TRUE(slow.connect(make_token(harness, net::KeyRing::published(), i)).accepted);
  }
  RawPeer late{harness, wire, stranger_far_away(100)};
  const net::ConnectToken token = make_token(harness, net::KeyRing::published(), 100);
  EXPECT_TRUE(late.connect(token).refused_as(net::RefuseReason::Full));
  harness.run_for(milliseconds{5'100});
  EXPECT_TRUE(late.connect(token).accepted) << "with the same token: a refusal does not use it up";
}

}  // namespace
}  // namespace tickbox::tests::flood_test
