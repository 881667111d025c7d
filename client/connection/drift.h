#pragma once
// How fast the server's clock runs, compared with this one.
//
// Two quartz clocks differ by less than a thousandth. But a clock that is being corrected runs up
// to 8.5 % faster or slower (`chronyd`, by default), for as long as the correction lasts.
//
// Each packet tells how early it is, by clocks that began right. A longer delay only makes it less
// early, so of several packets the earliest counts: that is a point. The slopes between the last
// few points are the drift. A link that becomes longer or shorter moves all points after it, and
// so one of the slopes between neighbours, but most of the slopes between all points. Of the two
// medians the smaller one counts: another path is no drift.

#include "core/clock.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace tickbox::client {

class Drift {
 public:
  /// `length`: of a point, at least.
  explicit Drift(Duration length) : length_(length) {}

  /// Takes how early a packet was, by clocks that nobody has corrected since the first packet, and
  /// the resolution of that. `at`: on the own clock.
  void add(Instant at, Duration early, Duration resolution) {
    const Point point{.at = at, .early = early, .resolution = resolution};
    if (packets_ > 0 && (at - began_ < length_ || packets_ < kPointPackets)) {
      ++packets_;
      if (early > newest().early) newest() = point;
      return;
    }
    if (packets_ > 0) end_point();
    ++points_count_;
    newest() = point;
    began_ = at;
    packets_ = 1;
  }

  /// Returns by how much packets become earlier in this time on the own clock, at most a minute.
  [[nodiscard]] Duration in(Duration time) const {
    return std::min(time, Duration{std::chrono::minutes{1}}) * rate_ / kMillion;
  }

  /// Returns the time on the own clock that is, with this drift in it, as long as `time`.
  [[nodiscard]] Duration without(Duration time) const {
    return time * kMillion / (kMillion - rate_);
  }

  /// Returns by how much packets can become later before a change of the drift is followed, if it
  /// changes as much as it recently has.
  [[nodiscard]] Duration unrest() const {
    return kNoticed * std::max(std::int64_t{0}, highest_ - lowest_ - kJitter) / kMillion;
  }

 private:
  static constexpr std::int64_t kMillion = 1'000'000;
  static constexpr std::size_t kPoints = 4;
  /// A point has this many packets at least.
  static constexpr std::size_t kPointPackets = 4;
  /// Two points that are further apart show another path, or a pause.
  static constexpr Duration kStep = std::chrono::milliseconds{100};
  /// Coarser points have the same value where the drift is small. So slopes between neighbours say
  /// nothing, nor do changes of the drift.
  static constexpr Duration kFine = std::chrono::milliseconds{8};
  // In millionths of the time on the own clock:
  /// Less than this is hardly different from jitter.
  static constexpr std::int64_t kLeast = 5'000;
  /// Two clocks that are corrected in opposite directions differ by less.
  static constexpr std::int64_t kMost = 200'000;
  /// The largest change of the settled drift with each point. A path that changes may look like a
  /// drift for three points.
  static constexpr std::int64_t kSettles = 10'000;
  /// Jitter makes the settled drift seem to change by this.
  static constexpr std::int64_t kJitter = 15'000;
  /// The time in which a changed drift is noticed and followed.
  static constexpr Duration kNoticed = std::chrono::milliseconds{350};
  /// The points after which the extremes of the drift are mostly forgotten: 20 s or more.
  static constexpr std::int64_t kForgotten = 200;

  struct Point {
    Instant at;
    Duration early{};
    Duration resolution{};
  };

  /// Returns the point with this number. Requires: it is one of the last.
  [[nodiscard]] const Point& point(std::size_t number) const { return points_[number % kPoints]; }

  [[nodiscard]] Point& newest() { return points_[points_count_ % kPoints]; }

  void end_point() {
    if (points_count_ > 1 &&
        std::chrono::abs(point(points_count_).early - point(points_count_ - 1).early) > kStep) {
      points_[1] = newest();
      points_count_ = 1;
    }
    if (points_count_ < kPoints) return;
    const bool is_fine = std::ranges::max(points_, {}, &Point::resolution).resolution <= kFine;
    const std::int64_t slope = find_slope(is_fine);
    rate_ = std::abs(slope) < kLeast ? 0 : std::clamp(slope, -kMost, kMost);
    if (is_fine) settled_ += std::clamp(rate_ - settled_, -kSettles, kSettles);
    lowest_ = std::min(settled_, lowest_ + (settled_ - lowest_) / kForgotten);
    highest_ = std::max(settled_, highest_ - (highest_ - settled_) / kForgotten);
  }

  [[nodiscard]] std::int64_t find_slope(bool is_fine) const {
    std::array<std::int64_t, kPoints*(kPoints - 1) / 2> slopes{};
    auto end = slopes.begin();
    const std::size_t first = points_count_ + 1 - kPoints;
    for (std::size_t apart = 1; apart < kPoints; ++apart) {
      for (std::size_t from = first; from + apart <= points_count_; ++from) {
        const Duration rise = point(from + apart).early - point(from).early;
        const Duration run = point(from + apart).at - point(from).at;
        *end++ = rise / std::max(Duration{1}, run / kMillion);
      }
    }
    const std::int64_t neighbours = median_of(std::span{slopes}.first(kPoints - 1));
    const std::int64_t all = median_of(slopes);
    if (!is_fine) return all;
    if ((neighbours < 0) != (all < 0)) return 0;
    return std::abs(neighbours) < std::abs(all) ? neighbours : all;
  }

  [[nodiscard]] static std::int64_t median_of(std::span<std::int64_t> values) {
    std::ranges::sort(values);
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
  }

  Duration length_;
  std::array<Point, kPoints> points_{};  ///< a ring; the newest one grows
  std::size_t points_count_ = 0;
  std::size_t packets_ = 0;  ///< of the newest point
  Instant began_;            ///< start of the newest point
  std::int64_t rate_ = 0;
  std::int64_t settled_ = 0;  ///< follows rate_ slowly
  // The extremes of settled_, which are slowly forgotten.
  std::int64_t lowest_ = 0;
  std::int64_t highest_ = 0;
};

}  // namespace tickbox::client
