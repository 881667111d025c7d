#include "sim/path.h"

#include "core/assert.h"
#include "sim/step/motion.h"

#include <algorithm>
#include <utility>

namespace tickbox::sim {
namespace {

/// The integer square root, rounded down; computed bit by bit.
std::int64_t square_root(std::uint64_t square) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1) {
    const std::uint64_t grown = root | bit;
    if (grown * grown <= square) root = grown;
  }
  return static_cast<std::int64_t>(root);
}

std::int64_t distance(Vec2 from, Vec2 to) {
  const std::int64_t x = std::int64_t{to.x} - from.x;
  const std::int64_t y = std::int64_t{to.y} - from.y;
  return square_root(static_cast<std::uint64_t>(x * x) + static_cast<std::uint64_t>(y * y));
}

/// from + (to − from) · way / length, rounded to the nearest. Halves round away from `from`, so
/// that a mirrored path has mirrored positions.
std::int32_t between(std::int32_t from, std::int32_t to, std::int64_t way, std::int64_t length) {
  const std::int64_t product = (std::int64_t{to} - from) * way;
  const std::int64_t half = product < 0 ? -(length / 2) : length / 2;
  return static_cast<std::int32_t>(from + (product + half) / length);
}

}  // namespace

Path::Path(std::vector<Vec2> points, std::int32_t speed)
    : points_(std::move(points)), speed_(speed) {
  TICKBOX_ASSERT(!points_.empty() && points_.size() <= kPathPointsMax);
  TICKBOX_ASSERT(speed >= 0 && speed <= kSpeedLimit);
  ends_.push_back(0);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    for (Axis axis = 0; axis < kAxes; ++axis) {
      TICKBOX_ASSERT(-kWorldLimit <= points_[i][axis] && points_[i][axis] <= kWorldLimit);
    }
    if (i > 0) ends_.push_back(ends_.back() + distance(points_[i - 1], points_[i]));
  }
}

Vec2 Path::place_at(std::uint32_t ticks) const {
  if (length() == 0) return points_.front();
  std::int64_t way = std::int64_t{speed_} * ticks % (2 * length());
  if (way > length()) way = 2 * length() - way;
  const auto end = std::upper_bound(ends_.begin() + 1, ends_.end() - 1, way);
  const auto leg = static_cast<std::size_t>(end - ends_.begin());
  const std::int64_t leg_length = ends_[leg] - ends_[leg - 1];
  if (leg_length == 0) return points_[leg];
  const Vec2 from = points_[leg - 1];
  const Vec2 to = points_[leg];
  const std::int64_t on_leg = way - ends_[leg - 1];
  return {between(from.x, to.x, on_leg, leg_length), between(from.y, to.y, on_leg, leg_length)};
}

}  // namespace tickbox::sim
