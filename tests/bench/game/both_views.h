#pragma once
// What snapshots of the arena cost in both of its forms, in turn, with the same inputs.

#include "tests/bench/game/both_arenas.h"

#include <cstddef>
#include <cstdint>

namespace tickbox::bench {

struct ViewCase {
  std::string name;
  std::uint16_t players = 200;
  bool is_stress = false;
  std::uint32_t base_age = 6;  ///< ticks from the base of a snapshot
};

/// Medians of microseconds; bytes and members are averages.
struct ViewCosts {
  BeforeAndNow tick;     ///< of the room: step, hashes, causes and islands
  BeforeAndNow plan;     ///< for all clients: plans, and their bytes
  BeforeAndNow view;     ///< a client's, by one step
  BeforeAndNow late;     ///< a client's, from its base
  BeforeAndNow bytes;    ///< of a datagram
  BeforeAndNow members;  ///< of a view
  std::uint64_t refused = 0;
};

[[nodiscard]] ViewCosts measure_views(const ViewCase& of, int ticks);

}  // namespace tickbox::bench
