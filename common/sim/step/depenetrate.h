#pragma once
// Separates bodies that overlap when a tick begins.
//
// The way out is the shortest penetration vector of the Minkowski difference. If that way is not
// free, the next longer one is tried, but none that leads through a wall. There is one pass, and
// each body has few turns in it: the fewer, the more bodies it overlaps. A pair that cannot be
// separated stays as it is and is reported.

#include "sim/step/movers.h"

#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// Rule 2. Moves bodies, keeps the grid up to date, and returns whether any body was moved. Sorts
/// `overlaps` of the report, and adds to `separated` and `influences`. `turns` is scratch.
/// Requires: `overlaps` has every pair to separate.
[[nodiscard]] bool depenetrate(const Environment& environment, Movers& movers,
                               std::vector<std::uint32_t>& turns, StepReport& report);

}  // namespace tickbox::sim
