#pragma once
// The presentation for a player: the others as they were a moment ago, between two views, the own
// bodies as predicted, and the place on which the view is centred. It changes nothing in the
// simulation.
//
// An own body is shown between the last two predicted ticks. That is up to a tick late, but never
// at a position that the body will not reach: a guess beyond the newest tick would run into walls
// and back.

#include "client/connection/drift.h"
#include "client/match/prediction.h"
#include "client/match/snapshot_world.h"
#include "client/presentation/interpolation.h"
#include "core/clock.h"
#include "core/fixed.h"
#include "core/ids.h"
#include "core/inplace_vector.h"
#include "views/sight.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::client {

// The clock of the presentation: it chooses the moment of the match to show. The moment is just old
// enough that the views on both sides of it have nearly always arrived.
//
// The delay is two intervals between views, or one and a half plus the jitter of their arrivals,
// whichever is more. It is raised at once when views arrive later than before, and lowered slowly
// when they no longer do. The shown moment never goes back and rarely jumps: it runs a tenth faster
// or slower until it matches the delay. Between two views it depends on time alone, so it does not
// matter how often the bodies are drawn.
//
// Without new views, the moment continues for a quarter of a second beyond the newest view, then
// stops. A server without news is silent for less time than that, unless its snapshot rate is below
// four a second.
//
// The server's clock may run at another rate (../connection/drift.h). All of this counts in its
// time.

/// Statistics of arriving views: their interval, and how late they are for their ticks.
///
/// A view of tick t that arrives at time a is late by a − t ticks of time, up to an unknown
/// constant. The constant is not needed: the lateness of the others counts from the promptest of
/// the recent views, the line. Of views that arrive together the latest counts, because nothing
/// newer was there before it. So a burst after a pause is one late arrival, not twenty. Among fifty
/// arrivals or more a single one decides nothing.
class ViewArrivals {
 public:
  explicit ViewArrivals(std::uint32_t ticks_per_second);

  /// `has_news`: the view was sent because of news. Only the ticks between two such views show how
  /// often a server sends; without news it is silent for a while.
  void add(Tick tick, bool has_news, Instant now);

  /// Returns the time on this clock at which tick 0 would have arrived, by the promptest recent
  /// view. It includes the least delay of the link. Requires: an arrival was added.
  [[nodiscard]] Duration line() const;

  /// Returns the lateness, from line(), that all but the latest 2 % of arrivals keep within.
  /// Requires: an arrival was added.
  [[nodiscard]] Duration jitter() const;

  /// Returns the shortest recent time between the ticks of two views with news; one tick until more
  /// is known.
  [[nodiscard]] Duration interval() const;

 private:
  /// The number of arrivals kept: two seconds at 60 Hz, and enough at 10 Hz to find the latest 2 %.
  static constexpr std::size_t kArrivals = 128;

  /// The number of intervals remembered. Lost and quiet views make some longer, so the shortest
  /// counts. This many longer ones in a row are not expected.
  static constexpr std::size_t kIntervals = 32;

  /// Views that arrived together.
  struct Arrival {
    Duration promptest{};
    Duration latest{};
  };

  [[nodiscard]] std::size_t held() const;
  void find_line();
  void find_latest();

  Duration period_;
  std::array<Arrival, kArrivals> arrivals_{};
  std::size_t arrival_count_ = 0;  ///< count of all arrivals
  Instant arrival_began_;          ///< start of the newest of arrivals_
  Duration line_{};                ///< lateness of the promptest of arrivals_
  Duration latest_{};  ///< lateness within which all but the latest 2 % of arrivals_ are

  std::array<std::uint32_t, kIntervals> intervals_{};  ///< ticks between two views with news
  std::size_t interval_count_ = 0;                     ///< count of all intervals
  Tick newest_;
  bool newest_had_news_ = false;
};

/// The maximum time for which the shown moment continues beyond the newest view.
inline constexpr Duration kExtrapolationMax = std::chrono::milliseconds{250};
/// The maximum delay of the presentation: it does not wait for later views.
inline constexpr Duration kPresentationDelayMax = std::chrono::milliseconds{500};

class PresentationClock {
 public:
  explicit PresentationClock(std::uint32_t ticks_per_second);

  /// Takes the arrival of a view, on the own clock. Requires: views in the order of their ticks.
  void on_view(Tick tick, bool has_news, Instant own);

  [[nodiscard]] bool has_begun() const { return views_ > 0; }

  /// Returns the shown moment, counted from the room's tick 0; 0 before the first view. It never
  /// decreases if the own clock does not.
  [[nodiscard]] Duration moment(Instant own) const;

  /// Returns the time from the arrival of a view as prompt as the promptest recent one, until its
  /// tick is shown.
  [[nodiscard]] Duration delay() const { return lag_ - line_; }

 private:
  [[nodiscard]] Duration wanted_lag() const;
  [[nodiscard]] Duration running(Instant now) const;
  [[nodiscard]] Instant followed(Instant own) const;

  Duration period_;
  Drift drift_{std::chrono::milliseconds{250}};
  Instant heard_;        ///< arrival of the newest view, on the own clock
  Duration followed_{};  ///< at heard_: how far the followed clock is ahead of the own one
  ViewArrivals arrivals_;
  std::uint64_t views_ = 0;  ///< count of all views
  Duration line_{};          ///< line() of arrivals_
  Duration lag_{};     ///< how far the moment that should be shown is behind the followed clock
  Duration behind_{};  ///< at since_: delay of the shown moment behind its target
  Instant since_;      ///< arrival of the newest view, on the followed clock
  Duration first_{};   ///< moment of the first view: nothing earlier is shown
  Duration most_{};    ///< moment at which the clock stops
};

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

// Where the player's view is centred, for a camera.
//
// The server does not send what a view is centred on. A snapshot with bodies in full has the centre
// in whole units, because their places count from it. A view is normally centred on an avatar. So
// the avatar at that centre is followed, and the place itself if there is none. The next snapshot
// with a body in full corrects a wrong choice.

/// The largest distance, in sub-units, from the middle of an avatar to a centre that is on it: the
/// centre is rounded to whole units.
inline constexpr std::int32_t kFocusRounding = kUnit;

class ViewFocus {
 public:
  explicit ViewFocus(Player player) : player_(player) {}

  void on_view(const View& view);

  /// Returns the place to centre on, in sub-units: the middle of the followed avatar as shown, else
  /// the last known place. Nothing before the first view that has one.
  [[nodiscard]] std::optional<Vec2> place(std::span<const PresentedBody> shown) const;

  /// Returns half the extent of the view, in sub-units.
  [[nodiscard]] Vec2 sight() const { return sight_; }

 private:
  struct Followed {
    BodyId id;
    Vec2 half;  ///< of its size
  };

  void choose(const views::Rows& rows, Vec2 centre);
  void find_sight(const views::Rows& rows);

  Player player_;
  std::optional<Followed> followed_;
  std::optional<Vec2> place_;  ///< of the followed avatar in the newest view; else the last known
  Vec2 sight_ = views::kSight;
};

}  // namespace tickbox::client
