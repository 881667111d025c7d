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

#include "client/presentation/view_arrivals.h"
#include "core/clock.h"
#include "core/ids.h"

#include <cstdint>

namespace tickbox::client {

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
