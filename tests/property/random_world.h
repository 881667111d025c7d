#pragma once
// Worlds drawn from a seed: crowds, piles, bullets, crates, tiled floors, slivers, layers, the
// corners of the world.

#include "core/rng.h"
#include "sim/world.h"

#include <cstdint>

namespace tickbox::test {

struct RandomWorldOptions {
  std::uint64_t seed = 0;
  int movers_max = 24;
  int statics_max = 16;
};

/// No two of its bodies that may meet overlap.
[[nodiscard]] sim::World random_world(const RandomWorldOptions& options);

/// Turns and kicks some of the movers, as a game's rules would between two ticks.
void disturb(sim::World& world, Rng& rng);

}  // namespace tickbox::test
