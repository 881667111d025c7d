#pragma once
// How the decimals of a scenario become the whole numbers of a body, and within which limits.

#include "core/fixed.h"
#include "scenario/scenario_reader.h"

#include <cstdint>
#include <string>

namespace tickbox::scenario {

/// Places, in units.
[[nodiscard]] Scale places();

/// Sizes, in units: a sub-unit at least.
[[nodiscard]] Scale sizes();

/// Shares of a whole that is counted as `whole`, up to `high`; `words` say the limits.
[[nodiscard]] Scale shares(std::int64_t whole, std::int64_t high, std::string words);

/// Velocities in units per second, or per tick where `ticks_per_second` is 1.
[[nodiscard]] Scale velocities(std::uint32_t ticks_per_second);

/// The same without a direction: not below 0.
[[nodiscard]] Scale speeds(std::uint32_t ticks_per_second);

/// Accelerations in units per second².
[[nodiscard]] Scale accelerations(std::uint32_t ticks_per_second);

/// The largest id a body may have.
[[nodiscard]] std::int64_t id_max();

}  // namespace tickbox::scenario
