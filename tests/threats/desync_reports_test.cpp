// A client that says its views were wrong, again and again, or shows bodies that it has never seen:
// it receives nothing but what it was sent before, costs little, and nobody else notices.

#include "protocol/snapshot_codec.h"
#include "protocol/view_parts.h"
#include "tests/threats/raw_peer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace tickbox::tests {
namespace {

using net::DropReason;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kOthers = 4;

/// One that is sent full views, as it acknowledges none, and reads them.
class Liar {
 public:
  explicit Liar(Harness& harness) : wire_(harness), peer_(harness, wire_, stranger_far_away(1)) {
    EXPECT_TRUE(peer_.connect(make_token(harness, net::KeyRing::published(), 50)).accepted);
    peer_.send_nothing_new();
  }

  /// Takes what has come.
  void listen(Tick near) {
    for (const Bytes& datagram : peer_.inbox()) {
      net::PacketBuffer buffer{};
      const auto opened = peer_.channel().open_packet(datagram, buffer);
      if (!opened) continue;
      if (opened->type == net::PacketType::Snapshot) {
        const auto snapshot = protocol::decode_snapshot(opened->message);
        ASSERT_TRUE(snapshot && snapshot->head.base_age == 0);
        ASSERT_EQ(snapshot->head.report.tick, near.value & 0xffff) << "of just now";
        seen_.assign(snapshot->bodies.begin(), snapshot->bodies.end());
        tick_ = near;
        for (const game::EntityState& body : seen_) {
          known_.insert(body.id);
        }
      } else if (opened->type == net::PacketType::DesyncState) {
        bytes_in_ += datagram.size();
        const auto part = protocol::decode_view_part(opened->message);
        ASSERT_TRUE(part);
        for (const game::EntityState& body : part->bodies) {
          told_.insert(body.id);
        }
      }
    }
    peer_.inbox().clear();
  }

  /// Says that the newest view came out as `wrong`.
  void send_trace(const std::vector<game::EntityState>& wrong) {
    if (tick_.value == 0) return;
    const protocol::ViewName name{.tick = tick_,
                                  .server_hash = protocol::view_hash(seen_),
                                  .client_hash = protocol::view_hash(wrong)};
    for (std::uint8_t i = 0; i < protocol::parts_of(wrong.size()); ++i) {
      const ConstBytes message =
          protocol::encode_view_part(protocol::part_of(name, wrong, i), message_buffer_);
      bytes_out_ += message.size() + net::kPacketOverheadBytes;
      peer_.send_sealed(net::PacketType::DesyncReport, message);
    }
  }

  [[nodiscard]] const std::vector<game::EntityState>& seen() const { return seen_; }

  /// Of the newest view.
  [[nodiscard]] Tick tick() const { return tick_; }

  [[nodiscard]] const std::set<BodyId>& known() const { return known_; }

  [[nodiscard]] const std::set<BodyId>& told() const { return told_; }

  [[nodiscard]] std::size_t bytes_in() const { return bytes_in_; }

  [[nodiscard]] std::size_t bytes_out() const { return bytes_out_; }

  [[nodiscard]] RawPeer& peer() { return peer_; }

 private:
  Wire wire_;
  RawPeer peer_;
  protocol::MessageBuffer message_buffer_;
  Tick tick_;
  std::vector<game::EntityState> seen_;
  std::set<BodyId> known_;     ///< of all snapshots
  std::set<BodyId> told_;      ///< of all answers
  std::size_t bytes_in_ = 0;   ///< of answers
  std::size_t bytes_out_ = 0;  ///< of traces
};

TEST(Threat, FloodOfTracesFromAValidClientIsLimitedAndTellsItNothingNew) {
  Harness harness{{.seed = 141, .link = {.delay = milliseconds{20}}}};
  for (std::size_t i = 0; i < kOthers; ++i) {
    harness.add_client();
  }
  Liar liar{harness};
  harness.run_for(seconds{2});
  liar.peer().inbox().clear();
  constexpr int kSeconds = 20;
  std::uint32_t lie = 0;
  for (int ms = 0; ms < kSeconds * 1'000; ++ms) {
    harness.run_for(milliseconds{1});
    liar.listen(harness.room().world().tick);
    if (ms % 20 != 0) continue;
    liar.peer().send_nothing_new();
    if (ms % 100 != 0) continue;  // as many as its packets and bytes allow
    // Up to 40 bodies of the room, and 70 bullets that nobody has fired.
    std::vector<game::EntityState> wrong(harness.room().entities().begin(),
                                         harness.room().entities().end());
    wrong.resize(std::min<std::size_t>(wrong.size(), 40));
    wrong[0].min.x = static_cast<std::int32_t>(++lie);
    for (std::uint32_t i = 0; i < 70; ++i) {
      wrong.push_back({.id = game::bullet_body({7}, {i}), .min = {}, .velocity = {}});
    }
    std::ranges::sort(wrong, {}, &game::EntityState::id);
    const auto twice = std::ranges::unique(wrong, {}, &game::EntityState::id);
    wrong.erase(twice.begin(), twice.end());
    liar.send_trace(wrong);
  }
  const server::Metrics& metrics = harness.shard().metrics();
  const std::uint64_t compared = metrics.of(server::DesyncResult::Compared);
  EXPECT_GE(compared, 2U) << "it is no stranger: some are traced";
  EXPECT_LE(compared, 1U + kSeconds / 5);
  EXPECT_EQ(harness.desyncs().size(), compared);
  EXPECT_GT(metrics.of(server::DesyncResult::Limited), 100U);
  EXPECT_EQ(metrics.drops.total(), metrics.drops.of(DropReason::RateLimited));
  EXPECT_FALSE(liar.told().empty());
  EXPECT_TRUE(std::ranges::includes(liar.known(), liar.told())) << "it was sent all of it before";
  EXPECT_LE(liar.bytes_in(), liar.bytes_out());
  EXPECT_LE(harness.log().lines().size(), 40U);
  EXPECT_EQ(harness.shard().clients(), kOthers + 1);
  for (std::size_t i = 0; i < kOthers; ++i) {
    const client::ClientStats stats = harness.client(i).stats();
    EXPECT_EQ(stats.hashes_mismatched, 0U);
    EXPECT_EQ(stats.packets_lost, 0U);
  }
}

// Each was answered, with more bytes than it had.
TEST(Threat, FloodOfReportsOfForgottenViewsDrawsOneAnswer) {
  Harness harness{{.seed = 143}};
  Liar liar{harness};
  harness.run_for(seconds{3});
  liar.peer().inbox().clear();
  protocol::MessageBuffer message_buffer;
  const protocol::ViewPart part{.view = {.tick = Tick{1}, .server_hash = 1, .client_hash = 2},
                                .bodies = {}};
  for (int i = 0; i < 50; ++i) {
    liar.peer().send_sealed(net::PacketType::DesyncReport,
                            protocol::encode_view_part(part, message_buffer));
    harness.run_for(milliseconds{20});
  }
  EXPECT_LE(liar.peer().received(net::PacketType::DesyncState), 1U);
  EXPECT_EQ(harness.shard().metrics().of(server::DesyncResult::Limited), 49U);
}

TEST(Threat, FloodOfTracesThatMeanNothingIsDroppedByName) {
  Harness harness{{.seed = 142}};
  Liar liar{harness};
  for (int ms = 0; ms < 500; ++ms) {
    harness.run_for(milliseconds{1});
    liar.listen(harness.room().world().tick);
  }
  protocol::MessageBuffer message_buffer;
  const auto send = [&](const protocol::ViewName& view) {
    const protocol::ViewPart part{.view = view, .bodies = {}};
    liar.peer().send_sealed(net::PacketType::DesyncReport,
                            protocol::encode_view_part(part, message_buffer));
  };
  const Tick now = liar.tick();
  send({.tick = now + 100, .server_hash = 1, .client_hash = 2});  // of a tick to come
  send({.tick = now, .server_hash = 1, .client_hash = 2});        // of a hash that was not told
  liar.peer().send_sealed(net::PacketType::DesyncReport, {});
  liar.peer().send_sealed(
      net::PacketType::DesyncReport,
      protocol::encode_view_part(
          {.view = {.tick = now, .server_hash = 1, .client_hash = 2}, .parts = 0, .bodies = {}},
          message_buffer));
  harness.run_for(milliseconds{2});
  const server::Metrics& metrics = harness.shard().metrics();
  EXPECT_EQ(metrics.drops.of(DropReason::Unexpected), 2U);
  EXPECT_EQ(metrics.drops.of(DropReason::Malformed), 2U);
  EXPECT_EQ(metrics.drops.total(), 4U);
  EXPECT_TRUE(harness.desyncs().empty());
}

}  // namespace
}  // namespace tickbox::tests
