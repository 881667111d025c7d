#include "tests/bench/physics/quality.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tickbox::bench {
namespace {

/// A box that may be turned, with the upright rectangle around it.
struct Shape {
  Pose pose;
  double half_width = 0;
  double half_height = 0;
  double cosine = 1;
  double sine = 0;
  double reach_x = 0;  ///< from the centre
  double reach_y = 0;
  bool is_static = false;
  bool is_bullet = false;
};

Shape shape_of(const Rect& rect, const Pose& pose) {
  Shape shape{.pose = pose, .half_width = rect.width / 2, .half_height = rect.height / 2};
  shape.cosine = std::cos(pose.angle);
  shape.sine = std::sin(pose.angle);
  const double c = std::abs(shape.cosine);
  const double s = std::abs(shape.sine);
  shape.reach_x = c * shape.half_width + s * shape.half_height;
  shape.reach_y = s * shape.half_width + c * shape.half_height;
  return shape;
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

/// How far `shape` reaches from its centre along a direction of length 1.
double reach_along(const Shape& shape, double x, double y) {
  return std::abs(shape.cosine * x + shape.sine * y) * shape.half_width +
         std::abs(shape.cosine * y - shape.sine * x) * shape.half_height;
}

/// The shortest way out; 0 or less where they are apart. Source: separating axes, two of each box.
double depth_of(const Shape& a, const Shape& b) {
  const double dx = b.pose.x - a.pose.x;
  const double dy = b.pose.y - a.pose.y;
  double depth = std::numeric_limits<double>::max();
  for (const Shape* const shape : {&a, &b}) {
    const std::array<std::array<double, 2>, 2> axes{
        {{shape->cosine, shape->sine}, {-shape->sine, shape->cosine}}};
    for (const auto& [x, y] : axes) {
      const double apart = std::abs(dx * x + dy * y);
      depth = std::min(depth, reach_along(a, x, y) + reach_along(b, x, y) - apart);
    }
  }
  return depth;
}

}  // namespace

Overlaps find_overlaps(const Geometry& geometry, std::span<const Pose> poses, double tolerance) {
  std::vector<Shape> shapes = shapes_of(geometry, poses);
  const auto left = [](const Shape& shape) { return shape.pose.x - shape.reach_x; };
  std::ranges::sort(shapes, {}, left);
  Overlaps overlaps;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    const double right = shape.pose.x + shape.reach_x;
    for (std::size_t j = i + 1; j < shapes.size() && left(shapes[j]) < right; ++j) {
      const Shape& other = shapes[j];
      const double apart_y = std::abs(shape.pose.y - other.pose.y);
      if (apart_y >= shape.reach_y + other.reach_y || !may_meet(shape, other)) continue;
      const double depth = depth_of(shape, other);
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
