#pragma once
// A kinematic body pushes a body against something that does not give way. The kinematic body
// waits, or it crushes.

#include "sim/response.h"
#include "sim/step/impacts.h"

#include <cstdint>

namespace tickbox::sim {

/// The two movers of an event.
struct Colliders {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};

/// Whether two movers that meet are both immovable and one of them is a kinematic body that pushes.
[[nodiscard]] bool is_crush(std::uint32_t low, const Side& low_side, std::uint32_t high,
                            const Side& high_side, const Movers& movers);

/// Rule 7. Requires: is_crush().
void handle_crush(const ImpactEvent& event, const Colliders& colliders, Movers& movers,
                  Impacts& impacts, StepReport& report);

/// Puts a kinematic body to rest until the tick ends, and drops its riders.
void make_wait(std::uint32_t kinematic, FineTime now, Movers& movers, Impacts& impacts,
               StepReport& report);

}  // namespace tickbox::sim
