#pragma once
// What a player is shown: the others as they were a moment ago, between two views; the own body as
// it is predicted. Nothing here moves anything: a picture only looks.
//
// The own body is shown on its way from the tick before the newest predicted one to that one. That
// is up to a tick late, and never where the body will not be: guessing ahead of the newest tick
// would run into walls and back.

#include "client/prediction/prediction.h"
#include "client/presentation/foresight.h"
#include "client/presentation/interpolation.h"
#include "client/presentation/picture_clock.h"
#include "core/bounded.h"
#include "core/clock.h"
#include "core/fixed.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tickbox::client {

// How far beside its true place a body is shown after a correction, ever less.
//
// When the server's answer moves the predicted body, the state moves at once; the picture goes
// there from where it was. What is left of the way halves every 30 ms, so that looking often or
// rarely shows the same, and what a second correction adds goes on fading with the rest.

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

/// Where what is shown of a body comes from.
enum class Origin : std::uint8_t {
  Interpolated,  ///< from views
  Extrapolated,  ///< from the newest view stepped on, as no newer one has come
  Own,           ///< from the prediction
};

struct Shown {
  BodyId id;
  Vec2 min;  ///< sub-units
  Origin origin = Origin::Interpolated;

  friend bool operator==(const Shown&, const Shown&) = default;
};

struct PictureOptions {
  game::SharedMap map;
  std::shared_ptr<const game::Rules> rules;
  BodyId own;
  std::uint32_t ticks_per_second = 0;
};

class Picture {
 public:
  explicit Picture(const PictureOptions& options);

  /// There is a new view, and the prediction starts from it.
  /// Cost: no allocation once warm; nothing is stepped.
  void on_view(const View& view, const Prediction& prediction, Instant now);

  /// A tick was predicted that was due at `due`; the next is due at `next_due`.
  void on_tick(const Prediction& prediction, Instant due, Instant next_due);

  [[nodiscard]] bool has_begun() const { return clock_.has_begun(); }

  /// Everything there is to see, by id, in memory that is good until the next call; empty before
  /// the first view.  Requires: moments that never go back.
  /// Cost: no allocation once warm; steps the newest view on where it does not reach.
  [[nodiscard]] std::span<const Shown> shown(Instant now);

  /// The tick at which the others are shown, rounded to a whole one; 0 before the first view.
  [[nodiscard]] Tick looked_at(Instant now) const;

  /// Whether the others are shown beyond the newest view.
  [[nodiscard]] bool is_extrapolated(Instant now) const;

  /// Somebody looks, and decides by what is shown.
  void look(Instant now);

  /// Before on_view(): at how many looks the others were shown beyond the newest view of then, and
  /// something had happened by then that is told only by `view`.
  [[nodiscard]] std::uint64_t unforeseen(const View& view);

  [[nodiscard]] Duration delay() const { return clock_.delay(); }

 private:
  /// Looks beyond the newest view that are remembered: more than a second of them.
  static constexpr std::size_t kLooks = 256;

  /// The own body on its way from one predicted tick to the next.
  struct Course {
    bool is_known = false;
    Vec2 from;
    Vec2 to;
    Instant begin;
    Instant end;
  };

  void follow(const Prediction& prediction);
  [[nodiscard]] Vec2 predicted(Instant now) const;
  [[nodiscard]] Tick tick_of(Duration moment) const;
  const Scene& scene(Tick tick);
  void show_own(Instant now);

  Duration period_;
  BodyId own_;
  PictureClock clock_;
  Interpolation interpolation_;
  Foresight foresight_;
  Course course_;
  Easing easing_;
  BoundedVector<Duration, kLooks> looks_;  ///< moments shown, beyond the newest view
  std::vector<Place> places_;
  std::vector<Shown> shown_;
};

}  // namespace tickbox::client
