#pragma once
// Random bodies in the style of one world.

#include "core/rng.h"
#include "sim/path.h"
#include "sim/world.h"
#include "tests/property/random_world.h"

#include <cstdint>

namespace tickbox::test {

/// Returns a number from low to high, both included.
std::int32_t between(Rng& rng, std::int64_t low, std::int64_t high);

/// The style of a world, the same for all of its bodies.
struct Climate {
  std::int32_t extent = 0;  ///< half the width of the place
  std::int32_t size_max = 0;
  std::int32_t speed_max = 0;
  Vec2 centre;
  Vec2 gravity;
  bool on_whole_units = false;  ///< makes exact corners and simultaneous hits frequent
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

/// Draws a body of any kind. A kinematic one has a velocity and no path. The id is not set.
sim::Body draw_body(Rng& rng, const Climate& climate, sim::Kind kind);

/// Draws a path of one to four points from `start` on, slow or fast.
sim::Path draw_path(Rng& rng, const Climate& climate, Vec2 start);

}  // namespace tickbox::test
