#include "games/arena/arena_map.h"

#include "core/assert.h"
#include "game/entity_state.h"

#include <utility>

namespace tickbox::game {

SharedMap make_arena_map(std::uint32_t seats) {
  TICKBOX_ASSERT(seats >= 1 && seats <= kSeatsMax);
  ArenaLayout layout = make_arena_layout(seats);
  std::vector<sim::Body> statics;
  statics.reserve(layout.walls.size());
  for (const ArenaWall& wall : layout.walls) {
    statics.push_back({.id = {static_cast<std::uint32_t>(3U << 30 | statics.size())},
                       .kind = sim::Kind::Static,
                       .min = wall.min,
                       .size = wall.size});
  }
  Map map;
  map.seats = seats;
  map.spawn_points = std::move(layout.spawn_points);
  map.crates = std::move(layout.crates);
  map.statics = std::make_shared<const sim::Statics>(std::move(statics));
  return std::make_shared<const Map>(std::move(map));
}

}  // namespace tickbox::game
