#pragma once
// Worlds drawn from a seed: crowds, piles, bullets, crates, tiled floors, slivers, layers, lifts,
// platforms with riders, closing walls, sensors, one-way platforms, fixed bodies, the corners of
// the world.

#include "core/rng.h"
#include "sim/world.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>

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
[[nodiscard]] sim::PhysicsWorld random_world(const RandomWorldOptions& options);

/// Acts like the rules of a game between two ticks: kicks and turns some movers, teleports some,
/// removes and adds some, and fixed bodies as well. With `features.overlaps`, it teleports movers
/// onto others too.
void disturb(sim::PhysicsWorld& world, Rng& rng, const Features& features);

/// A kind of random worlds in which a law must hold.
struct WorldKind {
  const char* name;
  Features features;

  friend std::ostream& operator<<(std::ostream& out, const WorldKind& kind) {
    return out << kind.name;
  }
};

/// Each feature alone, none and all; fixed bodies with ghosts too.
inline auto world_kinds() {
  return testing::Values(WorldKind{"plain", kPlain},
                         WorldKind{"kinematic", {true, false, false, false, false, false}},
                         WorldKind{"ghosts", {false, true, false, false, false, false}},
                         WorldKind{"one_way", {false, false, true, false, false, false}},
                         WorldKind{"friction", {false, false, false, true, false, false}},
                         WorldKind{"overlaps", {false, false, false, false, true, false}},
                         WorldKind{"fixed", {false, false, false, false, false, true}},
                         WorldKind{"fixed_ghosts", {false, true, false, false, false, true}},
                         WorldKind{"all", Features{}});
}

}  // namespace tickbox::test
