#include "sim/step/integrate.h"

#include "core/assert.h"

namespace tickbox::sim {
namespace {

std::int32_t clamped(std::int64_t velocity) {
  return static_cast<std::int32_t>(clamped_speed(velocity));
}

bool is_in_world(std::int32_t coordinate) {
  return -kWorldLimit <= coordinate && coordinate <= kWorldLimit;
}

Vec2 kinematic_velocity(const Body& body, const Statics& statics) {
  if (body.path == kNoPath) return {clamped(body.velocity.x), clamped(body.velocity.y)};
  const Vec2 next = statics.paths()[body.path].place_at(body.path_ticks + 1);
  return {clamped(std::int64_t{next.x} - body.min.x), clamped(std::int64_t{next.y} - body.min.y)};
}

Vec2 accelerated_velocity(const Body& body, Vec2 gravity) {
  const std::int64_t scale = body.gravity_scale;
  const bool is_whole = scale == kFullGravity;
  const auto share = [&](std::int64_t of) { return is_whole ? of : of * scale / kFullGravity; };
  return {clamped(body.velocity.x + share(gravity.x)), clamped(body.velocity.y + share(gravity.y))};
}

}  // namespace

void integrate(const Environment& environment, Movers& movers) {
  const Vec2 gravity = environment.settings.gravity;
  movers.kinematics.clear();
  bool has_ghosts = environment.immovables.has(Solidity::Ghost);
  unsigned layers = 0;
  unsigned collides_with = 0;
  for (std::uint32_t i = 0; i < movers.bodies.size(); ++i) {
    Body& body = movers.bodies[i];
    TICKBOX_ASSERT(is_in_world(body.min.x) && is_in_world(body.min.y));
    if (body.kind == Kind::Kinematic) {
      movers.kinematics.push_back(i);
      body.velocity = kinematic_velocity(body, *environment.statics);
    } else {
      body.velocity = accelerated_velocity(body, gravity);
    }
    if (is_ghost(body)) {
      has_ghosts = true;
    } else {
      layers |= body.layers;
      collides_with |= body.collides_with;
    }
  }
  movers.has_ghosts = has_ghosts;
  movers.layers = layers;
  movers.collides_with = collides_with;
}

}  // namespace tickbox::sim
