#pragma once
// The scales that turn the decimals of a scenario into the whole numbers of a body, with limits.

#include "client/scenario/scenario_reader.h"
#include "core/fixed.h"

#include <cstdint>
#include <string>

namespace tickbox::scenario {

/// Returns the scale of positions, in units.
[[nodiscard]] Scale places();

/// Returns the scale of sizes, in units; the smallest size is one sub-unit.
[[nodiscard]] Scale sizes();

/// Returns the scale of fractions: 1 becomes `whole`, and `high` is the largest result. `words` is
/// the text of the limits.
[[nodiscard]] Scale shares(std::int64_t whole, std::int64_t high, std::string words);

/// Returns the scale of velocities in units per second, or per tick if `ticks_per_second` is 1.
[[nodiscard]] Scale velocities(std::uint32_t ticks_per_second);

/// Returns the same scale for speeds, which are not below 0.
[[nodiscard]] Scale speeds(std::uint32_t ticks_per_second);

/// Returns the scale of accelerations, in units per second².
[[nodiscard]] Scale accelerations(std::uint32_t ticks_per_second);

/// Returns the largest id that a body of a scenario may have: 2^32 - 3.
[[nodiscard]] std::int64_t id_max();

}  // namespace tickbox::scenario
