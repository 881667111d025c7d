#include "sim/step/neighbour_cache.h"

#include "sim/response.h"

namespace tickbox::sim {

Wall wall_of(const Body& body, std::uint32_t index) {
  return {.rect = rect_of(box_of(body.min, body.size)),
          .index = index,
          .id = body.id,
          .ignores = body.ignores,
          .layers = body.layers,
          .collides_with = body.collides_with,
          .one_way = body.one_way,
          .is_dull = bounciness_of(body) == 0 && body.friction == 0};
}

void NeighbourCache::reserve(std::size_t movers) {
  regions_.reserve(movers);
  clear_.reserve(movers);
  counts_.reserve(movers);
  walls_.reserve(movers);
}

void NeighbourCache::invalidate_near(const Rect& area) {
  for (std::size_t mover = 0; mover < regions_.size(); ++mover) {
    if (touch(regions_[mover], area)) regions_[mover] = clear_[mover] = kNowhere;
  }
}

void NeighbourCache::start(const Immovables& immovables, std::size_t movers) {
  immovables_ = immovables;
  regions_.resize(movers, kNowhere);
  clear_.resize(movers, kNowhere);
  counts_.resize(movers);
  walls_.resize(movers);
}

// The region is twice the hull's extent larger on each side: enough for dozens of ticks at walking
// speed.
void NeighbourCache::refill(std::uint32_t mover, const Rect& hull, std::int64_t extent) {
  const Rect region = rect_of(grown(box_of(hull), 2 * extent));
  std::size_t count = 0;
  visit_all(region, extent_of(region), [&](const Wall& wall) {
    if (count < kWallsMax) walls_[mover][count] = wall;
    ++count;
  });
  const bool is_clear =
      count == 0 && contains(kWholeWorld, grown(box_of(region), 2 * extent_of(region)));
  regions_[mover] = region;
  clear_[mover] = is_clear ? region : kNowhere;
  counts_[mover] = count > kWallsMax ? kTooMany : static_cast<std::uint8_t>(count);
}

}  // namespace tickbox::sim
