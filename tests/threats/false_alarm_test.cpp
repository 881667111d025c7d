// A client that says its views were wrong, as often as it likes: the server limits what it counts.

#include "protocol/snapshot.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <optional>

namespace tickbox::tests::false_alarm_test {
namespace {

using std::chrono::seconds;

constexpr std::uint32_t kManyTimes = 4'000'000'000;

struct Scene {
  Scene() {
    EXPECT_TRUE(peer.connect(make_token(harness, net::KeyRing::published(), 50)).accepted);
    peer.send_nothing_new();
    harness.run_for(seconds{2});
  }

  void report(std::uint32_t mismatches) {
    peer.send_inputs({.view = newest_view(), .mismatches = mismatches, .inputs = {}});
    harness.run_for(std::chrono::milliseconds{1});
  }

  /// Returns the acknowledgement of the newest view that has arrived, so that snapshots go on.
  std::optional<protocol::ViewAck> newest_view() {
    std::optional<protocol::ViewAck> newest;
    for (const Bytes& datagram : peer.inbox()) {
      net::PacketBuffer buffer{};
      const auto opened = peer.channel().open_packet(datagram, buffer);
      if (!opened || opened->type != net::PacketType::Snapshot) continue;
      protocol::Snapshot snapshot;
      if (!protocol::decode_snapshot(opened->message, snapshot)) continue;
      const Tick tick = protocol::expand_tick(snapshot.head.report.tick, harness.world().tick);
      newest = protocol::ViewAck{.tick = tick, .receipt = snapshot.receipt};
    }
    return newest;
  }

  [[nodiscard]] std::uint64_t snapshots() { return peer.received(net::PacketType::Snapshot); }

  [[nodiscard]] const server::Metrics& metrics() { return harness.shard().metrics(); }

  Harness harness{{.seed = 92}};
  Wire wire{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
};

TEST(Threat, FalseAlarmsOfAClientCountForNoMoreThanItsSnapshots) {
  Scene scene;
  const std::uint64_t before = scene.snapshots();
  ASSERT_GT(before, 0U);
  scene.report(kManyTimes);
  EXPECT_GT(scene.metrics().hash_mismatches, 0U);
  EXPECT_LE(scene.metrics().hash_mismatches, before + 1) << "one may be on its way";

  // Nothing was sent since, or next to nothing.
  const std::uint64_t counted = scene.metrics().hash_mismatches;
  scene.report(kManyTimes + 1'000);
  EXPECT_LE(scene.metrics().hash_mismatches, counted + 1);
  EXPECT_EQ(scene.metrics().mismatch_reporters, 1U);
}

TEST(Threat, FalseAlarmsOfOneClientAreOneReporter) {
  Scene scene;
  RawPeer other{scene.harness, scene.wire, stranger_far_away(2)};
  EXPECT_TRUE(other.connect(make_token(scene.harness, net::KeyRing::published(), 51)).accepted);
  other.send_nothing_new();
  scene.harness.run_for(seconds{1});
  for (std::uint32_t i = 1; i <= 5; ++i) {
    scene.report(i);
    scene.harness.run_for(seconds{1});
    other.send_nothing_new();
    scene.harness.run_for(seconds{1});
  }
  EXPECT_EQ(scene.metrics().hash_mismatches, 5U) << "each of them is possible";
  EXPECT_EQ(scene.metrics().mismatch_reporters, 1U);
  other.send_inputs({.mismatches = 1, .inputs = {}});
  scene.harness.run_for(std::chrono::milliseconds{1});
  EXPECT_EQ(scene.metrics().mismatch_reporters, 2U);
}

// Before the fix, each resumed session counted as another reporter.
TEST(Threat, FalseAlarmsOfAClientThatResumesAreOneReporter) {
  Scene scene;
  for (int i = 0; i < 5; ++i) {
    scene.report(1);
    ASSERT_TRUE(scene.peer.resume(scene.peer.ticket()).accepted);
    scene.peer.send_nothing_new();
    scene.harness.run_for(seconds{3});
  }
  EXPECT_EQ(scene.metrics().mismatch_reporters, 1U);
}

// Nobody can be answered at port 0. Before the fix, each request from there was a failed send.
TEST(Threat, FalseAlarmsOfTheSocketCannotBeMadeFromPortZero) {
  Scene scene;
  net::Address nobody = stranger_far_away(3);
  nobody.port = 0;
  RawPeer stranger{scene.harness, scene.wire, nobody};
  EXPECT_FALSE(stranger.say_hello());
  EXPECT_TRUE(stranger.inbox().empty());
  EXPECT_EQ(scene.metrics().drops.of(net::DropReason::Unexpected), 1U);
}

}  // namespace
}  // namespace tickbox::tests::false_alarm_test
