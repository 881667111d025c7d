#pragma once
// One body of a scenario file: every key it may have, and which of them go together.

#include "core/fixed.h"
#include "scenario/scenario_reader.h"
#include "sim/body.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::scenario {

/// A body, and the way it goes where it has one; which number that path gets is not known yet.
struct BodyOnPath {
  sim::Body body{};
  std::vector<Vec2> path{};  ///< empty for none
  std::int32_t speed = 0;    ///< along it, in sub-units per tick
};

/// Reads the body at `place` in the list, counted from 1. Where something is wrong with it, `error`
/// has it, and the body is of no use.
[[nodiscard]] BodyOnPath read_body(const JsonValue& object, std::size_t place,
                                   std::uint32_t tick_rate, FirstError& error);

/// `velocity`, or `displacement` in its place, in sub-units per tick; nothing where neither stands.
[[nodiscard]] std::optional<Vec2> velocity_of(ObjectReader& reader, std::uint32_t tick_rate);

}  // namespace tickbox::scenario
