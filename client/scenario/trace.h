#pragma once
// Writes the states of a world as lines of JSON, one per tick, with exact lengths.

#include "core/ids.h"
#include "sim/step_report.h"
#include "sim/world.h"

#include <cstdint>
#include <string>

namespace tickbox::scenario {

/// Appends the line of `tick`, with its line end. `report` is empty for tick 0, the state before
/// the first step.
void append_trace_line(std::string& out, Tick tick, const sim::PhysicsWorld& world,
                       const sim::StepReport& report);

/// Returns sub-units as units with all digits: "-0.0000152587890625".
[[nodiscard]] std::string units_text(std::int64_t sub_units);

/// Returns the time of a contact as a fraction of the tick, with up to 17 significant digits.
[[nodiscard]] std::string time_text(const sim::Contact& contact);

}  // namespace tickbox::scenario
