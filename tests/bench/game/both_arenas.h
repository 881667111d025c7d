#pragma once
// A match of the arena in both of its forms, stepped in turn with the same inputs.

#include <cstddef>
#include <cstdint>
#include <string>

namespace tickbox::bench {

struct ArenaCase {
  std::string name;
  std::uint16_t players = 200;
  bool is_stress = false;  ///< every stick changes in every tick, and all shoot when they can
};

/// Medians in microseconds.
struct BeforeAndNow {
  double before = 0;
  double now = 0;
};

struct ArenaCosts {
  BeforeAndNow step;
  BeforeAndNow hash;
  std::size_t bodies = 0;  ///< in the last tick
  bool is_equal = true;    ///< both moved every body alike
};

[[nodiscard]] ArenaCosts measure_arena(const ArenaCase& of, int ticks);

}  // namespace tickbox::bench
