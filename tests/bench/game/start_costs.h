#pragma once
// What players cost who all stand at one checkpoint of the platformer: the time of a step.

#include <cstdint>

namespace tickbox::bench {

/// Returns the median of a step of a room in which this number of heroes stand in one place and see
/// each other, in microseconds.
[[nodiscard]] double measure_start(std::uint16_t players, int ticks);

}  // namespace tickbox::bench
