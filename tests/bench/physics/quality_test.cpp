// The judges of quality see what is wrong, and nothing where all is right.

#include "tests/bench/physics/quality.h"

#include <gtest/gtest.h>

#include <array>

namespace tickbox::bench {
namespace {

/// Unit boxes at `poses`, no statics.
Geometry boxes(std::span<const Pose> poses) {
  Geometry geometry;
  geometry.bodies.assign(poses.size(), Rect{});
  geometry.roles.assign(poses.size(), Role::Box);
  return geometry;
}

TEST(Quality, AnOverlapIsCountedByItsShortestWayOut) {
  const std::array poses{Pose{0, 0}, Pose{0.5, 0.75}, Pose{5, 5}};
  const Overlaps overlaps = find_overlaps(boxes(poses), poses, 0);
  EXPECT_EQ(overlaps.pairs, 1U);
  EXPECT_EQ(overlaps.deepest, 0.25);
}

TEST(Quality, TouchingIsNoOverlapAndOneSubUnitIs) {
  constexpr double kSubUnit = 0x1p-16;
  const std::array touching{Pose{0, 0}, Pose{1, 0}};
  EXPECT_EQ(find_overlaps(boxes(touching), touching, 0).pairs, 0U);
  const std::array inside{Pose{0, 0}, Pose{1 - kSubUnit, 0}};
  EXPECT_EQ(find_overlaps(boxes(inside), inside, 0).pairs, 1U);
  EXPECT_EQ(find_overlaps(boxes(inside), inside, 0).deepest, kSubUnit);
}

TEST(Quality, WhatIsForgivenIsNotCountedButItsDepthIsTold) {
  const std::array poses{Pose{0, 0}, Pose{0.995, 0}};
  const Overlaps overlaps = find_overlaps(boxes(poses), poses, 0.01);
  EXPECT_EQ(overlaps.pairs, 0U);
  EXPECT_NEAR(overlaps.deepest, 0.005, 1e-12);
}

TEST(Quality, BulletsMeetStaticsOnlyAndStaticsNotEachOther) {
  const std::array poses{Pose{0, 0}, Pose{0.5, 0}, Pose{10, 0}};
  Geometry geometry = boxes(poses);
  geometry.roles = {Role::Box, Role::Bullet, Role::Bullet};
  geometry.statics = {{.x = 10.5, .y = 0}, {.x = 11, .y = 0}};
  EXPECT_EQ(find_overlaps(geometry, poses, 0).pairs, 1U);
}

TEST(Quality, EveryChangeOfRoomIsATunnelling) {
  const std::array roles{Role::Box, Role::Bullet};
  RoomWatch rooms{20};
  rooms.watch(std::array{Pose{1, 1}, Pose{5, 5}}, roles);
  rooms.watch(std::array{Pose{19, 19}, Pose{5, 25}}, roles);
  rooms.watch(std::array{Pose{21, 19}, Pose{5, -1}}, roles);
  EXPECT_EQ(rooms.tunnelled(), 3U);
  EXPECT_EQ(rooms.bullets_tunnelled(), 2U);
}

TEST(Quality, WhereThereAreNoRoomsNobodyLeavesOne) {
  RoomWatch rooms{0};
  rooms.watch(std::array{Pose{1, 1}}, std::array{Role::Box});
  rooms.watch(std::array{Pose{99, 1}}, std::array{Role::Box});
  EXPECT_EQ(rooms.tunnelled(), 0U);
}

TEST(Quality, ABodyMovesOnceItGoesFurtherThanIsForgiven) {
  RestWatch rest{0.1};
  rest.watch(std::array{Pose{0, 0}, Pose{0, 0}});
  rest.watch(std::array{Pose{0.05, 0}, Pose{0, -0.2}});
  rest.watch(std::array{Pose{0.1, 0}, Pose{0, -0.2}});
  EXPECT_EQ(rest.moving(), 1U);
  EXPECT_EQ(rest.largest_move(), 0.2);
}

}  // namespace
}  // namespace tickbox::bench
