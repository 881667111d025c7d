#pragma once
// The worlds of the benchmark, as numbers that every engine is given alike: in units and seconds,
// y down.

#include "tests/bench/physics/draws.h"

#include <cstdint>
#include <vector>

namespace tickbox::bench {

inline constexpr double kTicksPerSecond = 60;

/// The numbers enter the seeds.
enum class SceneKind : std::uint8_t {
  Arena = 1,       ///< S1: a gas of boxes that lose no speed
  Platformer = 2,  ///< S2: characters that run and fall among tiles
  Bullets = 3,     ///< S3: boxes in rooms with thin walls, every tenth a bullet
  Pile = 4,        ///< S4: boxes thrown into a pit
  Rest = 5,        ///< S5: characters that all stand still
};

/// The most bodies in a scene. The platformer's border is then half of the way to the world's.
inline constexpr int kBodiesMax = 1'000'000;

/// A rectangle by its centre.
struct Rect {
  double x = 0;
  double y = 0;
  double width = 1;
  double height = 1;
};

/// A square of one unit; its corner with the least x and y.
struct Tile {
  std::int32_t x = 0;
  std::int32_t y = 0;
};

enum class Role : std::uint8_t {
  Box,
  Bullet,  ///< meets statics only
};

struct SceneBody {
  Rect place;
  double vx = 0;  ///< units per second
  double vy = 0;
  Role role = Role::Box;
};

struct Scene {
  SceneKind kind = SceneKind::Arena;
  double width = 0;
  double height = 0;
  double gravity = 0;      ///< units per second², down
  double restitution = 0;  ///< 0 or 1, of every contact
  double room = 0;   ///< width of the square rooms that no body may leave; 0 where there are none
  int warm_up = 60;  ///< ticks
  int measured = 300;
  std::vector<SceneBody> bodies{};
  std::vector<Rect> walls{};
  std::vector<Tile> tiles{};
  Draws draws;  ///< what follows the world's own draws

  /// S2: gives every body a new direction, or halts it, twice a second. `set_vx(body, vx)` in
  /// units per second; ticks count from 0, the warm-up included.
  template <class SetVx>
  void steer(int tick, SetVx&& set_vx) {
    constexpr std::size_t kEveryTicks = 30;
    constexpr double kHalts = 0.4;
    constexpr double kSpeed = 6;
    if (kind != SceneKind::Platformer) return;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if ((static_cast<std::size_t>(tick) + i) % kEveryTicks != 0) continue;
      set_vx(i, draws.next() < kHalts ? 0 : draws.next_signed() * kSpeed);
    }
  }
};

/// Draws a world of `n` bodies. Requires: 1 <= n <= kBodiesMax.
[[nodiscard]] Scene make_scene(SceneKind kind, int n);

// The kinds, one by one; what make_scene() calls.
[[nodiscard]] Scene make_arena(int n);
[[nodiscard]] Scene make_platformer(int n);
[[nodiscard]] Scene make_bullets(int n);
[[nodiscard]] Scene make_pile(int n);
[[nodiscard]] Scene make_rest(int n);

/// Closes [0, width] × [0, height] by four walls, 10 thick.
void add_border(Scene& scene);

}  // namespace tickbox::bench
