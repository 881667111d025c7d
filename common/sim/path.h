#pragma once
// The way of a kinematic body: back and forth along straight legs, at one speed.

#include "core/fixed.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// Corners of one path. Few are drawn by hand; this keeps the sum of all legs far within 64 bits.
inline constexpr std::size_t kPathPointsMax = 1024;

class Path {
 public:
  /// `points` are places of the body's minimum corner in sub-units; `speed` is in sub-units per
  /// tick. Requires: 1 to kPathPointsMax points within ±kWorldLimit; speed from 0 to kSpeedLimit.
  Path(std::vector<Vec2> points, std::int32_t speed);

  /// Where the body is after `ticks` ticks on its way. Computed from the number alone, so nothing
  /// drifts; a place between two points is the nearest sub-unit, halves away from the first.
  [[nodiscard]] Vec2 place_at(std::uint32_t ticks) const;

  [[nodiscard]] std::span<const Vec2> points() const { return points_; }

  [[nodiscard]] std::int32_t speed() const { return speed_; }

  /// All legs, in sub-units, each rounded down.
  [[nodiscard]] std::int64_t length() const { return ends_.back(); }

 private:
  std::vector<Vec2> points_;
  std::vector<std::int64_t> ends_;  ///< of each point: its distance from the first along the path
  std::int32_t speed_ = 0;
};

}  // namespace tickbox::sim
