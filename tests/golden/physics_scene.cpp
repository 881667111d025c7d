#include "tests/golden/physics_scene.h"

#include "tests/golden/motion_hash.h"
#include "tests/golden/report_hash.h"

#include <memory>

namespace tickbox::golden {
namespace {

/// Thick enough that a picture of the scene shows them; the physics would not mind thinner ones.
constexpr std::int32_t kWall = 10 * kUnit;

}  // namespace

sim::Body& Plan::add_static(Vec2 min, Vec2 size) {
  return statics.emplace_back(
      sim::Body{.id = {ids_given++}, .kind = sim::Kind::Static, .min = min, .size = size});
}

sim::Body& Plan::add_mover(Vec2 min, Vec2 size) {
  return movers.emplace_back(sim::Body{.id = {ids_given++}, .min = min, .size = size});
}

sim::Body& Plan::add_lift(Vec2 size, const sim::Path& path) {
  sim::Body& lift = add_mover(path.place_at(0), size);
  lift.kind = sim::Kind::Kinematic;
  lift.path = static_cast<std::uint16_t>(paths.size());
  paths.push_back(path);
  return lift;
}

void Plan::add_walls(Vec2 inside) {
  add_static({-kWall, -kWall}, {inside.x + 2 * kWall, kWall});
  add_static({-kWall, inside.y}, {inside.x + 2 * kWall, kWall});
  add_static({-kWall, 0}, {kWall, inside.y});
  add_static({inside.x, 0}, {kWall, inside.y});
}

sim::PhysicsWorld Plan::world() const {
  sim::PhysicsWorld world{settings, std::make_shared<const sim::Statics>(statics, paths)};
  for (const sim::Body& body : movers) {
    world.add(body);
  }
  return world;
}

TickHashes PhysicsScene::step() {
  disturb_(world_, rng_, ++tick_);
  const sim::StepReport& report = stepper_.step(world_);
  return {
      .state = state_hash(world_), .report = report_hash(report), .motion = motion_hash(world_)};
}

}  // namespace tickbox::golden
