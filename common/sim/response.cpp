#include "sim/response.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::sim {
namespace {

std::int64_t rebound_speed(const Side& low, const Side& high, std::int64_t calm) {
  const std::int64_t approach = low.velocity - high.velocity;
  const bool inelastic = approach <= calm || low.stops || high.stops ||
                         is_tired(low.events, high.kind) || is_tired(high.events, low.kind);
  return inelastic ? 0 : approach * std::max(low.bounciness, high.bounciness) / kFullRestitution;
}

/// What something immovable does by itself: statics rest, and so does a body that freezes; a
/// blocked or kinematic one goes on.
std::int64_t own_velocity(const Side& side) {
  return side.frozen ? 0 : side.velocity;
}

}  // namespace

Exchange exchange(const Side& low, const Side& high, std::int64_t calm) {
  TICKBOX_ASSERT(low.velocity > high.velocity);
  const std::int64_t rebound = rebound_speed(low, high, calm);
  if (low.immovable && high.immovable) return {};
  if (low.immovable) return {own_velocity(low), own_velocity(low) + rebound};
  if (high.immovable) return {own_velocity(high) - rebound, own_velocity(high)};

  const std::int64_t mass = low.mass + high.mass;
  const std::int64_t momentum = low.mass * low.velocity + high.mass * high.velocity;
  return {(momentum - high.mass * rebound) / mass, (momentum + low.mass * rebound) / mass,
          rebound == 0};
}

}  // namespace tickbox::sim
