#pragma once
// Finds the bodies of a world that overlap, from positions alone, so that it can judge a step.

#include "sim/step_report.h"
#include "sim/world.h"

#include <functional>
#include <vector>

namespace tickbox::sim {

/// All pairs that the step keeps apart and that overlap, sorted by ids. Kinematic bodies that crush
/// are left out.
/// Cost: sorts all bodies along x; for tools, tests and TICKBOX_AUDIT, not for the tick.
[[nodiscard]] std::vector<BodyPair> find_overlaps(const PhysicsWorld& world);

/// The same for all pairs for which `is_wanted` is true.
[[nodiscard]] std::vector<BodyPair> find_overlaps(
    const PhysicsWorld& world, const std::function<bool(const Body&, const Body&)>& is_wanted);

}  // namespace tickbox::sim
