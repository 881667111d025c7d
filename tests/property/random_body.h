#pragma once
// Single bodies drawn at random, all after the manner of one world.

#include "core/rng.h"
#include "sim/path.h"
#include "sim/world.h"
#include "tests/property/random_world.h"

#include <cstdint>

namespace tickbox::test {

/// A number from low to high, both included.
std::int32_t between(Rng& rng, std::int64_t low, std::int64_t high);

/// What a world is like; every number is the same for all of its bodies.
struct Climate {
  std::int32_t extent = 0;  ///< half the width of the place
  std::int32_t size_max = 0;
  std::int32_t speed_max = 0;
  Vec2 centre;
  Vec2 gravity;
  bool on_whole_units = false;  ///< so that exact corners and simultaneous hits abound
  bool layered = false;
  bool heavy = false;
  int bouncy_percent = 0;
  int rough_percent = 0;
  int ghostly_percent = 0;
  int one_way_percent = 0;
  int overlapping_percent = 0;
};

Climate draw_climate(Rng& rng, const Features& features);

std::int32_t draw_length(Rng& rng, const Climate& climate);

Vec2 draw_place(Rng& rng, const Climate& climate);

/// Of any kind, at rest on no path where kinematic. Its id is not set.
sim::Body draw_body(Rng& rng, const Climate& climate, sim::Kind kind);

/// One to four points from `start` on, slow or fast.
sim::Path draw_path(Rng& rng, const Climate& climate, Vec2 start);

}  // namespace tickbox::test
