#pragma once
// How far beside its true place a body is shown after a correction, ever less.
//
// When the server's answer moves the predicted body, the state moves at once; the picture goes
// there from where it was. What is left of the way halves every 30 ms, so that looking often or
// rarely shows the same, and what a second correction adds goes on fading with the rest.

#include "core/clock.h"
#include "core/fixed.h"

namespace tickbox::client {

/// A body that is shown so far from its place is cut to it: nobody walked there.
inline constexpr std::int32_t kEasedUnitsMax = 3;
/// In which half of the way is made. After 100 ms a tenth is left, after 200 a hundredth.
inline constexpr Duration kEasingHalf = std::chrono::milliseconds{30};

class Easing {
 public:
  /// Its place was `was` until now, and is `is`, in sub-units: it goes on from where it was shown.
  void add(Vec2 was, Vec2 is, Instant now);

  /// The body is shown in its place from now on.
  void cut() { x_ = y_ = 0; }

  /// Sub-units.
  [[nodiscard]] Vec2 offset(Instant now) const;

 private:
  [[nodiscard]] double left(Instant now) const;

  double x_ = 0;  ///< sub-units, at since_
  double y_ = 0;
  Instant since_;
};

}  // namespace tickbox::client
