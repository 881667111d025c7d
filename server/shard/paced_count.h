#pragma once
// A count that the log gives at once, and from then on now and then.

#include "core/clock.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace tickbox::server {

/// Between two lines about the same thing.
inline constexpr Duration kCountInterval = std::chrono::seconds{10};

class PacedCount {
 public:
  void add(std::uint64_t count) { count_ += count; }

  /// What was added since the last line, for a line to be written now.  Returns 0 where there is
  /// nothing to say, or it is too early for another line.
  [[nodiscard]] std::uint64_t take(Instant now) {
    if (count_ == 0 || (said_ && now - *said_ < kCountInterval)) return 0;
    said_ = now;
    return std::exchange(count_, 0);
  }

 private:
  std::uint64_t count_ = 0;
  std::optional<Instant> said_;
};

}  // namespace tickbox::server
