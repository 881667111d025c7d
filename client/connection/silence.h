#pragma once
// Which silence of a server is a wait. A server that has nothing new sends ten snapshots a second,
// and nobody waits for the others.

#include "core/clock.h"

#include <algorithm>
#include <cstdint>

namespace tickbox::client {

/// A client that has heard nothing for this time waits: longer than two of the least intervals
/// between snapshots.
inline constexpr Duration kSilence = std::chrono::milliseconds{250};

/// Returns whether the server was heard in time: after `time`, in which its clock has advanced by
/// `ticks`. A server that stood still has fewer ticks.
[[nodiscard]] constexpr bool is_on_time(Duration time, std::int64_t ticks, Duration period) {
  return time < std::max(kSilence, 4 * period) && time <= period * (ticks + 2);
}

}  // namespace tickbox::client
