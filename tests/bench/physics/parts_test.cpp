// The parts of the benchmark: its scenes, what it measures of them, and the times it compares.

#include "tests/bench/physics/quality.h"
#include "tests/bench/physics/scene.h"
#include "tests/bench/physics/targets.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace tickbox::bench {
namespace {

// The worlds are what the README says: seeds, counts, and nothing that overlaps to begin with.

constexpr SceneKind kAll[] = {SceneKind::Arena, SceneKind::Platformer, SceneKind::Bullets,
                              SceneKind::Pile, SceneKind::Rest};

// The first output of splitmix64 seeded with 1'001'003, reckoned apart from this program.
TEST(Scene, DrawsAreSplitmix64OverKindAndSize) {
  Draws draws{1, 1'000};
  EXPECT_EQ(std::ldexp(draws.next(), 53), 2'091'780'523'596'096);
}

TEST(Scene, HasAsManyBodiesAsAskedForAndNoneOverlaps) {
  for (const SceneKind kind : kAll) {
    for (const int n : {1, 2, 3, 7, 10, 17, 20, 100, 333, 1'000, 2'500}) {
      const Scene scene = make_scene(kind, n);
      ASSERT_EQ(std::ssize(scene.bodies), n) << "S" << static_cast<int>(kind);
      const auto engine = make_tickbox(scene);
      EXPECT_EQ(find_overlaps(engine->geometry(), engine->poses(), 0).pairs, 0U)
          << "S" << static_cast<int>(kind) << " with " << n;
    }
  }
}

TEST(Scene, EveryTenthBodyAmongTheBulletsIsOne) {
  const Scene scene = make_scene(SceneKind::Bullets, 30);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    EXPECT_EQ(body.role == Role::Bullet, i % 10 == 0);
    if (body.role == Role::Box) continue;
    EXPECT_NEAR(std::hypot(body.vx, body.vy), 3'000, 1e-6);
  }
}

TEST(Scene, TenThousandAtRestStandOnAboutTwentyThousandTiles) {
  const Scene scene = make_scene(SceneKind::Rest, 10'000);
  EXPECT_NEAR(static_cast<double>(scene.tiles.size()), 20'000, 1'000);
}

TEST(Scene, OnlyThePlatformerIsSteeredEachBodyTwiceASecond) {
  for (const SceneKind kind : kAll) {
    Scene scene = make_scene(kind, 50);
    std::vector<int> turned(50, 0);
    for (int tick = 0; tick < 60; ++tick) {
      scene.steer(tick, [&](std::size_t body, double vx) {
        ++turned[body];
        EXPECT_LE(std::abs(vx), 6);
      });
    }
    EXPECT_EQ(turned, std::vector<int>(50, kind == SceneKind::Platformer ? 2 : 0));
  }
}

// Ratios, targets, and what makes a result unsound.

Line line(EngineKind engine, double us) {
  return {.scene = SceneKind::Arena, .n = 1'000, .engine = engine, .us_per_tick = {us, 2 * us}};
}

TEST(Targets, TheLeastTimesAreComparedInTheSameWorld) {
  std::vector<Line> lines{line(EngineKind::Tickbox, 9), line(EngineKind::Box2d, 100),
                          line(EngineKind::Chipmunk, 30)};
  lines.push_back(line(EngineKind::Box2d, 1));
  lines.back().n = 50;
  const std::vector<Ratio> ratios = ratios_of(lines);
  ASSERT_EQ(ratios.size(), 2U);
  EXPECT_DOUBLE_EQ(ratios[0].ratio, 0.09);
  EXPECT_EQ(ratios[0].target, 0.10);
  EXPECT_TRUE(ratios[0].held());
  EXPECT_DOUBLE_EQ(ratios[1].ratio, 0.30);
  EXPECT_FALSE(ratios[1].held()) << "0.27 is the target";
}

TEST(Targets, AreSetForTheirOwnSizesOnly) {
  EXPECT_EQ(target_of(SceneKind::Rest, 10'000, EngineKind::Box2d), 0.05);
  EXPECT_EQ(target_of(SceneKind::Rest, 1'000, EngineKind::Box2d), std::nullopt);
  EXPECT_EQ(target_of(SceneKind::Rest, 10'000, EngineKind::Box2dSleeping), std::nullopt);
  EXPECT_EQ(target_of(SceneKind::Rest, 10'000, EngineKind::ChipmunkSleeping), std::nullopt);
}

TEST(Targets, OnlyTickboxIsHeldToItsPromises) {
  std::vector<Line> lines{line(EngineKind::Tickbox, 9), line(EngineKind::Box2d, 100)};
  lines[1].quality.overlaps_most = 5;
  lines[1].quality.tunnelled = 5;
  EXPECT_TRUE(is_sound(lines));
  for (const auto spoil :
       {+[](Line& l) { l.quality.overlaps_most = 1; }, +[](Line& l) { l.quality.tunnelled = 1; },
        +[](Line& l) { l.repeatable = false; }}) {
    std::vector<Line> spoiled = lines;
    spoil(spoiled[0]);
    EXPECT_FALSE(is_sound(spoiled));
  }
}

// The judges of quality see what is wrong, and nothing where all is right.

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
