#include "games/arena/arena_map.h"

#include "game/entity_state.h"
#include "sim/statics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::game {
namespace {

TEST(ArenaMap, HasRoomForEverySeatAndItsBullets) {
  for (const std::uint32_t seats : {1U, 2U, 64U, 1'000U, kSeatsMax}) {
    const SharedMap map = make_arena_map(seats);
    EXPECT_EQ(map->seats, seats);
    EXPECT_GE(map->spawn_points.size(), 5 * seats + map->crates.size());
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

// It left out most of what a static does to a body: ends of two such maps went on to play, and
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
