#pragma once
// Worlds to cast through, and the nearest hit of one cast.

#include "sim/cast.h"
#include "tests/unit/sim/scene.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::test {

inline sim::World world_of(const std::vector<sim::Body>& bodies,
                           sim::WorldSettings settings = {.border = sim::Border::Remove}) {
  std::vector<sim::Body> statics;
  for (const sim::Body& body : bodies) {
    if (body.kind == sim::Kind::Static) statics.push_back(body);
  }
  sim::World world{settings, std::make_shared<const sim::Statics>(std::move(statics))};
  for (const sim::Body& body : bodies) {
    if (body.kind != sim::Kind::Static) world.add(body);
  }
  return world;
}

inline std::optional<sim::CastHit> nearest(const sim::World& world, const sim::Cast& cast) {
  sim::Caster caster;
  caster.look_at(world);
  return caster.nearest(cast);
}

}  // namespace tickbox::test
