#pragma once
// What 4,000 fixed pellets cost a whole server: the time of its ticks.

#include <array>
#include <cstdint>
#include <string_view>

namespace tickbox::bench {

/// Microseconds of a tick of the server, medians.
struct PelletCost {
  std::string_view name;
  double tick = 0;     ///< receive, tick and send
  double sending = 0;  ///< the part of send
  double members = 0;  ///< of a view, on average
  std::uint64_t bodies = 0;
  std::uint64_t mismatches = 0;

  /// Returns the share of the tick that `without` does not have.
  [[nodiscard]] double share_beyond(const PelletCost& without) const {
    return (tick - without.tick) / tick;
  }
};

/// Four matches of 16 clients that take turns, tick by tick: without pellets, with pellets out of
/// sight, with pellets at rest, and with pellets that are eaten and spawned again.
[[nodiscard]] std::array<PelletCost, 4> measure_pellets(int ticks);

}  // namespace tickbox::bench
