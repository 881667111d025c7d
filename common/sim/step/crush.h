#pragma once
// A kinematic body pushes a body against something that does not give way. It waits, or it crushes.

#include "sim/response.h"
#include "sim/step/carry.h"
#include "sim/step/impacts.h"

#include <cstdint>

namespace tickbox::sim {

/// Whether a contact of two movers, which are the sides `low_side` and `high_side` of it, leaves a
/// kinematic body no way to go on but to crush.
[[nodiscard]] bool is_crush(std::uint32_t low, const Side& low_side, std::uint32_t high,
                            const Side& high_side, const Movers& movers);

/// Rule 7. Requires: is_crush().
void handle_crush(const Event& event, std::uint32_t low, std::uint32_t high, Movers& movers,
                  Rides& rides, Impacts& impacts, StepReport& report);

/// Puts a kinematic body to rest until the tick ends, and drops its riders.
void make_wait(std::uint32_t kinematic, FineTime now, Movers& movers, Rides& rides,
               Impacts& impacts, StepReport& report);

}  // namespace tickbox::sim
