#include "game/arena_map.h"

#include "game/entity_state.h"
#include "sim/statics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

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

}  // namespace
}  // namespace tickbox::game
