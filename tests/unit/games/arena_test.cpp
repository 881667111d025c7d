#include "games/arena/arena.h"

#include "core/directions.h"
#include "core/rng.h"
#include "games/arena/arena_map.h"
#include "games/arena/free_places.h"
#include "tests/support/staged_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

namespace tickbox::game {
namespace {

using tests::kRayRight;
using tests::kRight;
using tests::kShootRight;
using tests::StagedMatch;

constexpr std::int32_t kRunPerTick = 8 * kUnit / 60;

/// A match of one player at (x, y), in units from the upper left corner.
StagedMatch alone_at(std::int32_t x, std::int32_t y, std::uint32_t seats = 4) {
  StagedMatch match{seats};
  match.join({0});
  match.put({0}, x, y);
  return match;
}

TEST(Arena, AcceleratesToEightUnitsPerSecondAndStopsByFriction) {
  StagedMatch match = alone_at(1, 1);
  match.tick({{.player = {0}, .input = kRight}});
  EXPECT_EQ(match.box({0}).velocity.x, 60 * kUnit / 3'600);
  match.ticks(20, {});
  EXPECT_EQ(match.box({0}).velocity.x, kRunPerTick)
      << "a player holds its input until another comes";
  match.tick({{.player = {0}, .input = {}}});
  EXPECT_LT(match.box({0}).velocity.x, kRunPerTick);
  match.ticks(20, {});
  EXPECT_EQ(match.box({0}).velocity, Vec2{});
}

TEST(Arena, RunsAsFastDiagonally) {
  StagedMatch match = alone_at(1, 1);
  match.ticks(15, {{.player = {0}, .input = {.move = 2}}});
  const Vec2 velocity = match.box({0}).velocity;
  EXPECT_EQ(velocity.x, velocity.y);
  const std::int64_t squared =
      std::int64_t{velocity.x} * velocity.x + std::int64_t{velocity.y} * velocity.y;
  EXPECT_NEAR(static_cast<double>(squared),
              static_cast<double>(std::int64_t{kRunPerTick} * kRunPerTick), 2e4);
}

TEST(Arena, ABulletLeavesItsOwnerAndHitsWhoStandsInItsWay) {
  StagedMatch match;
  match.join({0});
  match.join({1});
  match.put({0}, 1, 1);
  match.put({1}, 10, 1);
  match.tick({{.player = {0}, .input = kShootRight}});
  EXPECT_EQ(match.count(EntityKind::Bullet), 1U);
  match.tick({{.player = {0}, .input = {}}});
  EXPECT_EQ(match.world().seat({0}).score, 0U);
  match.tick();
  ASSERT_EQ(match.events().hits.size(), 1U);
  EXPECT_EQ(match.events().hits[0], (Hit{.shooter = {0}, .victim = {1}}));
  EXPECT_EQ(match.world().seat({0}).score, 1U);
  EXPECT_EQ(match.count(EntityKind::Bullet), 0U);
  EXPECT_NE(match.box({1}).min, (Vec2{match.origin().x + 10 * kUnit, match.origin().y + kUnit}))
      << "who is hit appears elsewhere";
  EXPECT_EQ(match.box({1}).velocity, Vec2{});
  EXPECT_EQ(match.box({0}).min, (Vec2{match.origin().x + kUnit, match.origin().y + kUnit}))
      << "a shot does not push its owner";
}

// 3.3 units per tick against a wall a tenth of a unit thick.
TEST(Arena, ThinWallsStopBullets) {
  StagedMatch match = alone_at(9, 5);
  match.tick({{.player = {0}, .input = kShootRight}});
  ASSERT_EQ(match.count(EntityKind::Bullet), 1U);
  match.tick({{.player = {0}, .input = {}}});
  EXPECT_EQ(match.count(EntityKind::Bullet), 0U);
}

TEST(Arena, ShootsTwicePerSecondAtMost) {
  StagedMatch match = alone_at(1, 1);
  std::size_t born = 0;
  std::size_t before = 0;
  for (int i = 0; i < 120; ++i) {
    match.tick({{.player = {0}, .input = kShootRight}});
    const std::size_t now = match.count(EntityKind::Bullet);
    born += now > before ? 1 : 0;
    before = now;
  }
  EXPECT_EQ(born, 4U);
}

// The step loads and fires; whom a ray strikes is said from outside.
TEST(Arena, ARayStrikesWhomItIsSaidTo) {
  StagedMatch match;
  match.join({0});
  match.join({1});
  match.put({0}, 1, 1);
  match.put({1}, 10, 1);
  const BodyId victim = match.body({1});
  match.tick({{.player = {0}, .input = kRayRight}});
  ASSERT_EQ(match.events().shots.size(), 1U);
  EXPECT_EQ(match.events().shots[0], (Shot{.player = {0}, .aim = 0, .weapon = Weapon::Ray}));
  EXPECT_TRUE(match.events().hits.empty()) << "nobody was said to be struck";
  EXPECT_EQ(match.count(EntityKind::Bullet), 0U);
  match.tick({{.player = {0}, .input = kRayRight}}, {{.shooter = {0}, .victim = victim}});
  EXPECT_TRUE(match.events().hits.empty()) << "it is not loaded";
  match.ticks(30, {{.player = {0}, .input = {}}});
  match.tick({{.player = {0}, .input = kShootRight}}, {{.shooter = {0}, .victim = victim}});
  EXPECT_TRUE(match.events().hits.empty()) << "it was the gun";
  match.put({0}, 1, 20);
  match.ticks(30, {{.player = {0}, .input = {}}});
  match.tick({{.player = {0}, .input = kRayRight}}, {{.shooter = {0}, .victim = victim}});
  ASSERT_EQ(match.events().hits.size(), 1U);
  EXPECT_EQ(match.events().hits[0], (Hit{.shooter = {0}, .victim = {1}}));
  ASSERT_EQ(match.events().teleports.size(), 1U);
  EXPECT_EQ(match.events().teleports[0].player, PlayerId{1});
}

TEST(Arena, WhoIsStruckTwiceInATickIsHitOnce) {
  StagedMatch match;
  for (std::uint16_t seat = 0; seat < 3; ++seat) {
    match.join({seat});
  }
  const BodyId victim = match.body({1});
  match.tick({{.player = {0}, .input = kRayRight}, {.player = {2}, .input = kRayRight}},
             {{.shooter = {0}, .victim = victim}, {.shooter = {2}, .victim = victim}});
  ASSERT_EQ(match.events().hits.size(), 1U);
  EXPECT_EQ(match.events().hits[0].shooter, PlayerId{0});
  EXPECT_EQ(match.world().seat({2}).score, 0U);
}

TEST(Arena, GunAndRayAreLoadedTogether) {
  StagedMatch match = alone_at(1, 1);
  const PlayerInput both{.player = {0}, .input = {.buttons = kButtonShoot | kButtonRay, .aim = 0}};
  EXPECT_FALSE(match.rules()->ray_of(match.world(), both));
  match.tick({both});
  EXPECT_EQ(match.count(EntityKind::Bullet), 1U) << "of both at once the gun";
  const PlayerInput ray{.player = {0}, .input = kRayRight};
  int ticks = 0;
  for (; ticks < 60 && !match.rules()->ray_of(match.world(), ray); ++ticks) {
    match.tick({ray});
    EXPECT_TRUE(match.events().shots.empty()) << ticks;
  }
  match.tick({ray});
  EXPECT_EQ(match.events().shots.size(), 1U) << "what was to be fired was fired";
  EXPECT_EQ(ticks + 1, 30);
}

TEST(Arena, ABulletIsGoneAfterASecond) {
  StagedMatch match = alone_at(0, 0, 1'000);
  match.tick({{.player = {0}, .input = kShootRight}});
  match.ticks(58, {{.player = {0}, .input = {}}});
  EXPECT_EQ(match.count(EntityKind::Bullet), 1U)
      << "along the upper wall nothing stands in its way for 272 units";
  match.tick();
  EXPECT_EQ(match.count(EntityKind::Bullet), 0U);
}

TEST(Arena, PushesCratesWhichThenStop) {
  StagedMatch match;
  match.join({0});
  const BodyId crate = crate_body(0);
  sim::Body& box = *match.world().physics().find_mover(crate);
  const Vec2 place = box.min;
  match.box({0}).min = {place.x - 2 * kUnit, place.y};
  match.ticks(30, {{.player = {0}, .input = kRight}});
  const Vec2 pushed = match.world().physics().find(crate)->min;
  EXPECT_GT(pushed.x, place.x + kUnit / 2);
  match.ticks(60, {{.player = {0}, .input = {}}});
  EXPECT_EQ(match.world().physics().find(crate)->velocity, Vec2{});
}

TEST(Arena, WhoJoinsAgainHasANewBodyAndNoScore) {
  StagedMatch match;
  match.join({0});
  const BodyId before = match.body({0});
  match.world().seat({0}).score = 5;
  match.leave({0});
  EXPECT_EQ(match.count(EntityKind::Player), 0U);
  match.join({0});
  EXPECT_NE(match.body({0}), before);
  EXPECT_EQ(match.world().seat({0}).score, 0U);
}

TEST(Arena, ClampsWhatNoClientCanMean) {
  StagedMatch match = alone_at(1, 1);
  match.tick({{.player = {0}, .input = {.move = 200, .buttons = 0xfc, .aim = 60'000}}});
  EXPECT_EQ(match.world().traits()[match.world().index_of(match.body({0}))].move, 0);
  EXPECT_TRUE(match.events().shots.empty());
}

// With every seat taken and everyone shooting, the draw for a place always ends, and in the end no
// player is inside a wall.
TEST(Arena, SeatsAThousand) {
  StagedMatch match{1'000};
  std::vector<PlayerId> everyone;
  std::vector<PlayerInput> inputs;
  Rng rng{3};
  for (std::uint16_t i = 0; i < 1'000; ++i) {
    everyone.push_back({i});
    inputs.push_back({.player = {i}, .input = kShootRight});
  }
  match.step({.leaves = {}, .joins = everyone, .inputs = {}});
  std::size_t hits = 0;
  for (int tick = 0; tick < 60; ++tick) {
    for (PlayerInput& input : inputs) {
      input.input.aim = static_cast<std::uint16_t>(rng.below(kAimDirections));
      input.input.move = static_cast<std::uint8_t>(rng.below(kMoveDirections + 1));
    }
    match.tick(inputs);
    hits += match.events().hits.size();
  }
  EXPECT_EQ(match.count(EntityKind::Player), 1'000U);
  EXPECT_GT(hits, 50U);
  const std::span<const sim::Body> movers = std::as_const(match.world()).physics().movers();
  for (std::size_t i = 0; i < movers.size(); ++i) {
    if (has_kind(movers[i].id, EntityKind::Player)) {
      EXPECT_FALSE(sim::overlaps_any(*match.map()->statics, movers[i].min, movers[i].size));
    }
  }
}

TEST(Directions, FollowTheCircle) {
  constexpr std::int32_t kLength = 218'453;
  for (std::uint16_t direction = 0; direction < kAimDirections; ++direction) {
    const double angle = direction * 2 * std::numbers::pi / kAimDirections;
    const Vec2 vector = aimed(direction, kLength);
    EXPECT_NEAR(vector.x, kLength * std::cos(angle), 3) << direction;
    EXPECT_NEAR(vector.y, kLength * std::sin(angle), 3) << direction;
  }
}

TEST(Directions, MirrorExactly) {
  for (std::uint16_t direction = 0; direction < kAimDirections; ++direction) {
    const Vec2 vector = aimed(direction, 99'999);
    const Vec2 opposite = aimed(
        static_cast<std::uint16_t>((direction + kAimDirections / 2) % kAimDirections), 99'999);
    EXPECT_EQ(opposite, (Vec2{-vector.x, -vector.y}));
    const auto flipped = static_cast<std::uint16_t>((kAimDirections - direction) % kAimDirections);
    EXPECT_EQ(aimed(flipped, 99'999), (Vec2{vector.x, -vector.y}));
  }
}

TEST(ArenaMap, HasRoomForEverySeatAndItsBullets) {
  for (const std::uint32_t seats : {1U, 2U, 64U, 1'000U, kSeatsMax}) {
    const SharedMap map = make_arena_map(seats);
    EXPECT_EQ(map->seats, seats);
    EXPECT_GE(map->spawn_points.size(), std::size_t{5} * seats + map->crates.size());
  }
}

TEST(ArenaMap, LeavesItsPlacesFree) {
  const SharedMap map = make_arena_map(100);
  for (std::size_t i = 0; i < map->spawn_points.size(); ++i) {
    const Vec2 place = map->spawn_points[i];
    EXPECT_FALSE(sim::overlaps_any(*map->statics, place, kPlayerSize));
    for (std::size_t k = 0; k < i; ++k) {
      const Vec2 other = map->spawn_points[k];
      EXPECT_TRUE(std::abs(place.x - other.x) >= 2 * kUnit ||
                  std::abs(place.y - other.y) >= 2 * kUnit);
    }
  }
  for (const Vec2 crate : map->crates) {
    EXPECT_FALSE(sim::overlaps_any(*map->statics, crate, kPlayerSize));
  }
}

// Bodies that overlap a spawn point, alone or several, are taken away and put onto others.
// Coordinates have both signs, and spawn points that are far apart share a list.
TEST(FreePlaces, AreThoseThatNoBodyOverlaps) {
  Rng rng{5};
  const Arena arena{60};
  World world{make_arena_map(300), arena.settings(), 1};
  const std::vector<Vec2>& points = world.map()->spawn_points;
  const auto somewhere = [&] {
    const Vec2 point = points[rng.below(points.size())];
    const auto shift = [&] {
      return static_cast<std::int32_t>(rng.below(3 * std::uint64_t{kUnit})) - 3 * kUnit / 2;
    };
    return Vec2{point.x + shift(), point.y + shift()};
  };
  for (std::uint32_t i = 0; i < 400; ++i) {
    const EntityState crate{.id = crate_body(i),
                            .min = somewhere(),
                            .velocity = {},
                            .traits = {.kind = EntityKind::Crate}};
    world.add(arena.body_for(crate), crate.traits);
  }
  FreePlaces places{world};
  const auto expect_right = [&] {
    std::size_t taken = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const sim::Box box = sim::box_of(points[i], kPlayerSize);
      const bool free = std::ranges::none_of(world.physics().movers(), [&](const sim::Body& body) {
        return sim::overlap(box, sim::box_of(body.min, body.size));
      });
      ASSERT_EQ(places.is_free(i), free) << i;
      taken += free ? 0 : 1;
    }
    EXPECT_GT(taken, 10U);
  };
  expect_right();
  for (int i = 0; i < 200; ++i) {
    sim::Body& body = world.physics().movers()[rng.below(world.size())];
    const std::size_t place = rng.below(points.size());
    places.on_left(body.min);
    body.min = points[place];
    places.on_taken(place);
    expect_right();
  }
}

TEST(ArenaMap, HasThinWallsThatABulletWouldSkipInOneTick) {
  const SharedMap map = make_arena_map(1);
  const bool thin = std::ranges::any_of(map->statics->bodies(), [](const sim::Body& body) {
    return body.size.x < kUnit / 5 || body.size.y < kUnit / 5;
  });
  EXPECT_TRUE(thin);
}

TEST(ArenaMap, HashTellsMapsApart) {
  EXPECT_EQ(map_hash(*make_arena_map(64)), map_hash(*make_arena_map(64)));
  EXPECT_NE(map_hash(*make_arena_map(64)), map_hash(*make_arena_map(65)));
}

Map map_of(const sim::Body& wall, std::vector<sim::Path> paths = {}) {
  return {.statics = std::make_shared<sim::Statics>(std::vector<sim::Body>{wall}, std::move(paths)),
          .spawn_points = {},
          .crates = {},
          .seats = 1};
}

// The hash once left out most fields of a static. Ends with two such maps could play together, and
// every view of a body that met the wall differed.
TEST(ArenaMap, HashTellsApartWhatStaticsDo) {
  const sim::Body wall = make_arena_map(1)->statics->bodies().front();
  const std::uint64_t hash = map_hash(map_of(wall));
  EXPECT_EQ(map_hash(map_of(wall)), hash);
  const auto differs = [&](auto change) {
    sim::Body other = wall;
    change(other);
    EXPECT_NE(map_hash(map_of(other)), hash);
  };
  differs([](sim::Body& body) { ++body.min.x; });
  differs([](sim::Body& body) { ++body.size.y; });
  differs([](sim::Body& body) { body.layers ^= 1; });
  differs([](sim::Body& body) { body.one_way = sim::OneWay::Up; });
  differs([](sim::Body& body) { body.sensor = !body.sensor; });
  differs([](sim::Body& body) { body.response = sim::Response::Bounce; });
  differs([](sim::Body& body) { ++body.friction; });
  differs([](sim::Body& body) { ++body.restitution; });
  EXPECT_NE(map_hash(map_of(wall, {sim::Path{{{0, 0}, {kUnit, 0}}, 1}})), hash);
}

}  // namespace
}  // namespace tickbox::game
