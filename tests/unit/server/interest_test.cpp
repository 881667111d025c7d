#include "server/replication/interest.h"

#include "games/arena/arena.h"
#include "games/arena/arena_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <span>
#include <vector>

namespace tickbox::server {
namespace {

Room room_of(const game::SharedMap& map, std::uint16_t players) {
  Room room{map, std::make_shared<const game::Arena>(60), 9, 60};
  std::vector<PlayerId> joins;
  for (std::uint16_t i = 0; i < players; ++i) {
    joins.push_back({i});
  }
  room.tick({.leaves = {}, .joins = joins, .inputs = {}});
  return room;
}

std::set<std::uint32_t> indices_of(const Room& room, std::span<const Interest::Found> found) {
  std::set<std::uint32_t> indices;
  for (const Interest::Found& each : found) {
    const std::uint32_t index = room.replication_log().slots().slot(each.slot).index;
    EXPECT_EQ(each.place, room.entities()[index].min);
    indices.insert(index);
  }
  return indices;
}

// No body outside is ever in a view, no body inside is ever missing, and each player sees itself.
TEST(Interest, SeesExactlyItsRectangle) {
  const Room room = room_of(game::make_arena_map(200), 200);
  constexpr Sight kSight{.half_width = 20, .half_height = 12};
  Interest interest{kSight};
  interest.rebuild(room);
  std::vector<Interest::Found> view;
  for (std::uint32_t own = 0; own < 200; ++own) {
    const Vec2 centre = room.entities()[own].min;
    interest.query(centre, 200, view);
    const std::set<std::uint32_t> seen = indices_of(room, view);
    EXPECT_TRUE(seen.contains(own));
    for (std::uint32_t i = 0; i < room.entities().size(); ++i) {
      const Vec2 min = room.entities()[i].min;
      const bool inside = std::abs(min.x - centre.x) <= kSight.half_width * kUnit &&
                          std::abs(min.y - centre.y) <= kSight.half_height * kUnit;
      EXPECT_EQ(seen.contains(i), inside) << own << " and " << i;
    }
  }
}

TEST(Interest, InACrowdSeesTheNearest) {
  const Room room = room_of(game::make_arena_map(200), 200);
  constexpr Sight kSight{.half_width = 300, .half_height = 200};
  constexpr std::size_t kEnough = 20;
  Interest interest{kSight};
  interest.rebuild(room);
  std::vector<Interest::Found> view;
  std::size_t smaller = 0;
  for (const game::EntityState& own : room.entities()) {
    interest.query(own.min, kEnough, view);
    EXPECT_GE(view.size(), kEnough);
    smaller += view.size() < room.entities().size() ? 1U : 0U;
    const std::set<std::uint32_t> seen = indices_of(room, view);
    std::int64_t furthest_seen = 0;
    std::int64_t nearest_other = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t i = 0; i < room.entities().size(); ++i) {
      const Vec2 place = room.entities()[i].min;
      // In the proportions of the sight.
      const std::int64_t distance = std::max(2 * std::abs(std::int64_t{place.x} - own.min.x),
                                             3 * std::abs(std::int64_t{place.y} - own.min.y));
      if (seen.contains(i)) {
        furthest_seen = std::max(furthest_seen, distance);
      } else {
        nearest_other = std::min(nearest_other, distance);
      }
    }
    EXPECT_LT(furthest_seen, nearest_other);
  }
  EXPECT_GT(smaller, 0U);
}

// A body in view stays in view up to a little beyond the border, and no further.
TEST(Interest, KeepsWhoHasBeenSeenALittleBeyondItsRectangle) {
  constexpr Sight kSight{.half_width = 20, .half_height = 12};
  const Interest interest{kSight};
  const Vec2 centre{.x = 5 * kUnit, .y = -7 * kUnit};
  constexpr std::int32_t kWidth = (kSight.half_width + kViewHysteresisUnits) * kUnit;
  constexpr std::int32_t kHeight = (kSight.half_height + kViewHysteresisUnits) * kUnit;
  for (const std::int32_t sign : {-1, 1}) {
    const auto stays = [&](std::int32_t x, std::int32_t y) {
      return interest.keeps_seeing(centre, {centre.x + sign * x, centre.y + sign * y});
    };
    EXPECT_TRUE(stays(kWidth, kHeight));
    EXPECT_TRUE(stays(kWidth, -kHeight));
    EXPECT_FALSE(stays(kWidth + 1, 0));
    EXPECT_FALSE(stays(0, kHeight + 1));
  }
}

}  // namespace
}  // namespace tickbox::server
