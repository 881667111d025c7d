#pragma once
// Which ticks are due: absolute deadlines that never drift, a bounded number caught up, the rest
// announced as slipped.

#include "core/clock.h"

#include <cstdint>
#include <limits>

namespace tickbox::server {

class TickPacer {
 public:
  /// After a stall of up to this many ticks the world catches up; what is beyond is slipped time.
  /// An eighth of a second at 60 Hz: longer bursts would make every client's inputs late at once.
  static constexpr std::int64_t kCatchUpMax = 8;

  /// Of a server that ticks until it is stopped.
  static constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

  /// The first tick is due one period after `start`.   Requires: ticks_per_second > 0.
  TickPacer(Instant start, std::uint32_t ticks_per_second);

  /// When the next tick is due.
  [[nodiscard]] Instant next() const { return deadline(ticks_ + 1); }

  /// Ticks to run now, 0 to kCatchUpMax, and no more than are `left` to run at all. Those due
  /// beyond kCatchUpMax are slipped: their deadlines move to the future.
  [[nodiscard]] std::int64_t due(Instant now, std::uint64_t left = kNoEnd);

  /// Says that the tick of next() has been run.
  void ran() { ++ticks_; }

  [[nodiscard]] std::uint64_t slipped() const { return slipped_; }

 private:
  /// Exact at any rate: whole seconds and the rest of a second apart.
  [[nodiscard]] Instant deadline(std::int64_t tick) const;

  Instant start_;
  std::int64_t rate_;
  std::int64_t ticks_ = 0;
  std::uint64_t slipped_ = 0;
};

}  // namespace tickbox::server
