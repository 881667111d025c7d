#pragma once
// The world as a picture of half blocks: each character has two pixels, one above the other, which
// are nearly square.
//
// A body is a box in the colour of its kind, with the glyph of its kind in the middle. The own
// bodies are white, and without colours they are in reverse. Positions are rounded to pixels of the
// world, not of the screen. So walls and resting bodies keep their distances while the camera
// moves.

#include "client/terminal/screen.h"
#include "sim/body.h"
#include "tickbox/keys.h"
#include "tickbox/units.h"

#include <cstddef>
#include <span>

namespace tickbox::terminal {

/// A body to draw, in sub-units.
struct DrawnBody {
  Vec2 min;
  Vec2 size;
  Look look;
  bool is_own = false;
};

/// What a camera sees, in sub-units.
struct Scene {
  Vec2 centre;
  Vec2 sight;  ///< half the extent of the view; floor and walls outside of it are dark
  std::span<const sim::Body> walls;
  std::span<const DrawnBody> bodies;
};

/// The rows of a screen that show the world.
struct RowRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Draws a scene so that the whole view fits. Requires: rows of the screen; at least one.
/// Cost: linear in the cells, and in the pixels that walls and bodies cover; sorts the bodies.
void draw_field(const Scene& scene, RowRange rows, Colours colours, Screen& screen);

}  // namespace tickbox::terminal
