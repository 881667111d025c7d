#pragma once
// Reads one body of a scenario file: all keys that it may have, and their valid combinations.

#include "client/scenario/scenario_reader.h"
#include "core/fixed.h"
#include "sim/body.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::scenario {

/// A body and its path, if it has one. The number of the path is not known yet.
struct BodyOnPath {
  sim::Body body{};
  std::vector<Vec2> path{};  ///< empty if there is none
  std::int32_t speed = 0;    ///< along the path, in sub-units per tick
};

/// Reads the body at `place` in the list, counted from 1. Fails: sets `error`; the returned body
/// is then not valid.
[[nodiscard]] BodyOnPath read_body(const JsonValue& object, std::size_t place,
                                   std::uint32_t tick_rate, FirstError& error);

/// Returns `velocity`, or `displacement` in its place, in sub-units per tick; nothing if neither
/// key is there, or the value is wrong.
[[nodiscard]] std::optional<Vec2> velocity_of(ObjectReader& reader, std::uint32_t tick_rate);

}  // namespace tickbox::scenario
