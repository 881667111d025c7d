#pragma once
// What fixed entities, players in one place and large views cost.

#include <array>
#include <cstdint>
#include <string_view>

namespace tickbox::bench {

/// Microseconds of a tick of a whole server, medians.
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

/// Returns the median of a step of the platformer in which this number of heroes stand at one
/// checkpoint and see each other, in microseconds.
[[nodiscard]] double measure_start(std::uint16_t players, int ticks);

/// Bytes that one more client adds, everything included.
struct ViewMemory {
  double members = 0;  ///< of a view, on average
  double server = 0;   ///< beside what the server reserves for each seat
  double client = 0;   ///< of a whole client
  std::uint64_t mismatches = 0;
};

/// Sizes of views.
enum class Views : std::uint8_t {
  Small,  ///< some 64 members
  Large,  ///< 1,024 members
};

/// Measures a match of 16 walkers among pellets at rest.
[[nodiscard]] ViewMemory measure_memory(Views views);

}  // namespace tickbox::bench
