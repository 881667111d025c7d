#include "tests/bench/physics/quality.h"

#include <algorithm>
#include <cmath>

namespace tickbox::bench {
namespace {

struct Shape {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
  bool is_static = false;
  bool is_bullet = false;
};

Shape shape_of(const Rect& rect, const Pose& pose) {
  return {.left = pose.x - rect.width / 2,
          .right = pose.x + rect.width / 2,
          .top = pose.y - rect.height / 2,
          .bottom = pose.y + rect.height / 2};
}

std::vector<Shape> shapes_of(const Geometry& geometry, std::span<const Pose> poses) {
  std::vector<Shape> shapes;
  for (const Rect& rect : geometry.statics) {
    shapes.push_back(shape_of(rect, {.x = rect.x, .y = rect.y}));
    shapes.back().is_static = true;
  }
  for (std::size_t i = 0; i < poses.size(); ++i) {
    shapes.push_back(shape_of(geometry.bodies[i], poses[i]));
    shapes.back().is_bullet = geometry.roles[i] == Role::Bullet;
  }
  return shapes;
}

bool may_meet(const Shape& a, const Shape& b) {
  if (a.is_static || b.is_static) return !(a.is_static && b.is_static);
  return !a.is_bullet && !b.is_bullet;
}

/// The shortest way out; 0 or less where they are apart.
double depth_of(const Shape& a, const Shape& b) {
  return std::min({a.right - b.left, b.right - a.left, a.bottom - b.top, b.bottom - a.top});
}

}  // namespace

Overlaps find_overlaps(const Geometry& geometry, std::span<const Pose> poses, double tolerance) {
  std::vector<Shape> shapes = shapes_of(geometry, poses);
  std::ranges::sort(shapes, {}, &Shape::left);
  Overlaps overlaps;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = i + 1; j < shapes.size() && shapes[j].left < shapes[i].right; ++j) {
      const double depth = depth_of(shapes[i], shapes[j]);
      if (depth <= 0 || !may_meet(shapes[i], shapes[j])) continue;
      if (depth > tolerance) ++overlaps.pairs;
      overlaps.deepest = std::max(overlaps.deepest, depth);
    }
  }
  return overlaps;
}

void RoomWatch::watch(std::span<const Pose> poses, std::span<const Role> roles) {
  if (width_ <= 0) return;
  const bool first = rooms_.empty();
  rooms_.resize(poses.size());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Pose room{.x = std::floor(poses[i].x / width_), .y = std::floor(poses[i].y / width_)};
    if (!first && (room.x != rooms_[i].x || room.y != rooms_[i].y)) {
      ++tunnelled_;
      if (roles[i] == Role::Bullet) ++bullets_tunnelled_;
    }
    rooms_[i] = room;
  }
}

void RestWatch::watch(std::span<const Pose> poses) {
  moved_.resize(poses.size());
  for (std::size_t i = 0; i < last_.size(); ++i) {
    const double move =
        std::max(std::abs(poses[i].x - last_[i].x), std::abs(poses[i].y - last_[i].y));
    if (move > tolerance_) moved_[i] = 1;
    largest_move_ = std::max(largest_move_, move);
  }
  last_.assign(poses.begin(), poses.end());
}

std::size_t RestWatch::moving() const {
  return static_cast<std::size_t>(std::ranges::count(moved_, 1));
}

}  // namespace tickbox::bench
