#pragma once
// How long a datagram has waited in a socket, by the kernel's time of its arrival.

#include "core/clock.h"

#include <algorithm>

namespace tickbox::os {

/// What the clocks show when a drain of a socket begins.
struct DrainStart {
  Duration real{};   ///< on the clock of the kernel's times: since 1970
  Duration since{};  ///< since the drain before began: what arrived earlier was received in it
};

/// Returns how long a datagram that arrived at `arrived`, on the clock of DrainStart::real, had
/// waited when the drain began; 0 if it has arrived since. If that clock was set in between, the
/// result is wrong, but from 0 to `since`.
[[nodiscard]] constexpr Duration waited_at(const DrainStart& drain, Duration arrived) {
  return std::max(Duration::zero(), std::min(drain.real - arrived, drain.since));
}

}  // namespace tickbox::os
