#pragma once
// The presentation for a player: the others as they were a moment ago, between two views, and the
// own bodies as predicted. It changes nothing in the simulation.
//
// An own body is shown between the last two predicted ticks. That is up to a tick late, but never
// at a position that the body will not reach: a guess beyond the newest tick would run into walls
// and back.

#include "client/match/prediction.h"
#include "client/presentation/interpolation.h"
#include "client/presentation/presentation_clock.h"
#include "core/clock.h"
#include "core/fixed.h"
#include "core/inplace_vector.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::client {

// Correction smoothing: the shrinking offset between shown and true position after a correction.
//
// When the server's answer moves the predicted body, the state moves at once and the shown body
// follows gradually. The remaining offset halves every 30 ms, so it does not matter how often it is
// drawn. The offset of a second correction is added and fades with the rest.

/// The offset, in units, beyond which a body is cut to its place: nobody walks that far.
inline constexpr std::int32_t kSmoothedUnitsMax = 3;
/// The time in which the offset halves. After 100 ms a tenth is left, after 200 ms a hundredth.
inline constexpr Duration kSmoothingHalf = std::chrono::milliseconds{30};

class CorrectionSmoothing {
 public:
  /// Adds a correction from `was` to `is`, in sub-units: the body continues from where it was
  /// shown.
  void add(Vec2 was, Vec2 is, Instant now);

  /// Removes the offset: the body is shown at its true position from now on.
  void cut() { x_ = y_ = 0; }

  /// Returns the offset in sub-units.
  [[nodiscard]] Vec2 offset(Instant now) const;

 private:
  [[nodiscard]] double left(Instant now) const;

  double x_ = 0;  ///< sub-units, at since_
  double y_ = 0;
  Instant since_;
};

/// Counts of the ticks that ran after the first view, each by what was shown then.
struct PresentationCounts {
  std::uint64_t ticks = 0;
  std::uint64_t extrapolated = 0;        ///< ticks that showed the others beyond the newest view
  std::uint64_t extrapolated_wrong = 0;  ///< of those, ticks with news that only a later view had
  std::uint64_t delay = 0;               ///< microseconds, the sum over all ticks
};

class Presentation {
 public:
  /// `like`: an empty world of the match's game, map, tick rate and shared seed. Borrows `stepper`.
  Presentation(const engine::World& like, Player player, engine::Stepper& stepper);

  /// Takes a new view, with which the prediction has been reconciled.
  void on_view(const View& view, const Prediction& prediction, Instant now);

  /// Takes a predicted tick that was due at `due`; the next is due at `next_due`.
  void on_tick(const Prediction& prediction, Instant due, Instant next_due);

  /// Returns all bodies to show at `now`, by id; empty before the first view. The memory is valid
  /// until the next call. Requires: `now` never decreases.
  /// Cost: no allocation once warm; extrapolates the newest view if `now` is beyond it.
  [[nodiscard]] std::span<const PresentedBody> shown(Instant now);

  /// Returns the tick at which the others are shown, rounded to a whole one; 0 before the first
  /// view.
  [[nodiscard]] Tick shown_tick(Instant now) const;

  /// Returns whether the others are shown beyond the newest view.
  [[nodiscard]] bool is_extrapolated(Instant now) const;

  /// Counts a tick that runs at `now`.
  void count_tick(Instant now);

  [[nodiscard]] const PresentationCounts& counts() const { return counts_; }

 private:
  /// The number of extrapolated moments to remember: more than a second of them.
  static constexpr std::size_t kExtrapolatedRemembered = 256;

  /// The path of an own body from one predicted tick to the next.
  struct OwnBody {
    BodyId id;
    std::uint8_t kind = 0;
    Vec2 from;
    Vec2 to;
    CorrectionSmoothing smoothing;
  };

  void count_wrong(const View& view);
  void follow(const Prediction& prediction);
  [[nodiscard]] Vec2 predicted(const OwnBody& body, Instant now) const;
  [[nodiscard]] Tick tick_of(Duration moment) const;
  void show_own(const OwnBody& body, Instant now);

  Duration period_;
  Player player_;
  PresentationClock clock_;
  Interpolation interpolation_;
  std::vector<OwnBody> own_;         ///< by id
  std::vector<OwnBody> own_before_;  ///< before the newest tick or view
  Instant path_begin_;               ///< of the paths of all own bodies
  Instant path_end_;
  /// The counted moments beyond the newest view, in the order of time.
  InplaceVector<Duration, kExtrapolatedRemembered> extrapolated_;
  PresentationCounts counts_;
  std::vector<PresentedBody> shown_;
};

}  // namespace tickbox::client
