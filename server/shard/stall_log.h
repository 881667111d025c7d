#pragma once
// Ticks that were given up after a stall, in the log: at once, and then at most every ten seconds.

#include "core/clock.h"
#include "server/shard/paced_count.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::server {

class StallLog {
 public:
  /// `slipped`: ticks given up since the start. `behind`: how late the tick is that is due now.
  void look(std::uint64_t slipped, Duration behind);

  /// "ticks_slipped count=112 stalled_ms=2000", where there is something to say now. The time is
  /// the sum of all stalls since the line before.
  [[nodiscard]] std::optional<std::string> take(Instant now);

 private:
  std::uint64_t slipped_ = 0;
  PacedCount count_;
  Duration stalled_{};
};

}  // namespace tickbox::server
