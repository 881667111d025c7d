// Seeing further than the view: nobody beyond its border is sent in full, and few stay in it. The
// test reads the packets themselves, as a client that cheats would, builds views from them, and
// compares these with where everything really is.

#include "client/match/snapshot_world.h"
#include "protocol/snapshot.h"
#include "server/match/interest.h"
#include "server/shard/limits.h"
#include "tests/threats/memory.h"
#include "tests/threats/peers/eavesdropper.h"
#include "views/content.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <utility>

namespace tickbox::tests::sight_test {
namespace {

using std::chrono::seconds;

struct Seen {
  std::uint64_t snapshots = 0;
  std::uint64_t rows = 0;      ///< that came in full
  std::uint64_t told = 0;      ///< of these rows, beyond the border of the view
  std::uint64_t entities = 0;  ///< in views
  std::uint64_t outside = 0;   ///< in a view, beyond its border, and no bullet
  std::uint64_t untrue = 0;    ///< in a view, and not as it is
  std::uint64_t hidden = 0;    ///< not in a view, and beyond its border
  std::uint64_t left_out = 0;  ///< not in a view, though within it
};

/// What a client that cheats makes of what it is sent.
struct Onlooker {
  Onlooker(const engine::World& like, Player player) : replica(like, player, stepper) {}

  engine::Stepper stepper;
  client::SnapshotWorld replica;
  std::map<Tick, views::Rows> views;  ///< the bases that can come
  std::uint64_t newest = 0;           ///< sequence
};

/// Where a body is in the room.
server::Extent extent_of(const engine::World& world, std::size_t row) {
  const sim::Body& body = world.body(row);
  const Vec2 half{body.size.x / 2, body.size.y / 2};
  return {.middle = {body.min.x + half.x, body.min.y + half.y}, .half = half};
}

/// Returns the entities that a snapshot has in full.
views::Rows rows_in_full(const protocol::Snapshot& sent, Tick now, const Onlooker& onlooker,
                         const GameTable& game) {
  const std::uint32_t age = sent.head.base_age;
  const auto base = onlooker.views.find(Tick{now.value - age});
  EXPECT_TRUE(age == 0 || base != onlooker.views.end());
  views::Content content{game};
  EXPECT_TRUE(views::read_content(
      sent.content, {.tick = now, .age = age, .rows = age != 0 ? &base->second : nullptr},
      content));
  return content.rows;
}

/// Compares a snapshot with the room. The server sends it between two ticks, so the room is still
/// as the snapshot tells.
void look(const engine::World& world, Player player, const protocol::Snapshot& sent,
          Onlooker& onlooker, Seen& seen) {
  const GameTable& game = world.game();
  ASSERT_EQ(sent.head.report.tick, world.tick.value & 0xffff);
  const views::Rows in_full = rows_in_full(sent, world.tick, onlooker, game);
  const auto view = onlooker.replica.apply(
      {.tick = world.tick, .base_age = sent.head.base_age, .view_hash = sent.head.view_hash},
      sent.content);
  ASSERT_TRUE(view);
  onlooker.views[world.tick] = *view->rows;
  const server::Eye eye = server::eye_of(world, player);
  // Who was seen stays seen a little beyond the border.
  const auto may_be_in_view = [&](std::size_t row) {
    return server::keeps_seeing(eye, extent_of(world, row));
  };
  for (const views::RowHead& head : in_full.heads()) {
    ASSERT_TRUE(view->rows->contains(head.id));
    const std::size_t row = world.index_of(head.id);
    ASSERT_NE(row, world.size());
    seen.told += may_be_in_view(row) ? 0U : 1U;
  }
  for (std::size_t i = 0; i < view->rows->size(); ++i) {
    const std::size_t row = world.index_of(view->rows->head(i).id);
    const bool is_true = row != world.size() &&
                         views::are_equal(game, view->rows->row(i), views::row_of(world, row));
    seen.untrue += is_true ? 0U : 1U;
    const bool is_bullet = view->rows->kind_of(i).type.name == "Bullet";
    seen.outside += is_true && !is_bullet && !may_be_in_view(row) ? 1U : 0U;
  }
  for (std::size_t row = 0; row < world.size(); ++row) {
    if (view->rows->contains(world.id(row))) continue;
    ++(server::is_in_sight(eye, extent_of(world, row), 0) ? seen.left_out : seen.hidden);
  }
  seen.rows += in_full.size();
  seen.entities += view->rows->size();
  ++seen.snapshots;
}

TEST(Threat, SeeingFurtherThanTheViewIsNotPossibleForWhoIsBeyondIsNotSent) {
  constexpr std::size_t kClients = 60;
  Harness harness{{.seed = 111, .max_clients = 400}};
  Wire wire{harness};
  Eavesdropper ears{harness, wire};
  Seen seen;
  std::map<std::uint16_t, std::unique_ptr<Onlooker>> onlookers;  // by seat
  protocol::Snapshot snapshot;
  ears.listen([&](const Eavesdropper::Read& read) {
    if (read.type != net::PacketType::Snapshot) return;
    const net::Accept& place = read.session.accept;
    const Player player{place.player.value};
    std::unique_ptr<Onlooker>& onlooker = onlookers[player.seat];
    if (onlooker == nullptr) {
      engine::World like{harness.game(), harness.map(), place.tick_rate, 0};
      like.shared_seed = place.shared_seed;
      onlooker = std::make_unique<Onlooker>(like, player);
    }
    // Each packet passes twice: from the server, and to the client.
    if (std::exchange(onlooker->newest, read.sequence) == read.sequence) return;
    ASSERT_TRUE(protocol::decode_snapshot(read.message, snapshot));
    look(harness.world(), player, snapshot, *onlooker, seen);
  });
  for (std::size_t i = 0; i < kClients; ++i) {
    const net::ConnectToken token = harness.make_token(i + 1);
    ears.is_handed(token);
    harness.add_client({}, token);
  }
  const std::uint32_t watched = sized(15, 6);
  for (std::uint32_t second = 0; second < watched; ++second) {
    harness.run_for(seconds{1});
    const Tick oldest{std::max(harness.world().tick.value, 64U) - 64};
    for (auto& [seat, onlooker] : onlookers) {
      onlooker->views.erase(onlooker->views.begin(), onlooker->views.lower_bound(oldest));
    }
  }
  EXPECT_EQ(ears.unread(), 0U);
  EXPECT_GT(seen.snapshots, kClients * (watched - 1) * server::kQuietSnapshotsPerSecond);
  EXPECT_GT(seen.hidden, seen.snapshots * 20) << "a room so small shows nothing";
  EXPECT_GT(seen.entities, 5 * seen.snapshots);
  EXPECT_GT(seen.rows, 10 * kClients) << "nobody came into view";
  EXPECT_EQ(seen.told, 0U);
  EXPECT_LT(seen.outside, seen.entities / 200) << "but for who was put elsewhere, a few ticks";
  EXPECT_EQ(seen.untrue, 0U);
  EXPECT_LT(10'000 * seen.left_out, seen.entities) << "but for who did not fit, until the next";
}

}  // namespace
}  // namespace tickbox::tests::sight_test
