#pragma once
// The kinds of random worlds in which a law must hold.

#include "tests/property/random_world.h"

#include <gtest/gtest.h>

#include <ostream>

namespace tickbox::test {

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
