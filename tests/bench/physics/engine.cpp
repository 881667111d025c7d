#include "tests/bench/physics/engine.h"

#include "core/hash.h"

#include <bit>

namespace tickbox::bench {

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

Geometry geometry_of(const Scene& scene, PeerBodies bodies) {
  Geometry geometry;
  geometry.statics = scene.walls;
  const auto add = [&](const TileRect& tile) {
    geometry.statics.push_back({.x = tile.x + tile.width / 2.0,
                                .y = tile.y + tile.height / 2.0,
                                .width = static_cast<double>(tile.width),
                                .height = static_cast<double>(tile.height)});
  };
  if (bodies == PeerBodies::Boxes) {
    for (const TileRect& rect : merge_tiles(scene.tiles)) {
      add(rect);
    }
  } else {
    for (const Tile& tile : scene.tiles) {
      add({.x = tile.x, .y = tile.y});
    }
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
