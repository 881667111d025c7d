#pragma once
// A world's course as lines of JSON, one per tick, in which every length is exact.

#include "core/ids.h"
#include "sim/step.h"
#include "sim/world.h"

#include <cstdint>
#include <string>

namespace tickbox::scenario {

/// Appends the line of `tick`, its end included. `report` is empty for tick 0, the state before the
/// first step.
void append_trace_line(std::string& out, Tick tick, const sim::World& world,
                       const sim::StepReport& report);

/// Sub-units as units, all digits: "-0.0000152587890625".
[[nodiscard]] std::string units_text(std::int64_t sub_units);

/// The moment of a contact as a share of the tick, to 17 digits.
[[nodiscard]] std::string time_text(const sim::Contact& contact);

}  // namespace tickbox::scenario
