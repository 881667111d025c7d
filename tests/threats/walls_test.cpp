// Seeing through walls: nothing is sent of what is outside a client's view. Read from the packets
// themselves, as a client that cheats would, built up to views, and compared with where everything
// really is.

#include "client/views/snapshot_world.h"
#include "games/catalog.h"
#include "protocol/snapshot_codec.h"
#include "server/replication/interest.h"
#include "server/shard/limits.h"
#include "tests/threats/eavesdropper.h"
#include "tests/threats/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace tickbox::tests {
namespace {

using std::chrono::seconds;

struct Seen {
  std::uint64_t snapshots = 0;
  std::uint64_t bodies = 0;    ///< that came in full
  std::uint64_t told = 0;      ///< of these, beyond the border of the view
  std::uint64_t entities = 0;  ///< in views
  std::uint64_t outside = 0;   ///< in a view, beyond its border, and no bullet
  std::uint64_t untrue = 0;    ///< in a view, and not as it is
  std::uint64_t hidden = 0;    ///< not in a view, and beyond its border
  std::uint64_t left_out = 0;  ///< not in a view, though within it
};

/// What a client that cheats makes of what it is sent.
struct Onlooker {
  client::SnapshotWorld replica;
  std::uint64_t newest = 0;  ///< sequence
};

bool is_in_view(Vec2 of, Vec2 centre) {
  const auto within = [](std::int32_t a, std::int32_t b, std::int32_t units) {
    return std::abs(std::int64_t{a} - b) <= std::int64_t{units} * kUnit;
  };
  constexpr server::Sight kSight;
  return within(of.x, centre.x, kSight.half_width) && within(of.y, centre.y, kSight.half_height);
}

/// Who was seen stays seen a little beyond the border.
bool may_be_in_view(Vec2 of, Vec2 centre) {
  return server::Interest{server::Sight{}}.keeps_seeing(centre, of);
}

/// A snapshot goes out between two ticks, so that the room is still as it was sent.
void look(const server::Room& room, const net::Accept& place, const protocol::Snapshot& sent,
          Onlooker& onlooker, Seen& seen) {
  const auto entities = room.entities();
  const auto own = std::ranges::find(entities, place.body, &game::EntityState::id);
  ASSERT_NE(own, entities.end());
  ASSERT_EQ(sent.head.report.tick, room.world().tick.value & 0xffff);
  const auto view = onlooker.replica.apply(sent, room.world().tick);
  ASSERT_TRUE(view);
  const auto is_seen = [&](const game::EntityState& entity) {
    return std::ranges::binary_search(view->entities, entity.id, {}, &game::EntityState::id);
  };
  for (const game::EntityState& body : sent.bodies) {
    ASSERT_TRUE(is_seen(body));
    seen.told += may_be_in_view(body.min, own->min) ? 0U : 1U;
  }
  for (const game::EntityState& entity : view->entities) {
    const auto real = std::ranges::find(entities, entity.id, &game::EntityState::id);
    const bool is_true = real != entities.end() && *real == entity;
    seen.untrue += is_true ? 0U : 1U;
    if (may_be_in_view(entity.min, own->min) || entity.traits.kind == game::EntityKind::Bullet) {
      continue;
    }
    ++seen.outside;
  }
  for (const game::EntityState& entity : entities) {
    if (is_seen(entity)) continue;
    ++(is_in_view(entity.min, own->min) ? seen.left_out : seen.hidden);
  }
  seen.bodies += sent.bodies.size();
  seen.entities += view->entities.size();
  ++seen.snapshots;
}

TEST(Threat, SeeingThroughWallsIsNotPossibleForWhatIsOutsideIsNotSent) {
  constexpr std::size_t kClients = 60;
  Harness harness{{.seed = 111, .max_clients = 400}};
  Wire wire{harness};
  Eavesdropper ears{harness, wire};
  const std::shared_ptr<const game::Rules> rules = game::make_rules("arena", 60);
  Seen seen;
  std::map<std::uint16_t, Onlooker> onlookers;  // by seat
  ears.listen([&](const Eavesdropper::Read& read) {
    if (read.type != net::PacketType::Snapshot) return;
    const net::Accept& place = read.session.accept;
    Onlooker& onlooker = onlookers
                             .try_emplace(place.player.value,
                                          Onlooker{.replica = {harness.map(), rules, place.body}})
                             .first->second;
    // It passes twice: from the server, and to the client.
    if (std::exchange(onlooker.newest, read.sequence) == read.sequence) return;
    const auto snapshot = protocol::decode_snapshot(read.message);
    ASSERT_TRUE(snapshot.has_value());
    look(harness.room(), place, *snapshot, onlooker, seen);
  });
  for (std::size_t i = 0; i < kClients; ++i) {
    const net::ConnectToken token = harness.make_token(i + 1);
    ears.is_handed(token);
    harness.add_client({}, token);
  }
  const std::uint32_t watched = sized(15, 6);
  harness.run_for(seconds{watched});
  EXPECT_EQ(ears.unread(), 0U);
  EXPECT_GT(seen.snapshots, kClients * (watched - 1) * server::kQuietSnapshotsPerSecond);
  EXPECT_GT(seen.hidden, seen.snapshots * 20) << "a room so small shows nothing";
  EXPECT_GT(seen.entities, 5 * seen.snapshots);
  EXPECT_GT(seen.bodies, 10 * kClients) << "nobody came into view";
  EXPECT_EQ(seen.told, 0U);
  EXPECT_LT(seen.outside, seen.entities / 200) << "but for who was put elsewhere, a few ticks";
  EXPECT_EQ(seen.untrue, 0U);
  EXPECT_LT(10'000 * seen.left_out, seen.entities) << "but for who did not fit, until the next";
}

}  // namespace
}  // namespace tickbox::tests
