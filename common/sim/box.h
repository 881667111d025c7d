#pragma once
// A closed rectangle in sub-units, with 64-bit corners so that no place in the world overflows.

#include "sim/body.h"
#include "sim/rects.h"
#include "sim/step/motion.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tickbox::sim {

struct Box {
  std::array<std::int64_t, kAxes> min{};
  std::array<std::int64_t, kAxes> max{};

  friend constexpr bool operator==(const Box&, const Box&) = default;
};

inline constexpr Box kWholeWorld = {{-kWorldLimit, -kWorldLimit}, {kWorldLimit, kWorldLimit}};

[[nodiscard]] constexpr Box box_of(Vec2 min, Vec2 size) {
  return {{min.x, min.y}, {std::int64_t{min.x} + size.x, std::int64_t{min.y} + size.y}};
}

/// Whether two boxes share a point. A point on their edges is enough.
[[nodiscard]] constexpr bool touch(const Box& a, const Box& b) {
  return a.min[0] <= b.max[0] && b.min[0] <= a.max[0] && a.min[1] <= b.max[1] &&
         b.min[1] <= a.max[1];
}

/// Whether their open interiors meet.
[[nodiscard]] constexpr bool overlap(const Box& a, const Box& b) {
  return a.min[0] < b.max[0] && b.min[0] < a.max[0] && a.min[1] < b.max[1] && b.min[1] < a.max[1];
}

[[nodiscard]] constexpr bool contains(const Box& outer, const Box& inner) {
  return outer.min[0] <= inner.min[0] && inner.max[0] <= outer.max[0] &&
         outer.min[1] <= inner.min[1] && inner.max[1] <= outer.max[1];
}

[[nodiscard]] constexpr Box grown(Box box, std::int64_t margin) {
  for (Axis axis = 0; axis < kAxes; ++axis) {
    box.min[axis] -= margin;
    box.max[axis] += margin;
  }
  return box;
}

/// The same box with 32-bit corners; corners outside the 32-bit range are clamped to it.
[[nodiscard]] constexpr Rect rect_of(const Box& box) {
  const auto cut = [](std::int64_t value) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, INT32_MIN, INT32_MAX));
  };
  return {cut(box.min[0]), cut(box.min[1]), cut(box.max[0]), cut(box.max[1])};
}

[[nodiscard]] constexpr Box box_of(const Rect& rect) {
  return {{rect.x0, rect.y0}, {rect.x1, rect.y1}};
}

/// The motion of a box at rest.
[[nodiscard]] constexpr Motion resting(const Rect& rect) {
  Motion motion;
  motion.base = {rect.x0 * kFineSteps, rect.y0 * kFineSteps};
  motion.size = {(std::int64_t{rect.x1} - rect.x0) * kFineSteps,
                 (std::int64_t{rect.y1} - rect.y0) * kFineSteps};
  return motion;
}

/// The larger of width and height.
[[nodiscard]] constexpr std::int64_t extent_of(const Rect& rect) {
  return std::max(std::int64_t{rect.x1} - rect.x0, std::int64_t{rect.y1} - rect.y0);
}

/// The swept AABB of a box from `from` to `to`, rounded outwards.
[[nodiscard]] constexpr Box hull_of(const Motion& motion, FineTime from, FineTime to) {
  Box hull;
  for (Axis axis = 0; axis < kAxes; ++axis) {
    const Fine first = motion.low(axis, from);
    const Fine last = motion.low(axis, to);
    hull.min[axis] = floor_to_sub_unit(std::min(first, last));
    hull.max[axis] = floor_to_sub_unit(std::max(first, last) + motion.size[axis]) + 1;
  }
  return hull;
}

/// The swept AABB of a body over one tick from its position, if its velocity does not change.
/// Requires: the position within ±kWorldLimit, the velocity within ±kSpeedLimit.
[[nodiscard]] constexpr Rect hull_of_path(const Body& body, Vec2 velocity) {
  const auto high = [](std::int32_t min, std::int32_t size, std::int32_t way) {
    const std::int64_t end = std::int64_t{min} + size + std::max(0, way);
    return static_cast<std::int32_t>(std::min(end, std::int64_t{INT32_MAX}));
  };
  static_assert(-std::int64_t{kWorldLimit} - kSpeedLimit >= INT32_MIN);
  return {body.min.x + std::min(0, velocity.x), body.min.y + std::min(0, velocity.y),
          high(body.min.x, body.size.x, velocity.x), high(body.min.y, body.size.y, velocity.y)};
}

[[nodiscard]] constexpr Rect hull_of_path(const Body& body, const Motion& motion) {
  return hull_of_path(body, Vec2{static_cast<std::int32_t>(motion.velocity[0]),
                                 static_cast<std::int32_t>(motion.velocity[1])});
}

}  // namespace tickbox::sim
