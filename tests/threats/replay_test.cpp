// Replay: each packet of a playing client counts once. The window itself, its ends and its wraps:
// tests/unit/net/packet_test.cpp.

#include "tests/threats/peers/wire.h"

#include <gtest/gtest.h>

#include <deque>

namespace tickbox::tests {
namespace {

using net::DropReason;
using net::PacketType;
using std::chrono::milliseconds;
using std::chrono::seconds;

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
