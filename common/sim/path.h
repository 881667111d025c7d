#pragma once
// The path of a kinematic body: back and forth along straight legs, at one speed.

#include "core/fixed.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// The most points of one path. Paths drawn by hand have few. The limit keeps the sum of all legs
/// far below 2^63.
inline constexpr std::size_t kPathPointsMax = 1024;

class Path {
 public:
  /// `points` are positions of the body's minimum corner in sub-units; `speed` is in sub-units per
  /// tick. Requires: 1 to kPathPointsMax points within ±kWorldLimit; speed from 0 to kSpeedLimit.
  Path(std::vector<Vec2> points, std::int32_t speed);

  /// The position after `ticks` ticks on the path. It depends on this number alone, so nothing
  /// drifts. Between two points it is the nearest sub-unit; a half rounds away from the first one.
  [[nodiscard]] Vec2 place_at(std::uint32_t ticks) const;

  [[nodiscard]] std::span<const Vec2> points() const { return points_; }

  [[nodiscard]] std::int32_t speed() const { return speed_; }

  /// The sum of all legs in sub-units, each leg rounded down.
  [[nodiscard]] std::int64_t length() const { return ends_.back(); }

 private:
  std::vector<Vec2> points_;
  std::vector<std::int64_t> ends_;  ///< the distance of each point from the first along the path
  std::int32_t speed_ = 0;
};

}  // namespace tickbox::sim
