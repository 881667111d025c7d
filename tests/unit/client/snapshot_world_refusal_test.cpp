// The refusals of a snapshot world: snapshots that are well formed, but refer to things that do not
// exist.

#include "client/views/snapshot_world.h"
#include "tests/support/staged_match.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::client {
namespace {

using net::DropReason;
using tests::StagedMatch;

constexpr PlayerId kA{0};
constexpr PlayerId kB{1};
constexpr std::uint8_t kMembers = 4;
constexpr std::uint32_t kCrates = 1'000;
/// Members of the base by id: players first, then crates, then bullets.
constexpr std::uint8_t kMemberA = 0;
constexpr std::uint8_t kMemberB = 1;
constexpr std::uint8_t kMemberCrate = 2;
constexpr std::uint8_t kMemberBullet = 3;

/// Holds a view of two players, a crate and a bullet of A's. Two ticks have passed since.
class SnapshotWorldRefusalTest : public ::testing::Test {
 protected:
  SnapshotWorldRefusalTest() : snapshot_world_(start()) {
    EXPECT_TRUE(snapshot_world_.apply(room_.full(), base_));
    EXPECT_EQ(room_.entities().size(), kMembers);
    room_.tick({{.player = kB, .input = {.move = 3}}});
    room_.tick({{.player = kB, .input = {.move = 4}}});
  }

  SnapshotWorld start() {
    room_.join(kA);
    room_.put(kA, 0, 0);
    room_.join(kB);
    room_.put(kB, 0, 40);
    room_.tick({{.player = kA, .input = {.buttons = game::kButtonShoot}}});
    base_ = room_.now();
    return {with_more_crates(*room_.map()), room_.rules(), room_.body(kA)};
  }

  /// The room's map with space for more crates than the room has.
  static game::SharedMap with_more_crates(game::Map map) {
    map.crates.resize(kCrates);
    return std::make_shared<const game::Map>(std::move(map));
  }

  /// Applies a changed snapshot. After a malformed one, the correct one must still be accepted.
  template <class Change>
  bool is_malformed(Change change) {
    protocol::Snapshot snapshot = room_.since(base_);
    change(snapshot);
    const auto view = snapshot_world_.apply(snapshot, room_.now());
    const bool malformed =
        !view && view.error().reason == DropReason::Malformed && !view.error().wrong;
    if (malformed) {
      EXPECT_TRUE(snapshot_world_.apply(room_.since(base_), room_.now()))
          << "what was held is held";
    }
    room_.tick();
    return malformed;
  }

  /// A body that does not exist in the room.
  static game::EntityState body(BodyId id, game::EntityKind kind) {
    return {.id = id,
            .min = {.x = 300 * kUnit, .y = 300 * kUnit},
            .velocity = {},
            .traits = {.kind = kind}};
  }

  static game::EntityState player(std::uint16_t seat, std::uint32_t generation) {
    return body(game::player_body({seat}, generation), game::EntityKind::Player);
  }

  StagedMatch room_ = StagedMatch::in_the_open();
  Tick base_;
  SnapshotWorld snapshot_world_;
};

TEST_F(SnapshotWorldRefusalTest, NotTheRightOne) {
  EXPECT_FALSE(is_malformed([](protocol::Snapshot&) {}));
  EXPECT_TRUE(snapshot_world_.apply(room_.since(base_), room_.now()));
}

TEST_F(SnapshotWorldRefusalTest, CausesOfWhoIsNoMember) {
  for (const std::uint8_t member : {kMembers, std::uint8_t{255}}) {
    EXPECT_TRUE(is_malformed([&](auto& s) { s.causes.inputs.push_back({0, member, 1}); }));
    EXPECT_TRUE(is_malformed([&](auto& s) { s.causes.shots.push_back({0, member, 1}); }));
    EXPECT_TRUE(is_malformed([&](auto& s) { s.causes.teleports.push_back({0, member, 1}); }));
    EXPECT_TRUE(is_malformed([&](auto& s) { s.causes.exits.push_back(member); }));
  }
}

TEST_F(SnapshotWorldRefusalTest, CausesOfWhatIsNoPlayer) {
  for (const std::uint8_t member : {kMemberCrate, kMemberBullet}) {
    EXPECT_TRUE(is_malformed([&](auto& s) { s.causes.inputs.push_back({0, member, 1}); }));
    EXPECT_TRUE(is_malformed([&](auto& s) { s.causes.shots.push_back({0, member, 1}); }));
    EXPECT_TRUE(is_malformed([&](auto& s) { s.causes.teleports.push_back({0, member, 1}); }));
  }
}

TEST_F(SnapshotWorldRefusalTest, CausesOfWhoLeaves) {
  const auto leaving = [](auto add) {
    return [add](protocol::Snapshot& snapshot) {
      snapshot.causes.exits.push_back(kMemberA);
      add(snapshot.causes);
    };
  };
  EXPECT_TRUE(is_malformed(leaving([](auto& c) { c.inputs.push_back({0, kMemberA, 1}); })));
  EXPECT_TRUE(is_malformed(leaving([](auto& c) { c.shots.push_back({0, kMemberA, 1}); })));
  EXPECT_TRUE(is_malformed(leaving([](auto& c) { c.teleports.push_back({0, kMemberA, 1}); })));
}

TEST_F(SnapshotWorldRefusalTest, CausesOfWhoComesWhole) {
  const auto whole = [this](auto add) {
    return [this, add](protocol::Snapshot& snapshot) {
      snapshot.bodies.push_back(room_.entity(room_.body(kA)));
      add(snapshot.causes);
    };
  };
  EXPECT_TRUE(is_malformed(whole([](auto& c) { c.inputs.push_back({0, kMemberA, 1}); })));
  EXPECT_TRUE(is_malformed(whole([](auto& c) { c.shots.push_back({0, kMemberA, 1}); })));
  EXPECT_TRUE(is_malformed(whole([](auto& c) { c.teleports.push_back({0, kMemberA, 1}); })));
}

TEST_F(SnapshotWorldRefusalTest, PlacesThatTheMapHasNot) {
  for (const std::uint16_t place : std::to_array<std::uint16_t>({StagedMatch::kPlaces, 0xffff})) {
    EXPECT_TRUE(is_malformed([&](auto& s) { s.causes.teleports.push_back({0, kMemberB, place}); }));
  }
}

// The last spawn point exists: the result differs from the server's hash, and is not malformed.
TEST_F(SnapshotWorldRefusalTest, NotTheLastPlaceOfTheMap) {
  protocol::Snapshot snapshot = room_.since(base_);
  snapshot.causes.teleports.push_back({0, kMemberB, StagedMatch::kPlaces - 1});
  const auto view = snapshot_world_.apply(snapshot, room_.now());
  ASSERT_FALSE(view);
  EXPECT_TRUE(view.error().wrong);
}

// 255 players in one place took seconds to step.
TEST_F(SnapshotWorldRefusalTest, ATeleportIntoAnotherBody) {
  EXPECT_TRUE(is_malformed([](auto& s) {
    s.causes.teleports.push_back({1, kMemberA, 3});
    s.causes.teleports.push_back({1, kMemberB, 3});
  }));
}

TEST_F(SnapshotWorldRefusalTest, ABodyInFullThatNoServerHas) {
  const auto with = [](std::initializer_list<game::EntityState> bodies) {
    return [bodies = std::vector(bodies)](protocol::Snapshot& snapshot) {
      for (const game::EntityState& body : bodies) {
        snapshot.bodies.push_back(body);
        snapshot.head.view_hash += static_cast<std::uint32_t>(game::entity_hash(body));
      }
    };
  };
  game::EntityState crate = body(game::crate_body(900), game::EntityKind::Crate);
  game::EntityState other = body(game::crate_body(901), game::EntityKind::Crate);
  other.min.x += 1;
  EXPECT_TRUE(is_malformed(with({crate, other})));
  crate.min = room_.entity(room_.body(kB)).min;
  EXPECT_TRUE(is_malformed(with({crate})));
  other.min.x += 2 * kUnit;
  EXPECT_FALSE(is_malformed(with({other}))) << "beside all others";
  other = body(game::crate_body(kCrates), game::EntityKind::Crate);
  EXPECT_TRUE(is_malformed(with({other}))) << "a crate that the map has not";
  crate = body(game::crate_body(902), game::EntityKind::Crate);
  crate.velocity.x = 1'000 * kUnit;
  EXPECT_TRUE(is_malformed(with({crate}))) << "faster than anything";
}

TEST_F(SnapshotWorldRefusalTest, WhoLeavesAndComesWhole) {
  EXPECT_TRUE(is_malformed([this](protocol::Snapshot& snapshot) {
    snapshot.causes.exits.push_back(kMemberA);
    snapshot.bodies.push_back(room_.entity(room_.body(kA)));
  }));
}

TEST_F(SnapshotWorldRefusalTest, TwoBodiesOfOneSeat) {
  EXPECT_TRUE(is_malformed([](auto& s) { s.bodies.push_back(player(kA.value, 9)); }));
  EXPECT_TRUE(is_malformed([](auto& s) {
    s.bodies.push_back(player(5, 1));
    s.bodies.push_back(player(5, 2));
  }));
}

TEST_F(SnapshotWorldRefusalTest, SeatsThatTheMapHasNot) {
  EXPECT_TRUE(is_malformed([](auto& s) { s.bodies.push_back(player(StagedMatch::kSeats, 1)); }));
  EXPECT_TRUE(is_malformed([](auto& s) { s.bodies.push_back(player(4'095, 1)); }));
}

// A bullet that a shot spawns, and the same bullet in full.
TEST_F(SnapshotWorldRefusalTest, AnIdTwice) {
  const Tick born = room_.now();
  EXPECT_TRUE(is_malformed([&](protocol::Snapshot& snapshot) {
    snapshot.causes.shots.push_back({0, kMemberB, 1});
    snapshot.bodies.push_back(body(game::bullet_body(kB, born), game::EntityKind::Bullet));
  }));
}

// Crates far away and at rest enter until the view is full; then one more enters.
TEST_F(SnapshotWorldRefusalTest, MoreMembersThanAByteCanNumber) {
  std::uint32_t crates = 0;
  std::uint32_t hash = 0;
  const auto with_crates = [&](std::uint32_t count) {
    protocol::Snapshot snapshot = room_.since(base_);
    for (std::uint32_t i = 0; i < count; ++i) {
      game::EntityState crate = body(game::crate_body(1 + crates), game::EntityKind::Crate);
      crate.min.x += static_cast<std::int32_t>(2 * crates++) * kUnit;
      hash += static_cast<std::uint32_t>(game::entity_hash(crate) & 0xffff'ffff);
      snapshot.bodies.push_back(crate);
    }
    snapshot.head.view_hash += hash;
    return snapshot;
  };
  while (crates + kMembers < protocol::kViewMembersMax) {
    ASSERT_TRUE(snapshot_world_.apply(with_crates(63), room_.now()));
    base_ = room_.now();
    room_.tick();
  }
  ASSERT_EQ(crates + kMembers, protocol::kViewMembersMax);
  const auto view = snapshot_world_.apply(with_crates(1), room_.now());
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().reason, DropReason::Malformed);
  EXPECT_FALSE(view.error().wrong);
}

TEST_F(SnapshotWorldRefusalTest, ABaseBeforeTheFirstTick) {
  EXPECT_TRUE(is_malformed(
      [this](auto& s) { s.head.base_age = static_cast<std::uint8_t>(room_.now().value + 1); }));
}

TEST_F(SnapshotWorldRefusalTest, ABaseThatIsNotHeld) {
  protocol::Snapshot snapshot = room_.since(base_);
  --snapshot.head.base_age;
  snapshot.causes.clear();
  const auto view = snapshot_world_.apply(snapshot, room_.now());
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().reason, DropReason::Unexpected);
  EXPECT_FALSE(view.error().wrong);
  EXPECT_TRUE(snapshot_world_.apply(room_.since(base_), room_.now())) << "what was held is held";
}

TEST_F(SnapshotWorldRefusalTest, WhatIsNotNewer) {
  const protocol::Snapshot snapshot = room_.since(base_);
  ASSERT_TRUE(snapshot_world_.apply(snapshot, room_.now()));
  for (const protocol::Snapshot& again : {snapshot, room_.full()}) {
    const auto view = snapshot_world_.apply(again, room_.now());
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().reason, DropReason::Unexpected);
    EXPECT_FALSE(view.error().wrong);
  }
  EXPECT_FALSE(snapshot_world_.apply(room_.full(), base_)) << "an older one";
  room_.tick();
  EXPECT_TRUE(snapshot_world_.apply(room_.since(base_), room_.now())) << "what was held is held";
}

TEST_F(SnapshotWorldRefusalTest, AViewThatComesOutOtherwiseAndForgetsEverything) {
  protocol::Snapshot snapshot = room_.since(base_);
  const std::uint32_t right = snapshot.head.view_hash;
  snapshot.head.view_hash ^= 1;
  const auto view = snapshot_world_.apply(snapshot, room_.now());
  ASSERT_FALSE(view);
  ASSERT_TRUE(view.error().wrong);
  EXPECT_EQ(view.error().wrong->name.tick, room_.now());
  EXPECT_EQ(view.error().wrong->name.server_hash, right ^ 1);
  EXPECT_EQ(view.error().wrong->name.client_hash, right);
  const auto on_base = snapshot_world_.apply(room_.since(base_), room_.now());
  ASSERT_FALSE(on_base);
  EXPECT_EQ(on_base.error().reason, DropReason::Unexpected);
  EXPECT_FALSE(on_base.error().wrong);
  EXPECT_TRUE(snapshot_world_.apply(room_.full(), room_.now())) << "it starts again";
}

TEST_F(SnapshotWorldRefusalTest, AFullViewOfAnotherHash) {
  protocol::Snapshot snapshot = room_.full();
  snapshot.head.view_hash ^= 0x8000'0000;
  const auto view = snapshot_world_.apply(snapshot, room_.now());
  ASSERT_FALSE(view);
  EXPECT_TRUE(view.error().wrong);
  EXPECT_TRUE(snapshot_world_.apply(room_.full(), room_.now()));
}

}  // namespace
}  // namespace tickbox::client
