// What a client that is let in can do to the others: flood, and seal nonsense with the right keys.

#include "games/arena/arena.h"
#include "protocol/messages.h"
#include "tests/support/declared_values.h"
#include "tests/threats/mutator.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <functional>

namespace tickbox::tests {
namespace {

using net::DropReason;
using net::PacketType;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kTickRate = 60;
constexpr std::size_t kOthers = 4;
constexpr int kSeconds = 10;

/// A match of production clients and a hand-made one, which stands still. Each millisecond the
/// hand-made client also does what `mischief` says.
struct Match {
  using Mischief = std::function<void(Match& match, int millisecond)>;

  explicit Match(const Mischief& mischief) {
    for (std::size_t i = 0; i < kOthers; ++i) {
      harness.add_client();
    }
    EXPECT_TRUE(peer.connect(make_token(harness, net::KeyRing::published(), 50)).accepted);
    peer.send_nothing_new();
    harness.run_for(seconds{2});
    peer.inbox().clear();
    before = harness.shard().metrics();
    for (int ms = 0; ms < 1'000 * kSeconds; ++ms) {
      if (ms % 20 == 0) peer.send_nothing_new();
      if (mischief) mischief(*this, ms);
      harness.run_for(milliseconds{1});
    }
    hash = harness.match().hash();
    for (std::size_t i = 0; i < kOthers; ++i) {
      stats.push_back(harness.client(i).stats());
    }
  }

  [[nodiscard]] std::uint64_t dropped(DropReason reason) {
    return harness.shard().metrics().drops.of(reason) - before.drops.of(reason);
  }

  [[nodiscard]] std::uint64_t dropped() {
    return harness.shard().metrics().drops.total() - before.drops.total();
  }

  Harness harness{{.seed = 91, .tick_rate = kTickRate, .link = {.delay = milliseconds{20}}}};
  Wire wire{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
  server::Metrics before;
  std::uint64_t hash = 0;
  std::vector<client::ClientStats> stats;
};

void expect_same_for_the_others(const Match& is, const Match& was) {
  EXPECT_EQ(is.hash, was.hash);
  for (std::size_t i = 0; i < kOthers; ++i) {
    EXPECT_EQ(is.stats[i].snapshots_received, was.stats[i].snapshots_received);
    EXPECT_EQ(is.stats[i].packets_lost, 0U);
    EXPECT_EQ(is.stats[i].hashes_mismatched, 0U);
    EXPECT_EQ(is.stats[i].inputs_substituted, was.stats[i].inputs_substituted);
    EXPECT_EQ(is.stats[i].snapshot_gap.quantile(990), was.stats[i].snapshot_gap.quantile(990));
    EXPECT_EQ(is.harness.client(i).connection().sessions(), 1U);
  }
}

TEST(Threat, FloodFromAValidClientIsNotNoticedByTheOthersAndItsSurplusIsDropped) {
  constexpr int kTimes = 100;
  Match plain{nullptr};
  std::uint64_t sent = 0;
  Match flooded{[&sent](Match& match, int ms) {
    if (ms % 50 == 0) match.peer.inbox().clear();
    const std::uint64_t due = static_cast<std::uint64_t>(ms + 1) * kTimes * kTickRate / 1'000;
    for (; sent < due; ++sent) {
      match.peer.send_nothing_new();
    }
  }};
  expect_same_for_the_others(flooded, plain);
  constexpr std::uint64_t kRegular = 50 * kSeconds;
  const std::uint64_t let_through = sent + kRegular - flooded.dropped(DropReason::RateLimited);
  const server::Rate rate = server::packets_of_session(kTickRate);
  EXPECT_LE(let_through, static_cast<std::uint64_t>(rate.burst + rate.per_second * kSeconds));
  EXPECT_GE(let_through, static_cast<std::uint64_t>(rate.per_second * (kSeconds - 1)));
  EXPECT_EQ(flooded.dropped(), flooded.dropped(DropReason::RateLimited))
      << "and for no other reason";
  // Its session lives on: only the surplus is dropped.
  EXPECT_EQ(flooded.harness.shard().clients(), kOthers + 1);
  flooded.peer.inbox().clear();
  flooded.harness.run_for(std::chrono::seconds{2});
  // It has never acknowledged a view, so it is sent one each second.
  EXPECT_GE(flooded.peer.received(PacketType::Snapshot), 1U);
}

// Each packet is as large as can be, so the limit of bytes is reached before the limit of packets.
// No INPUT has that many bytes: those that get through are malformed, and too few to end the
// session.
TEST(Threat, FloodOfBytesFromAValidClientIsDroppedBeforeItsPacketsRunOut) {
  constexpr std::uint64_t kSent = 120;
  const Bytes large(net::kMessageBytesMax);
  std::uint64_t sent = 0;
  Match match{[&](Match& of, int ms) {
    if (ms % 50 == 0) of.peer.inbox().clear();
    if (ms % 5 != 0 || sent == kSent) return;
    of.peer.send_sealed(PacketType::Input, large);
    ++sent;
  }};
  const server::Rate bytes = server::bytes_of_session(kTickRate);
  const std::uint64_t limited = match.dropped(DropReason::RateLimited);
  EXPECT_EQ(match.dropped(DropReason::Malformed), sent - limited);
  EXPECT_EQ(match.dropped(), sent);
  ASSERT_LT(sent - limited, server::kMalformedMax);
  EXPECT_LE((sent - limited) * net::kDatagramBytesMax,
            static_cast<std::uint64_t>(bytes.burst + bytes.per_second * kSeconds));
  EXPECT_GT(limited, sent / 5);
  EXPECT_EQ(match.harness.shard().clients(), kOthers + 1);
}

TEST(Threat, MalformedFlatBuffersEndTheirSessionWithTheHundredth) {
  std::uint32_t sent = 0;
  Match match{[&](Match& of, int ms) {
    if (ms % 20 != 10 || sent == server::kMalformedMax) return;
    if (++sent == server::kMalformedMax) {
      EXPECT_EQ(of.harness.shard().clients(), kOthers + 1);
    }
    of.peer.send_sealed(PacketType::Input, {});
  }};
  EXPECT_EQ(sent, server::kMalformedMax);
  EXPECT_EQ(match.dropped(DropReason::Malformed), server::kMalformedMax);
  EXPECT_EQ(match.harness.shard().clients(), kOthers);
  EXPECT_EQ(match.harness.shard().seats_held(), kOthers);
  EXPECT_EQ(match.peer.received(PacketType::Disconnect), 3U);
  for (const client::ClientStats& stats : match.stats) {
    EXPECT_EQ(stats.packets_lost, 0U);
    EXPECT_EQ(stats.hashes_mismatched, 0U);
  }
}

// Real messages, damaged: bits flipped, cut, lengthened, spliced, or nothing but random bytes. A
// message that cannot be read is malformed. One that can be read counts like any other: the other
// clients may see its effect, but they lose nothing.
TEST(Threat, MalformedFlatBuffersMadeOfRealOnesAreDroppedOrHarmless) {
  constexpr int kEvery = 102;
  protocol::MessageBuffer message_buffer;
  const std::vector<std::byte> input =
      value_with(games::arena().input, {{"move", 3}, {"shoot", 1}, {"aim", 77}});
  std::vector<Bytes> real;
  for (const std::size_t count : {0U, 1U, 5U, 64U}) {
    const std::vector<std::vector<std::byte>> inputs(count, input);
    const protocol::InputMessage message{.view = protocol::ViewAck{.tick = {500}, .receipt = 7},
                                         .first_tick = {200},
                                         .inputs = input_bits(games::arena(), inputs)};
    real.push_back(copy_of(protocol::encode_input(message, message_buffer)));
  }
  real.push_back(copy_of(protocol::encode_path_check(5, message_buffer)));
  for (std::uint64_t seed = 93; seed < 98; ++seed) {
    Mutator mutator{real, seed};
    std::uint64_t sent = 0;
    Match match{[&](Match& of, int ms) {
      if (ms % 50 == 0) of.peer.inbox().clear();
      if (ms % kEvery != 6) return;
      Bytes message = mutator.next();
      message.resize(std::min(message.size(), net::kMessageBytesMax));
      const std::uint64_t type = mutator.rng().below(8);
      of.peer.send_sealed(type == 0   ? PacketType::Response
                          : type == 1 ? PacketType::DesyncReport
                                      : PacketType::Input,
                          message);
      ++sent;
    }};
    EXPECT_GT(match.dropped(DropReason::Malformed), sent / 8);
    EXPECT_LE(match.dropped(), sent + 50 * kSeconds);
    EXPECT_EQ(match.dropped(), match.dropped(DropReason::Malformed) +
                                   match.dropped(DropReason::Unexpected) +
                                   match.dropped(DropReason::RateLimited));
    EXPECT_EQ(match.harness.shard().clients(), kOthers + 1);
    for (const client::ClientStats& stats : match.stats) {
      EXPECT_EQ(stats.packets_lost, 0U);
      EXPECT_EQ(stats.hashes_mismatched, 0U);
    }
  }
}

// A client with valid keys sends a malformed DISCONNECT: its session goes on. Before the fix, the
// server took any packet of this type for a goodbye, whatever was in it.
TEST(Threat, MalformedGoodbyeBehindTheSealEndsNoSession) {
  Match match{[](Match& of, int ms) {
    if (ms == 100) of.peer.send_sealed(PacketType::Disconnect, {});
  }};
  EXPECT_EQ(match.dropped(DropReason::Malformed), 1U);
  EXPECT_EQ(match.harness.shard().clients(), kOthers + 1);
}

}  // namespace
}  // namespace tickbox::tests
