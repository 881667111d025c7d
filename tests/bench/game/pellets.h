#pragma once
// A match of 16 walkers without and with 4,000 fixed pellets, stepped in turn.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tickbox::bench {

/// Medians in microseconds.
struct PelletCosts {
  std::string_view name;
  double step = 0;
  double hash = 0;
  double rows = 0;         ///< a copy of all rows, as clients and the server's history keep
  std::size_t bodies = 0;  ///< in the last tick
};

/// Returns the costs without pellets, with pellets where nobody walks, and with pellets that the
/// walkers eat and the server spawns again.
[[nodiscard]] std::array<PelletCosts, 3> measure_pellets(int ticks);

}  // namespace tickbox::bench
