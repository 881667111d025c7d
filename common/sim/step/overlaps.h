#pragma once
// Which bodies of a world overlap: asked of the positions alone, so that it can judge a step.

#include "sim/step.h"

#include <functional>
#include <vector>

namespace tickbox::sim {

/// All pairs that the step keeps apart and that overlap, sorted by ids; without kinematic bodies
/// that crush.
/// Cost: all movers and statics are sorted along x; for tools and tests, not for the tick.
[[nodiscard]] std::vector<BodyPair> find_overlaps(const World& world);

/// The same for all pairs that `is_wanted`.
[[nodiscard]] std::vector<BodyPair> find_overlaps(
    const World& world, const std::function<bool(const Body&, const Body&)>& is_wanted);

}  // namespace tickbox::sim
