#pragma once
// Which moment of the match the picture shows: so long ago that nearly always the views on both
// sides of it have arrived, and no longer.
//
// The delay is two intervals between views, or one and a half and the jitter of their arrivals,
// whichever is more. It is raised at once when views come later than they did, and lowered slowly
// when they no longer do. The moment shown never goes back and hardly ever jumps: it runs a tenth
// faster or slower until it is where the delay wants it. Between two views it is a function of time
// alone, so it does not matter how often somebody looks.
//
// Where views stay away, it goes on beyond the newest for a quarter of a second, then stands still.
// While there is no news a server keeps silent for less than that.

#include "core/clock.h"
#include "core/ids.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tickbox::client {

/// How steadily views arrive: how often, and how late against the ticks they show.
///
/// A view of tick t that arrives at a moment a is late by a − t ticks of time, up to a constant
/// that nobody knows and nobody needs: the promptest of the recent views is the line that the
/// others are late by. What a picture needs is the latest of views that come together, as before it
/// there was nothing newer; so a burst after a hiccup is one late arrival, not twenty, and one
/// alone decides nothing.
class ViewArrivals {
 public:
  explicit ViewArrivals(std::uint32_t ticks_per_second);

  /// `has_news`: the view came because there was something to tell. Only between two such views
  /// do ticks say how often a server sends; with no news it keeps silent for a while.
  void add(Tick tick, bool has_news, Instant now);

  /// From tick 0 on the server to tick 0 on this clock, as the promptest recent view has it: its
  /// link's least delay is in it.  Requires: one was added.
  [[nodiscard]] Duration line() const;

  /// What all but the latest 2 % of arrivals keep within, from line().  Requires: one was added.
  [[nodiscard]] Duration jitter() const;

  /// Between the ticks of views while there is news: one tick until more is known.
  [[nodiscard]] Duration interval() const;

 private:
  /// Arrivals remembered: two seconds of them, and enough at 10 a second to know the latest 2 %.
  static constexpr std::size_t kArrivals = 128;

  /// Intervals remembered. Lost and quiet views make some longer, so the shortest tells; none is
  /// longer than this many are in a row.
  static constexpr std::size_t kIntervals = 32;

  /// Views that arrived together.
  struct Arrival {
    Duration promptest{};
    Duration latest{};
  };

  [[nodiscard]] std::size_t held() const;
  void look_for_line();
  void look_for_latest();

  Duration period_;
  std::array<Arrival, kArrivals> arrivals_{};
  std::size_t arrival_count_ = 0;  ///< ever
  Instant arrival_began_;          ///< the newest of arrivals_
  Duration line_{};                ///< the promptest of arrivals_
  Duration latest_{};              ///< of all but the latest 2 % of arrivals_

  std::array<std::uint32_t, kIntervals> intervals_{};  ///< ticks
  std::size_t interval_count_ = 0;                     ///< ever
  Tick newest_;
  bool newest_had_news_ = false;
};

/// How far beyond the newest view the picture goes.
inline constexpr Duration kExtrapolationMax = std::chrono::milliseconds{250};
/// Views that come later than this are not waited for.
inline constexpr Duration kPictureDelayMax = std::chrono::milliseconds{500};

class PictureClock {
 public:
  explicit PictureClock(std::uint32_t ticks_per_second);

  /// Requires: views in the order of their ticks.
  void on_view(Tick tick, bool has_news, Instant now);

  [[nodiscard]] bool has_begun() const { return views_ > 0; }

  /// The moment shown, since tick 0 of the room; 0 before the first view. Never less than it was,
  /// for moments that never go back.
  [[nodiscard]] Duration moment(Instant now) const;

  /// From when a view arrives that came as promptly as any of late, until its tick is shown.
  [[nodiscard]] Duration delay() const { return lag_ - line_; }

 private:
  [[nodiscard]] Duration wanted_lag() const;
  [[nodiscard]] Duration running(Instant now) const;

  Duration period_;
  ViewArrivals arrivals_;
  std::uint64_t views_ = 0;  ///< ever
  Duration line_{};          ///< of the arrivals
  Duration lag_{};           ///< from the moment that should be shown to this clock
  Duration behind_{};        ///< at since_: how far what is shown was behind what should be
  Instant since_;            ///< the newest view came
  Duration first_{};         ///< of the first view: nothing before it is shown
  Duration most_{};          ///< where it stands still
};

}  // namespace tickbox::client
