#pragma once
// Worlds drawn from a seed: crowds, piles, bullets, crates, tiled floors, slivers, layers, lifts,
// platforms with riders, closing walls, sensors, one-way platforms, fixed bodies, the corners of
// the world.

#include "core/rng.h"
#include "sim/world.h"

#include <cstdint>

namespace tickbox::test {

/// The contents of a world beside static and dynamic boxes that start apart from each other.
struct Features {
  bool kinematic = true;
  bool ghosts = true;
  bool one_way = true;
  bool friction = true;
  bool overlaps = true;
  bool fixed = true;
};

inline constexpr Features kPlain{false, false, false, false, false, false};

struct RandomWorldOptions {
  std::uint64_t seed = 0;
  int movers_max = 24;
  int statics_max = 16;
  Features features;
};

/// Draws a world. Without `features.overlaps`, no two of its bodies that collide overlap.
[[nodiscard]] sim::World random_world(const RandomWorldOptions& options);

/// Acts like the rules of a game between two ticks: kicks and turns some movers, teleports some,
/// removes and adds some, and fixed bodies as well. With `features.overlaps`, it teleports movers
/// onto others too.
void disturb(sim::World& world, Rng& rng, const Features& features);

}  // namespace tickbox::test
