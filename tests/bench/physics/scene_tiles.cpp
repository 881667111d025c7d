// Worlds of tiles: S2, the platformer in play, and S5, the same when everybody stands.

#include "core/assert.h"
#include "tests/bench/physics/scene.h"

#include <algorithm>
#include <cmath>

namespace tickbox::bench {
namespace {

constexpr double kGravity = 30;
constexpr double kBody = 0.8;
constexpr int kRowPitch = 8;  ///< from floor to floor
constexpr double kGap = 0.15;
constexpr double kBump = 0.10;

/// The top of a column without a tile. A top is a height above the lower edge of the column's
/// floor.
constexpr int kNothing = 0;

/// Draws the floors, bottom row first, y up; returns the top of every column, row by row.
std::vector<int> draw_floors(Scene& scene, int rows) {
  const int width = static_cast<int>(scene.width);
  const int height = static_cast<int>(scene.height);
  std::vector<int> tops;
  for (int row = 0; row < rows; ++row) {
    for (int x = 0; x < width; ++x) {
      const double a = scene.draws.next();
      const double b = scene.draws.next();
      int top = kNothing;
      if (row == 0 || a >= kGap) {
        scene.tiles.push_back({x, height - kRowPitch * row - 1});
        top = 1;
      }
      if (b < kBump) {
        scene.tiles.push_back({x, height - kRowPitch * row - 2});
        top = 2;
      }
      tops.push_back(top);
    }
  }
  return tops;
}

Scene platformer(SceneKind kind, int n, int rows) {
  Scene scene{.kind = kind, .gravity = kGravity, .draws = Draws{static_cast<int>(kind), n}};
  scene.width = kRowPitch * std::ceil(std::sqrt(n));
  scene.height = kRowPitch * rows;
  return scene;
}

}  // namespace

Scene make_platformer(int n) {
  const int q = static_cast<int>(std::ceil(std::sqrt(n)));
  const int rows = (q + 1) / 2;
  Scene scene = platformer(SceneKind::Platformer, n, rows);
  (void)draw_floors(scene, rows);
  const int per_row = static_cast<int>(scene.width) / 4;
  for (int i = 0; i < n; ++i) {
    const double a = scene.draws.next_signed();
    const double b = scene.draws.next_signed();
    const int row = i / per_row;
    const double x = 4 * (i % per_row) + 2 + a * 1.2;
    const double y = kRowPitch * row + 4 + b;
    scene.bodies.push_back({.place = {x, scene.height - y, kBody, kBody}});
  }
  add_border(scene);
  return scene;
}

Scene make_rest(int n) {
  // Tiles per body, and tiles per column of a row: the rows that hold about two tiles a body.
  constexpr double kTilesPerBody = 2;
  constexpr double kTilesPerColumn = 1 - kGap + kBump;
  const double columns = kRowPitch * std::ceil(std::sqrt(n));
  const int rows = static_cast<int>(std::ceil(kTilesPerBody * n / (kTilesPerColumn * columns)));
  Scene scene = platformer(SceneKind::Rest, n, rows);
  scene.measured = 120;
  const std::vector<int> tops = draw_floors(scene, rows);

  // A body stands in every slot of two columns, at a place drawn, on the higher of what is there;
  // where there is nothing the slot stays empty, until all have a place.
  const std::size_t slots = tops.size() / 2;
  const std::size_t slots_per_row = slots / static_cast<std::size_t>(rows);
  for (std::size_t slot = 0; slot < slots && std::ssize(scene.bodies) < n; ++slot) {
    const double offset = 1 + scene.draws.next_signed() * 0.5;
    const int left = offset - kBody / 2 < 1 ? tops[2 * slot] : kNothing;
    const int right = offset + kBody / 2 > 1 ? tops[2 * slot + 1] : kNothing;
    const int top = std::max(left, right);
    if (top == kNothing) continue;
    const std::size_t row = slot / slots_per_row;
    const double x = 2 * static_cast<double>(slot % slots_per_row) + offset;
    const double y = kRowPitch * static_cast<double>(row) + top + kBody / 2;
    scene.bodies.push_back({.place = {x, scene.height - y, kBody, kBody}});
  }
  TICKBOX_ASSERT(std::ssize(scene.bodies) == n);
  add_border(scene);
  return scene;
}

}  // namespace tickbox::bench
