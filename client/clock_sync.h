#pragma once
// When the client's ticks are due: so far ahead of the server's that its inputs arrive in time, and
// no further.
//
// Every snapshot tells how long before its use the newest input had arrived (the margin). The
// margins of the last two seconds show how unsteady the way is: the clock aims at one where all but
// 2 % of them still leave one tick to spare. It gets there by running a little faster or slower,
// which nobody sees, and only a large error makes it jump. An input that came too late all the same
// asks for one tick more for a while: lost packets do not show in margins.

#include "core/clock.h"
#include "core/ids.h"

#include <array>
#include <cstdint>

namespace tickbox::client {

class ClockSync {
 public:
  /// `server_tick`: of the room when its answer was made; `round_trip`: of that answer.
  ClockSync(std::uint32_t ticks_per_second, Tick server_tick, Duration round_trip, Instant now);

  /// The next tick to run, and when.
  [[nodiscard]] Tick next() const { return next_; }

  [[nodiscard]] Instant next_due() const { return next_due_; }

  /// Says that the tick of next() has been run.
  void ran();

  /// How far this clock has been moved ahead so far. Goes with each packet sent, and comes back
  /// with its margin.
  [[nodiscard]] Duration moved() const { return moved_; }

  /// A margin that the server measured, in 1/16 ticks, for a packet sent when moved() was
  /// `moved_then`.
  void on_margin(std::int32_t sixteenths, Duration moved_then);

  /// The server had to make up an input, or got one late.
  void on_missed();

 private:
  static constexpr std::size_t kMargins = 128;

  [[nodiscard]] Duration worst_margin() const;
  void jump(Duration ahead);

  Duration period_;
  Tick next_;
  Instant next_due_;
  Duration moved_{};
  std::int32_t speed_per_mille_ = 1'000;
  Duration extra_{};  ///< beyond one tick of margin, after misses
  std::uint32_t ticks_since_miss_ = 0;
  std::array<Duration, kMargins> margins_{};  ///< as they would be had the clock never moved
  std::size_t margin_count_ = 0;              ///< ever
};

}  // namespace tickbox::client
