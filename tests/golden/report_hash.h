#pragma once
// A hash of everything that a step reports except its influences. The state of the world is no part
// of it.

#include "sim/step_report.h"

#include <cstdint>

namespace tickbox::golden {

/// The lower half of XXH3-64 over every field of `report` except `influences`.
[[nodiscard]] std::uint32_t report_hash(const sim::StepReport& report);

}  // namespace tickbox::golden
