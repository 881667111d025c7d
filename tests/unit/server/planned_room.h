#pragma once
// A room with players at given positions, and the client of seat 0. The planner's snapshots go to a
// SnapshotWorld, which must make the same view.

#include "client/views/snapshot_world.h"
#include "net/packet.h"
#include "protocol/snapshot_codec.h"
#include "server/replication/sent_views.h"
#include "server/replication/snapshot_planner.h"
#include "server/room/room.h"
#include "tests/support/arena_wrappers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace tickbox::server {

inline constexpr std::uint32_t kPlannedRate = 60;

class PlannedRoom {
 public:
  using Inputs = std::vector<game::PlayerInput>;

  /// A player at each of `places`; the first one is the client's.
  PlannedRoom(const std::vector<Vec2>& places, Sight sight,
              std::shared_ptr<const game::Rules> rules =
                  std::make_shared<const tests::SeatedArena>(kPlannedRate),
              const std::vector<Vec2>& crates = {})
      : rules_(std::move(rules)),
        room_(map_of(places, crates), rules_, 1, kPlannedRate),
        planner_(sight) {
    const auto seats = static_cast<std::uint16_t>(places.size());
    std::vector<PlayerId> joins;
    joins.reserve(seats);
    for (std::uint16_t seat = 0; seat < seats; ++seat) {
      joins.push_back({seat});
    }
    room_.tick({.leaves = {}, .joins = joins, .inputs = {}});
    snapshot_world_ = std::make_unique<client::SnapshotWorld>(room_.world().map(), rules_, body(0));
  }

  void tick(const Inputs& inputs = {}) {
    room_.tick({.leaves = {}, .joins = {}, .inputs = inputs});
  }

  void leave(const std::vector<PlayerId>& players) {
    room_.tick({.leaves = players, .joins = {}, .inputs = {}});
  }

  void join(const std::vector<PlayerId>& players) {
    room_.tick({.leaves = {}, .joins = players, .inputs = {}});
  }

  /// Returns the snapshot of this tick. The SnapshotWorld must make the planner's view from it. If
  /// the snapshot does not fit, nothing is sent.
  const protocol::Snapshot& send(std::size_t bytes_max = net::kDatagramBytesMax) {
    const Tick tick = room_.world().tick;
    const ViewMembers* base = views_.base(tick);
    const ViewRequest request{.own = static_cast<std::uint32_t>(room_.world().index_of(body(0))),
                              .base = base,
                              .base_tick = base != nullptr ? views_.base_tick() : tick,
                              .last = views_.find(sent_, tick),
                              .bytes_max = bytes_max};
    planner_.begin_tick(room_);
    ViewMembers& members = views_.add(tick);
    plan_ = planner_.plan(request, waiting_, snapshot_, members);
    if (!plan_.fits) {
      EXPECT_LT(bytes_max, net::kDatagramBytesMax) << "a whole datagram is always enough";
      views_.withdraw(tick);
      return snapshot_;
    }
    sent_ = tick;
    snapshot_.head = {.report = {.tick = static_cast<std::uint16_t>(tick.value & 0xffff)},
                      .view_hash = static_cast<std::uint32_t>(plan_.view_hash & 0xffff'ffff)};
    if (plan_.on_base) {
      snapshot_.head.base_age = static_cast<std::uint8_t>(tick - request.base_tick);
    }
    members_.clear();
    for (const SlotId slot : members) {
      members_.insert(room_.replication_log().slots().slot(slot).id);
    }
    EXPECT_EQ(plan_.members, members_.size());
    EXPECT_TRUE(members_.contains(body(0))) << "the own body";
    bytes_ =
        protocol::encode_snapshot(snapshot_, message_buffer_).size() + net::kPacketOverheadBytes;
    EXPECT_LE(bytes_, bytes_max);
    check_replica(tick);
    return snapshot_;
  }

  /// The last snapshot has arrived.
  void acknowledge() { views_.acknowledge(sent_); }

  [[nodiscard]] BodyId body(std::uint16_t seat) const { return room_.world().body_of({seat}); }

  [[nodiscard]] Vec2 place(std::uint16_t seat) const {
    return room_.world().entity(room_.world().index_of(body(seat))).min;
  }

  [[nodiscard]] const ViewPlan& plan() const { return plan_; }

  [[nodiscard]] const std::set<BodyId>& members() const { return members_; }

  [[nodiscard]] bool sees(std::uint16_t seat) const { return members_.contains(body(seat)); }

  [[nodiscard]] const WaitingBodies& waiting() const { return waiting_; }

  [[nodiscard]] Room& room() { return room_; }

 private:
  /// One wall only, at y = −20 units, and enough spawn points for players that respawn.
  static game::SharedMap map_of(const std::vector<Vec2>& places, const std::vector<Vec2>& crates) {
    auto map = std::make_shared<game::Map>();
    map->crates = crates;
    map->seats = static_cast<std::uint32_t>(places.size());
    map->spawn_points = places;
    for (std::int32_t i = 0; i < 100; ++i) {
      map->spawn_points.push_back({.x = 500 * kUnit + 3 * i * kUnit, .y = 0});
    }
    const sim::Body wall{.id = {3U << 30},
                         .kind = sim::Kind::Static,
                         .min = {.x = -50 * kUnit, .y = -20 * kUnit},
                         .size = {100 * kUnit, kUnit}};
    map->statics = std::make_shared<const sim::Statics>(std::vector{wall});
    return map;
  }

  void check_replica(Tick tick) {
    const auto view = snapshot_world_->apply(snapshot_, tick);
    ASSERT_TRUE(view) << "tick " << tick.value;
    std::set<BodyId> ids;
    for (const game::EntityState& entity : view->entities) {
      ids.insert(entity.id);
    }
    EXPECT_EQ(ids, members_) << "tick " << tick.value;
  }

  std::shared_ptr<const game::Rules> rules_;
  Room room_;
  SnapshotPlanner planner_;
  SentViews views_{base_age_max(kPlannedRate)};
  WaitingBodies waiting_;
  protocol::Snapshot snapshot_;
  protocol::MessageBuffer message_buffer_;
  std::unique_ptr<client::SnapshotWorld> snapshot_world_;
  ViewPlan plan_;
  Tick sent_;
  std::set<BodyId> members_;
  std::size_t bytes_ = 0;
};

}  // namespace tickbox::server
