#pragma once
// Worlds drawn from a seed: crowds, piles, bullets, crates, tiled floors, slivers, layers, lifts,
// platforms with riders, closing walls, sensors, one-way platforms, the corners of the world.

#include "core/rng.h"
#include "sim/world.h"

#include <cstdint>

namespace tickbox::test {

/// What a world may hold beside static and dynamic boxes that begin apart from each other.
struct Features {
  bool kinematic = true;
  bool ghosts = true;
  bool one_way = true;
  bool friction = true;
  bool overlaps = true;
};

inline constexpr Features kPlain{false, false, false, false, false};

struct RandomWorldOptions {
  std::uint64_t seed = 0;
  int movers_max = 24;
  int statics_max = 16;
  Features features;
};

/// Where `features.overlaps` is not set, no two of its bodies that collide overlap.
[[nodiscard]] sim::World random_world(const RandomWorldOptions& options);

/// What a game's rules would do between two ticks: kicks and turns some of the movers, puts some
/// elsewhere (onto others too, where `features.overlaps` is set), takes some out and some in.
void disturb(sim::World& world, Rng& rng, const Features& features);

}  // namespace tickbox::test
