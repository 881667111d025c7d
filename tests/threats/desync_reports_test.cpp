// A client that says its views were wrong, again and again, or shows bodies that it has never seen:
// it receives nothing but what it was sent before, costs little, and nobody else notices.

#include "engine/declared.h"
#include "games/arena/arena.h"
#include "protocol/messages.h"
#include "protocol/snapshot.h"
#include "tests/support/declared_values.h"
#include "tests/threats/peers/raw_peer.h"
#include "views/content.h"
#include "views/view_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace tickbox::tests::desync_reports_test {
namespace {

using net::DropReason;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kOthers = 4;

std::uint32_t low_hash(const views::ViewState& view) {
  return static_cast<std::uint32_t>(views::hash_of(view) & 0xffff'ffff);
}

/// A client that acknowledges no view. So it is sent full views, and it reads them.
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
        take_snapshot(opened->message, near);
      } else if (opened->type == net::PacketType::DesyncState) {
        bytes_in_ += datagram.size();
        take_answer(opened->message);
      }
    }
    peer_.inbox().clear();
  }

  /// Says that the newest view came out as `wrong`.
  void send_trace(const views::ViewState& wrong) {
    if (tick_.value == 0) return;
    const protocol::ViewName name{
        .tick = tick_, .server_hash = said_, .client_hash = low_hash(wrong)};
    std::vector<std::byte> bytes;
    views::encode_view_state(wrong, tick_, bytes);
    for (std::uint8_t i = 0; i < protocol::parts_of(bytes.size()); ++i) {
      const ConstBytes message =
          protocol::encode_view_part(protocol::part_of(name, bytes, i), message_buffer_);
      bytes_out_ += message.size() + net::kPacketOverheadBytes;
      peer_.send_sealed(net::PacketType::DesyncReport, message);
    }
  }

  /// Says that the newest view was wrong, and sends one of three parts of it.
  void begin_trace() {
    const protocol::ViewName name{.tick = tick_, .server_hash = said_, .client_hash = ~said_};
    const std::vector<std::byte> bytes(2'500);
    peer_.send_inputs({.mismatches = 1, .inputs = {}});
    peer_.send_sealed(
        net::PacketType::DesyncReport,
        protocol::encode_view_part(protocol::part_of(name, bytes, 0), message_buffer_));
  }

  /// Shows bytes that are no view as the newest one.
  void send_noise(Rng& rng) {
    std::vector<std::byte> noise(100);
    for (std::byte& byte : noise) {
      byte = static_cast<std::byte>(rng.next());
    }
    const protocol::ViewName name{.tick = tick_, .server_hash = said_, .client_hash = ~said_};
    peer_.send_sealed(
        net::PacketType::DesyncReport,
        protocol::encode_view_part(protocol::part_of(name, noise, 0), message_buffer_));
  }

  /// The tick of the newest view.
  [[nodiscard]] Tick tick() const { return tick_; }

  [[nodiscard]] const std::set<BodyId>& known() const { return known_; }

  [[nodiscard]] const std::set<BodyId>& told() const { return told_; }

  [[nodiscard]] std::size_t bytes_in() const { return bytes_in_; }

  [[nodiscard]] std::size_t bytes_out() const { return bytes_out_; }

  [[nodiscard]] RawPeer& peer() { return peer_; }

 private:
  void take_snapshot(ConstBytes message, Tick now) {
    protocol::Snapshot snapshot;
    ASSERT_TRUE(protocol::decode_snapshot(message, snapshot));
    ASSERT_EQ(snapshot.head.base_age, 0U);
    ASSERT_EQ(snapshot.head.report.tick, now.value & 0xffff) << "of just now";
    views::Content content{games::arena()};
    ASSERT_TRUE(views::read_content(snapshot.content, {.tick = now}, content));
    tick_ = now;
    said_ = snapshot.head.view_hash;
    for (const views::RowHead& head : content.rows.heads()) {
      known_.insert(head.id);
    }
  }

  void take_answer(ConstBytes message) {
    const auto part = protocol::decode_view_part(message);
    ASSERT_TRUE(part);
    if (part->parts == 0) return;
    if (part->view != answered_) answer_.clear();
    answered_ = part->view;
    ASSERT_TRUE(answer_.add(*part));
    if (!answer_.is_whole()) return;
    const auto view = views::decode_view_state(games::arena(), answer_.bytes(), part->view.tick);
    ASSERT_TRUE(view);
    for (const views::RowHead& head : view->rows.heads()) {
      told_.insert(head.id);
    }
  }

  Wire wire_;
  RawPeer peer_;
  protocol::MessageBuffer message_buffer_;
  Tick tick_;
  std::uint32_t said_ = 0;  ///< hash of the newest view
  protocol::ViewName answered_;
  protocol::ViewParts answer_;
  std::set<BodyId> known_;     ///< of all snapshots
  std::set<BodyId> told_;      ///< of all whole answers
  std::size_t bytes_in_ = 0;   ///< of answers
  std::size_t bytes_out_ = 0;  ///< of traces
};

/// Up to 40 entities of the room, the first of them elsewhere, and 70 bullets that nobody has
/// fired.
views::ViewState lie_about(const engine::World& world, std::uint32_t lie) {
  constexpr std::size_t kReal = 40;
  constexpr std::uint32_t kBullets = 70;
  const GameTable& game = world.game();
  const auto bullet =
      std::ranges::find(game.kinds, "Bullet", [](const KindTable& kind) { return kind.type.name; });
  const std::vector<std::byte> state = value_with(bullet->type, {{"left", 1}});
  views::ViewState wrong{.rows = views::Rows{game}, .room = value_with(game.room, {})};
  for (std::size_t row = 0; row < std::min(world.size(), kReal); ++row) {
    views::RowRef real = views::row_of(world, row);
    if (row == 0) real.head.min.x = static_cast<std::int32_t>(lie);
    if (engine::class_of(real.head.id) != engine::IdClass::ByEntity) wrong.rows.add(real);
  }
  for (std::uint32_t i = 0; i < kBullets; ++i) {
    const BodyId id =
        engine::spawned_id(engine::IdClass::ByEntity, {.lineage = 7, .tick = {i + 1}});
    wrong.rows.add(
        {.head = {.id = id, .kind = static_cast<std::uint8_t>(bullet - game.kinds.begin())},
         .state = state,
         .input = {}});
  }
  return wrong;
}

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
    liar.listen(harness.world().tick);
    if (ms % 20 != 0) continue;
    liar.peer().send_nothing_new();
    if (ms % 100 != 0) continue;  // as many as its packets and bytes allow
    liar.send_trace(lie_about(harness.world(), ++lie));
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

// Before the fix, each of these reports was answered, with more bytes than it had.
TEST(Threat, FloodOfReportsOfForgottenViewsDrawsOneAnswer) {
  Harness harness{{.seed = 143}};
  Liar liar{harness};
  harness.run_for(seconds{3});
  liar.peer().inbox().clear();
  protocol::MessageBuffer message_buffer;
  const protocol::ViewPart part{.view = {.tick = Tick{1}, .server_hash = 1, .client_hash = 2},
                                .bytes = {}};
  for (int i = 0; i < 50; ++i) {
    liar.peer().send_sealed(net::PacketType::DesyncReport,
                            protocol::encode_view_part(part, message_buffer));
    harness.run_for(milliseconds{20});
  }
  EXPECT_LE(liar.peer().received(net::PacketType::DesyncState), 1U);
  EXPECT_EQ(harness.shard().metrics().of(server::DesyncResult::Limited), 49U);
}

// Before the fix, a report that never ended had two lines: one of the report, one of the mismatch.
TEST(Threat, ReportThatNeverEndsHasOneLine) {
  Harness harness{{.seed = 144}};
  Liar liar{harness};
  for (int ms = 0; ms < 500; ++ms) {
    harness.run_for(milliseconds{1});
    liar.listen(harness.world().tick);
  }
  liar.begin_trace();
  for (int i = 0; i < 12; ++i) {
    harness.run_for(milliseconds{500});
    liar.peer().send_inputs({.mismatches = 1, .inputs = {}});
  }
  std::vector<std::string> lines;
  std::ranges::copy_if(
      harness.log().lines(), std::back_inserter(lines), [](const std::string& line) {
        return line.starts_with("desync") || line.starts_with("state_hash_mismatch");
      });
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines.front().starts_with("desync_unfinished ")) << lines.front();
}

TEST(Threat, FloodOfTracesThatMeanNothingIsDroppedByName) {
  Harness harness{{.seed = 142}};
  Liar liar{harness};
  for (int ms = 0; ms < 500; ++ms) {
    harness.run_for(milliseconds{1});
    liar.listen(harness.world().tick);
  }
  protocol::MessageBuffer message_buffer;
  const auto send = [&](const protocol::ViewName& view) {
    const protocol::ViewPart part{.view = view, .bytes = {}};
    liar.peer().send_sealed(net::PacketType::DesyncReport,
                            protocol::encode_view_part(part, message_buffer));
  };
  const Tick now = liar.tick();
  send({.tick = now + 100, .server_hash = 1, .client_hash = 2});  // of a tick to come
  send({.tick = now, .server_hash = 1, .client_hash = 2});        // with a hash that was not sent
  liar.peer().send_sealed(net::PacketType::DesyncReport, {});
  liar.peer().send_sealed(
      net::PacketType::DesyncReport,
      protocol::encode_view_part(
          {.view = {.tick = now, .server_hash = 1, .client_hash = 2}, .parts = 0, .bytes = {}},
          message_buffer));
  harness.run_for(milliseconds{2});
  const server::Metrics& metrics = harness.shard().metrics();
  EXPECT_EQ(metrics.drops.of(DropReason::Unexpected), 2U);
  EXPECT_EQ(metrics.drops.of(DropReason::Malformed), 2U);
  EXPECT_EQ(metrics.drops.total(), 4U);
  EXPECT_TRUE(harness.desyncs().empty());
}

// Bytes that are no view, under the name of one that was sent.
TEST(Threat, TracesThatAreNoViewAreMalformed) {
  Harness harness{{.seed = 144}};
  Liar liar{harness};
  Rng rng{145};
  std::uint64_t sent = 0;
  for (int ms = 0; ms < 12'000; ++ms) {
    harness.run_for(milliseconds{1});
    liar.listen(harness.world().tick);
    if (ms % 20 == 0) liar.peer().send_nothing_new();
    if (ms % 6'000 != 3'000) continue;
    liar.send_noise(rng);
    ++sent;
  }
  const server::Metrics& metrics = harness.shard().metrics();
  EXPECT_EQ(metrics.drops.of(DropReason::Malformed), sent);
  EXPECT_EQ(metrics.drops.total(), sent);
  EXPECT_EQ(metrics.of(server::DesyncResult::Compared), 0U);
  EXPECT_EQ(harness.shard().clients(), 1U);
}

}  // namespace
}  // namespace tickbox::tests::desync_reports_test
