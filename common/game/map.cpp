#include "game/map.h"

#include "core/hash.h"

namespace tickbox::game {
namespace {

void add_points(StreamHasher& hasher, const std::vector<Vec2>& points) {
  hasher.add(static_cast<std::uint32_t>(points.size()));
  for (const Vec2 point : points) {
    hasher.add(point.x);
    hasher.add(point.y);
  }
}

}  // namespace

std::uint64_t map_hash(const Map& map) {
  StreamHasher hasher;
  hasher.add(map.seats);
  add_points(hasher, map.spawn_points);
  add_points(hasher, map.crates);
  hasher.add(wire_hash(*map.statics));
  return hasher.digest();
}

}  // namespace tickbox::game
