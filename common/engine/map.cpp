#include "engine/map.h"

#include "core/assert.h"
#include "core/hash.h"
#include "engine/entity_id.h"
#include "sim/tiles.h"

#include <algorithm>
#include <utility>

namespace tickbox::detail {

struct MapParts {
  std::uint32_t tick_rate = 0;
  std::vector<sim::Body> walls;
  std::vector<sim::Path> paths;
  std::vector<engine::ObjectList> objects;
  sim::Box inside = sim::kWholeWorld;

  [[nodiscard]] BodyId next_id() const { return engine::wall_id(walls.size()); }
};

}  // namespace tickbox::detail

namespace tickbox {

void MapBuilder::solid(Vec2 min, Vec2 size) {
  one_way(min, size, OneWay::None);
}

void MapBuilder::one_way(Vec2 min, Vec2 size, OneWay side) {
  parts_->walls.push_back({.id = parts_->next_id(),
                           .kind = sim::Kind::Static,
                           .min = min,
                           .size = size,
                           .one_way = side});
}

void MapBuilder::tiles(Vec2 min, std::int32_t columns, std::span<const std::uint8_t> solid,
                       std::int32_t tile_size) {
  TICKBOX_ASSERT(columns >= 1 && solid.size() % static_cast<std::size_t>(columns) == 0);
  const sim::TileGrid grid{
      .origin = min,
      .tile = {tile_size, tile_size},
      .width = columns,
      .height = static_cast<std::int32_t>(solid.size() / static_cast<std::size_t>(columns)),
      .cells = solid};
  TICKBOX_ASSERT(sim::is_within_limits(grid));
  const sim::Body like{.id = parts_->next_id(), .kind = sim::Kind::Static};
  std::ranges::copy(sim::merged_tiles(grid, like), std::back_inserter(parts_->walls));
}

void MapBuilder::border(Vec2 min, Vec2 size, Border border) {
  if (border == Border::Remove) {
    parts_->inside = sim::box_of(min, size);
    return;
  }
  constexpr std::int32_t kThick = 2 * kUnit;
  const Vec2 max{min.x + size.x, min.y + size.y};
  const std::int32_t width = size.x + 2 * kThick;
  solid({min.x - kThick, min.y - kThick}, {width, kThick});
  solid({min.x - kThick, max.y}, {width, kThick});
  solid({min.x - kThick, min.y}, {kThick, size.y});
  solid({max.x, min.y}, {kThick, size.y});
}

std::uint16_t MapBuilder::path(std::span<const Vec2> points, std::int32_t speed) {
  TICKBOX_ASSERT(parts_->paths.size() < kNoPath);
  const auto per_tick = static_cast<std::int32_t>(std::int64_t{speed} * kUnit / parts_->tick_rate);
  parts_->paths.emplace_back(std::vector<Vec2>{points.begin(), points.end()}, per_tick);
  return static_cast<std::uint16_t>(parts_->paths.size() - 1);
}

void MapBuilder::object(std::string_view kind, Vec2 min, Vec2 size, std::uint16_t path) {
  auto list = std::ranges::find(parts_->objects, kind, &engine::ObjectList::kind);
  if (list == parts_->objects.end()) {
    parts_->objects.push_back({.kind = std::string{kind}, .objects = {}});
    list = parts_->objects.end() - 1;
  }
  list->objects.push_back({.min = min, .size = size, .path = path});
}

}  // namespace tickbox

namespace tickbox::engine {
namespace {

std::uint64_t hash_of(const Map& map) {
  StreamHasher hasher;
  hasher.add(map.statics->hash());
  hasher.add(map.seats);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    hasher.add(map.inside.min[axis]);
    hasher.add(map.inside.max[axis]);
  }
  for (const ObjectList& list : map.objects) {
    hasher.add(static_cast<std::uint64_t>(list.kind.size()));
    hasher.add_bytes(std::as_bytes(std::span{list.kind}));
    hasher.add(static_cast<std::uint64_t>(list.objects.size()));
    for (const MapObject& object : list.objects) {
      for (const std::int32_t number : {object.min.x, object.min.y, object.size.x, object.size.y}) {
        hasher.add(number);
      }
      hasher.add(object.path);
    }
  }
  return hasher.digest();
}

}  // namespace

SharedMap make_map(const GameTable& game, const MapOptions& options, std::uint32_t tick_rate) {
  TICKBOX_ASSERT(options.seats >= 1 && options.seats <= kSeatsMax);
  detail::MapParts parts{
      .tick_rate = tick_rate, .walls = {}, .paths = {}, .objects = {}, .inside = sim::kWholeWorld};
  MapBuilder builder{parts};
  const std::string_view by_default = game.maps.empty() ? std::string_view{} : game.maps.front();
  const auto listed = std::ranges::find(game.maps, options.name);
  TICKBOX_ASSERT(options.name.empty() || listed != game.maps.end());
  // Not the text of the caller: a map may outlive it.
  const std::string_view name = options.name.empty() ? by_default : *listed;
  game.map(builder, {.seats = options.seats, .name = name});
  auto map = std::make_shared<Map>();
  map->statics =
      std::make_shared<const sim::Statics>(std::move(parts.walls), std::move(parts.paths));
  map->objects = std::move(parts.objects);
  map->seats = options.seats;
  map->name = name;
  map->inside = parts.inside;
  map->hash = hash_of(*map);
  return map;
}

MapObjects objects_of(const Map& map, std::string_view kind) {
  const auto list = std::ranges::find(map.objects, kind, &ObjectList::kind);
  return {list != map.objects.end() ? std::span<const MapObject>{list->objects}
                                    : std::span<const MapObject>{}};
}

bool overlaps_wall(const Map& map, Vec2 min, Vec2 size) {
  return sim::overlaps_any(*map.statics, min, {std::max(size.x, 1), std::max(size.y, 1)});
}

}  // namespace tickbox::engine
