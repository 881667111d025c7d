// Replay: each packet counts once. Sent again the next moment, at both ends of the window, just
// beyond it, or where numbers wrap, it is dropped. New packets still count.

#include "protocol/messages.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <deque>

namespace tickbox::tests {
namespace {

using net::DropReason;
using net::PacketType;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// The highest tick rate, so that the low 16 bits of a sequence wrap soon.
constexpr std::uint32_t kTickRate = 240;

struct Session {
  Harness harness{{.seed = 61, .tick_rate = kTickRate, .max_clients = 2}};
  Wire wire{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
  std::deque<Bytes> recent;  ///< the newest last
  protocol::MessageBuffer message_buffer;

  Session() {
    EXPECT_TRUE(peer.connect(make_token(harness, net::KeyRing::published(), 1)).accepted);
    peer.stop_listening();
  }

  [[nodiscard]] std::uint64_t dropped() {
    return harness.shard().metrics().drops.of(DropReason::Replayed);
  }

  [[nodiscard]] std::uint64_t sent() { return peer.channel().sent(); }

  Bytes seal() {
    net::PacketBuffer buffer{};
    return copy_of(peer.channel().seal_packet(PacketType::Input,
                                              protocol::encode_input({}, message_buffer), buffer));
  }

  /// One new packet.
  void step() {
    recent.push_back(seal());
    if (recent.size() > 2 * net::kReplayWindow) recent.pop_front();
    peer.send(recent.back());
    // A session may send twice the tick rate. Beyond this limit packets would be dropped for
    // another reason.
    if (sent() % 2 == 0) harness.run_for(milliseconds{5});
  }

  void run_to(std::uint64_t sequence) {
    while (sent() < sequence) {
      step();
    }
    harness.run_for(milliseconds{5});
  }

  /// The packet that is `age` behind the newest, again.
  void replay(std::uint64_t age) {
    peer.send(recent[recent.size() - 1 - age]);
    harness.run_for(milliseconds{5});
  }
};

TEST(Threat, ReplayIsDroppedAtOnceAtTheWindowsEndsAndBeyond) {
  Session session;
  session.run_to(3'000);
  EXPECT_EQ(session.dropped(), 0U);
  std::uint64_t expected = 0;
  for (const std::uint64_t age :
       {0U, 1U, 2U, 63U, 64U, 65U, 1'022U, 1'023U, 1'024U, 1'025U, 2'000U}) {
    session.replay(age);
    EXPECT_EQ(session.dropped(), ++expected) << "from " << age << " packets ago";
  }
  session.run_to(3'100);
  EXPECT_EQ(session.dropped(), expected);
}

// Around two wraps, every packet is sent again exactly 1, 1,023, 1,024 and 1,025 packets later. The
// wraps are of the 16 bits in the header, where the key changes too, and of the 18 that count.
TEST(Threat, ReplayIsDroppedAtTheWraps) {
  Session session;
  std::uint64_t expected = 0;
  for (const std::uint64_t wrap : {std::uint64_t{1} << 16, std::uint64_t{1} << 18}) {
    session.run_to(wrap - 1'100);
    EXPECT_EQ(session.dropped(), expected);
    while (session.sent() < wrap + 1'100) {
      session.step();
      for (const std::uint64_t age : {1U, 1'023U, 1'024U, 1'025U}) {
        session.peer.send(session.recent[session.recent.size() - 1 - age]);
        ++expected;
      }
    }
    session.harness.run_for(milliseconds{5});
    EXPECT_EQ(session.dropped(), expected) << "around " << wrap;
  }
  EXPECT_EQ(session.harness.shard().metrics().drops.total(), expected) << "and nothing else was";
  EXPECT_EQ(session.harness.shard().clients(), 1U);
}

// A forged packet from far ahead must not make the window forget: it advances after the seal.
TEST(Threat, ReplayIsDroppedAfterAForgeryFromFarAhead) {
  Session session;
  session.run_to(2'000);
  Bytes ahead = session.recent.back();
  store_le(MutableBytes{ahead}.subspan(5), static_cast<std::uint16_t>(2'000 + 20'000));
  session.peer.send(ahead);
  session.harness.run_for(milliseconds{5});
  EXPECT_EQ(session.harness.shard().metrics().drops.of(DropReason::Forged), 1U);
  session.replay(1);
  EXPECT_EQ(session.dropped(), 1U);
  session.run_to(2'010);
  EXPECT_EQ(session.harness.shard().metrics().drops.total(), 2U) << "what is new is still new";
}

// All packets of two clients are sent again a quarter of a second and a second later: the game is
// the same.
TEST(Threat, ReplayOfEveryPacketOfAPlayingClientChangesNothing) {
  std::vector<std::uint64_t> hashes;
  std::vector<client::ClientStats> stats;
  for (const bool replayed : {false, true}) {
    Harness harness{{.seed = 62, .link = {.delay = milliseconds{15}}}};
    Wire wire{harness};
    std::deque<std::pair<net::Address, Bytes>> passed_by;
    wire.listen([&](const Wire::Passed& passed) {
      const auto type = net::packet_type(passed.bytes);
      if (passed.where == Wire::Where::ToServer && type && *type >= PacketType::Input) {
        passed_by.emplace_back(passed.client, copy_of(passed.bytes));
      }
    });
    harness.add_client();
    harness.add_client();
    harness.run_for(seconds{1});
    passed_by.clear();
    std::uint64_t injected = 0;
    const std::uint64_t before = harness.shard().metrics().drops.of(DropReason::Replayed);
    for (int ms = 0; ms < 5'000; ++ms) {
      harness.run_for(milliseconds{1});
      // 120 packets of two clients are a second of them; they arrive 15 ms after they were sent.
      while (passed_by.size() > 128) {
        if (replayed) {
          for (const std::size_t which : {std::size_t{0}, std::size_t{100}}) {
            harness.network().inject(passed_by[which].first, passed_by[which].second);
            ++injected;
          }
        }
        passed_by.pop_front();
      }
    }
    EXPECT_EQ(harness.shard().metrics().drops.of(DropReason::Replayed) - before, injected);
    EXPECT_EQ(injected > 900, replayed);
    hashes.push_back(harness.match().hash());
    stats.push_back(harness.client(0).stats());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(stats[0].snapshots_received, stats[1].snapshots_received);
  EXPECT_EQ(stats[1].packets_lost, 0U);
}

}  // namespace
}  // namespace tickbox::tests
