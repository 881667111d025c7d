#include "tests/bench/physics/engine.h"

#include "core/hash.h"
#include "sim/tiles.h"

#include <bit>

namespace tickbox::bench {
namespace {

double units(std::int32_t sub_units) {
  return static_cast<double>(sub_units) / kUnit;
}

/// Adds the rectangles that a map's tiles become when Tickbox loads them.
void add_merged(const Scene& scene, std::vector<Rect>& statics) {
  sim::TileGrid grid{.tile = {kUnit, kUnit},
                     .width = static_cast<std::int32_t>(scene.width),
                     .height = static_cast<std::int32_t>(scene.height)};
  const auto width = static_cast<std::size_t>(grid.width);
  std::vector<std::uint8_t> cells(width * static_cast<std::size_t>(grid.height), 0);
  for (const Tile& tile : scene.tiles) {
    cells.at(static_cast<std::size_t>(tile.y) * width + static_cast<std::size_t>(tile.x)) = 1;
  }
  grid.cells = cells;
  for (const sim::Body& body : sim::merged_tiles(grid, {.kind = sim::Kind::Static})) {
    const double width_units = units(body.size.x);
    const double height_units = units(body.size.y);
    statics.push_back({.x = units(body.min.x) + width_units / 2,
                       .y = units(body.min.y) + height_units / 2,
                       .width = width_units,
                       .height = height_units});
  }
}

}  // namespace

std::string_view name_of(EngineKind kind) {
  switch (kind) {
    case EngineKind::Tickbox:
      return "tickbox";
    case EngineKind::Box2d:
      return "box2d";
    case EngineKind::Chipmunk:
      return "chipmunk";
    case EngineKind::Box2dSleeping:
      return "box2d-sleep";
    case EngineKind::ChipmunkSleeping:
      break;
  }
  return "chipmunk-sleep";
}

std::string_view name_of(PeerBodies bodies) {
  switch (bodies) {
    case PeerBodies::Tiles:
      return "tiles";
    case PeerBodies::Boxes:
      return "boxes";
    case PeerBodies::Plain:
      break;
  }
  return "plain";
}

Geometry geometry_of(const Scene& scene, PeerBodies bodies) {
  Geometry geometry;
  geometry.statics = scene.walls;
  if (bodies == PeerBodies::Boxes)
    add_merged(scene, geometry.statics);
  else
    for (const Tile& tile : scene.tiles) {
      geometry.statics.push_back({.x = tile.x + 0.5, .y = tile.y + 0.5});
    }
  for (const SceneBody& body : scene.bodies) {
    geometry.bodies.push_back(body.place);
    geometry.roles.push_back(body.role);
  }
  return geometry;
}

std::unique_ptr<Engine> make_engine(EngineKind kind, const Scene& scene, PeerBodies bodies) {
  switch (kind) {
    case EngineKind::Tickbox:
      return make_tickbox(scene);
    case EngineKind::Box2d:
      return make_box2d(scene, {.bodies = bodies});
    case EngineKind::Chipmunk:
      return make_chipmunk(scene, {.bodies = bodies});
    case EngineKind::Box2dSleeping:
      return make_box2d(scene, {.bodies = bodies, .sleep = Sleep::Allowed});
    case EngineKind::ChipmunkSleeping:
      break;
  }
  return make_chipmunk(scene, {.bodies = bodies, .sleep = Sleep::Allowed});
}

std::uint64_t hash_numbers(std::span<const double> numbers) {
  StreamHasher hasher;
  for (const double number : numbers) {
    hasher.add(std::bit_cast<std::uint64_t>(number));
  }
  return hasher.digest();
}

}  // namespace tickbox::bench
