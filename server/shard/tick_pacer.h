#pragma once
// Decides which ticks are due. Absolute deadlines never drift; a bounded number of late ticks is
// caught up, and the rest is reported as slipped.

#include "core/clock.h"

#include <cstdint>
#include <limits>

namespace tickbox::server {

class TickPacer {
 public:
  /// The most ticks that the world catches up after a stall; time beyond is slipped. An eighth of a
  /// second at 60 Hz: longer bursts would make every client's inputs late at once.
  static constexpr std::int64_t kCatchUpMax = 8;

  /// The value of `left` for a server that ticks until it is stopped.
  static constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

  /// The first tick is due one period after `start`. Requires: ticks_per_second > 0.
  TickPacer(Instant start, std::uint32_t ticks_per_second);

  /// Returns when the next tick is due.
  [[nodiscard]] Instant next() const { return deadline(ticks_ + 1); }

  /// Returns the ticks to run now, 0 to kCatchUpMax, and at most `left`. Ticks due beyond
  /// kCatchUpMax are slipped: their deadlines move to the future.
  [[nodiscard]] std::int64_t due(Instant now, std::uint64_t left = kNoEnd);

  /// Records that the tick of next() has been run.
  void ran() { ++ticks_; }

  [[nodiscard]] std::uint64_t slipped() const { return slipped_; }

  /// Returns how late the first tick of the last due() was, before a stall moved its deadline; 0 if
  /// none was due.
  [[nodiscard]] Duration behind() const { return behind_; }

 private:
  /// Returns a deadline that is exact at any rate: whole seconds are computed apart from the rest.
  [[nodiscard]] Instant deadline(std::int64_t tick) const;

  Instant start_;
  std::int64_t rate_;
  std::int64_t ticks_ = 0;
  std::uint64_t slipped_ = 0;
  Duration behind_{};
};

}  // namespace tickbox::server
