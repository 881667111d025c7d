// Worlds without tiles: S1, S3 and S4. The rules have y up, as in the README; what is stored is
// turned over.

#include "tests/bench/physics/scene.h"

#include "core/assert.h"

#include <cmath>

namespace tickbox::bench {
namespace {

constexpr double kThrown = 10;  ///< units per second, the largest on either axis

int side_of(int n) {
  return static_cast<int>(std::ceil(std::sqrt(n)));
}

}  // namespace

void add_border(Scene& scene) {
  constexpr double kThick = 10;
  const double middle_x = scene.width / 2;
  const double middle_y = scene.height / 2;
  const double full_height = scene.height + 2 * kThick;
  scene.walls.push_back({-kThick / 2, middle_y, kThick, full_height});
  scene.walls.push_back({scene.width + kThick / 2, middle_y, kThick, full_height});
  scene.walls.push_back({middle_x, -kThick / 2, scene.width, kThick});
  scene.walls.push_back({middle_x, scene.height + kThick / 2, scene.width, kThick});
}

Scene make_arena(int n) {
  constexpr double kSpread = 0.9;
  Scene scene{.kind = SceneKind::Arena, .restitution = 1, .draws = Draws{1, n}};
  scene.width = scene.height = std::sqrt(10.0 * n);
  const int columns = side_of(n);
  const double cell = scene.width / columns;
  for (int i = 0; i < n; ++i) {
    const int row = i / columns;
    const double jx = scene.draws.next() - 0.5;
    const double jy = scene.draws.next() - 0.5;
    const double vx = scene.draws.next_signed() * kThrown;
    const double vy = scene.draws.next_signed() * kThrown;
    const double x = (i % columns + 0.5) * cell + jx * (cell - 1) * kSpread;
    const double y = (row + 0.5) * cell + jy * (cell - 1) * kSpread;
    scene.bodies.push_back({.place = {x, scene.height - y, 1, 1}, .vx = vx, .vy = -vy});
  }
  add_border(scene);
  return scene;
}

Scene make_bullets(int n) {
  constexpr double kRoom = 20;
  constexpr double kWall = 0.1;
  constexpr double kClear = 0.6;
  constexpr double kSpread = 0.3;
  constexpr double kBullet = 0.2;
  constexpr double kBulletSpeed = 3'000;
  Scene scene{.kind = SceneKind::Bullets, .restitution = 1, .room = kRoom, .draws = Draws{3, n}};
  scene.warm_up = 30;
  scene.measured = 120;
  const int rooms = static_cast<int>(std::ceil(std::sqrt(10.0 * n) / kRoom));
  scene.width = scene.height = rooms * kRoom;
  const int columns = side_of(n);
  const double cell = scene.width / columns;
  const auto away = [](double at) {
    const double wall = std::round(at / kRoom) * kRoom;
    if (std::abs(at - wall) >= kClear) return at;
    return at < wall ? wall - kClear : wall + kClear;
  };
  for (int i = 0; i < n; ++i) {
    const int row = i / columns;
    const double x = away((i % columns + 0.5) * cell + scene.draws.next_signed() * kSpread);
    const double y = away((row + 0.5) * cell + scene.draws.next_signed() * kSpread);
    const double p = scene.draws.next();
    const double q = scene.draws.next();
    const double t = scene.draws.next_signed();
    SceneBody body{.place = {x, scene.height - y, 1, 1}};
    if (i % 10 == 0) {
      const double along = (1 - t * t) / (1 + t * t) * kBulletSpeed;
      body.place.width = body.place.height = kBullet;
      body.vx = p < 0.5 ? -along : along;
      body.vy = -2 * t / (1 + t * t) * kBulletSpeed;
      body.role = Role::Bullet;
    } else {
      body.vx = (2 * p - 1) * kThrown;
      body.vy = -(2 * q - 1) * kThrown;
    }
    scene.bodies.push_back(body);
  }
  add_border(scene);
  for (int k = 0; k <= rooms; ++k) {
    scene.walls.push_back({k * kRoom, scene.height / 2, kWall, scene.height});
    scene.walls.push_back({scene.width / 2, k * kRoom, scene.width, kWall});
  }
  return scene;
}

Scene make_pile(int n) {
  constexpr double kPitch = 2;  // twice a box: they start apart
  constexpr double kSpread = 0.4;
  constexpr double kPitWidth =
      1.25;  // boxes side by side, per √n: a pile two thirds as high as wide
  Scene scene{.kind = SceneKind::Pile, .gravity = 30, .draws = Draws{4, n}};
  scene.warm_up = 0;
  scene.measured = 600;
  const int columns = static_cast<int>(std::ceil(kPitWidth * side_of(n) / kPitch));
  scene.width = kPitch * columns;
  const int rows = (n + columns - 1) / columns;
  scene.height = kPitch * rows;
  for (int i = 0; i < n; ++i) {
    const int row = i / columns;
    const double x = (i % columns + 0.5) * kPitch + scene.draws.next_signed() * kSpread;
    const double y = (row + 0.5) * kPitch + scene.draws.next_signed() * kSpread;
    const double vx = scene.draws.next_signed() * kThrown;
    const double vy = scene.draws.next_signed() * kThrown;
    scene.bodies.push_back({.place = {x, scene.height - y, 1, 1}, .vx = vx, .vy = -vy});
  }
  add_border(scene);
  return scene;
}

Scene make_scene(SceneKind kind, int n) {
  TICKBOX_ASSERT(n >= 1 && n <= kBodiesMax);
  switch (kind) {
    case SceneKind::Arena:
      return make_arena(n);
    case SceneKind::Platformer:
      return make_platformer(n);
    case SceneKind::Bullets:
      return make_bullets(n);
    case SceneKind::Pile:
      return make_pile(n);
    case SceneKind::Rest:
      break;
  }
  return make_rest(n);
}

}  // namespace tickbox::bench
