#include "server/interest.h"

#include "game/arena.h"
#include "game/arena_map.h"
#include "net/messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace tickbox::server {
namespace {

Room room_of(const game::SharedMap& map, std::uint16_t players) {
  Room room{map, std::make_shared<const game::Arena>(60), 9};
  std::vector<PlayerId> joins;
  for (std::uint16_t i = 0; i < players; ++i) {
    joins.push_back({i});
  }
  room.tick({.leaves = {}, .joins = joins, .inputs = {}});
  return room;
}

/// An open field with just room enough for so many, two units apart.
game::SharedMap crowded_map(std::uint16_t players) {
  auto map = std::make_shared<game::Map>();
  map->statics = std::make_shared<const sim::Statics>(std::vector<sim::Body>{});
  map->seats = players;
  for (std::int32_t i = 0; i < players; ++i) {
    map->spawn_points.push_back({i % 20 * 2 * kUnit, i / 20 * 2 * kUnit});
  }
  return map;
}

// Nothing outside is ever in a view, nothing inside is ever missing, and each sees itself.
TEST(Interest, SeesExactlyItsRectangle) {
  const Room room = room_of(game::make_arena_map(200), 200);
  Interest interest;
  interest.look(room);
  for (std::uint32_t own = 0; own < 200; ++own) {
    const Vec2 centre = room.entities()[own].min;
    const std::span<const std::uint32_t> view = interest.view_of(own);
    const std::set<std::uint32_t> seen{view.begin(), view.end()};
    EXPECT_TRUE(seen.contains(own));
    EXPECT_TRUE(std::ranges::is_sorted(view));
    ASSERT_LT(view.size(), net::kViewEntitiesMax);
    for (std::uint32_t i = 0; i < room.entities().size(); ++i) {
      const Vec2 min = room.entities()[i].min;
      const bool inside = std::abs(min.x - centre.x) <= kViewHalfWidthUnits * kUnit &&
                          std::abs(min.y - centre.y) <= kViewHalfHeightUnits * kUnit;
      EXPECT_EQ(seen.contains(i), inside) << own << " and " << i;
    }
  }
}

TEST(Interest, KeepsTheNearestWhenThereAreTooMany) {
  const Room room = room_of(crowded_map(400), 400);
  Interest interest;
  interest.look(room);
  bool full = false;
  for (std::uint32_t own = 0; own < 400; ++own) {
    const std::span<const std::uint32_t> view = interest.view_of(own);
    ASSERT_LE(view.size(), net::kViewEntitiesMax);
    full = full || view.size() == net::kViewEntitiesMax;
    EXPECT_TRUE(std::ranges::binary_search(view, own));
  }
  EXPECT_TRUE(full) << "the room is not crowded enough to show anything";
}

}  // namespace
}  // namespace tickbox::server
