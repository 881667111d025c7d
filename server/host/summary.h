#pragma once
// The line that the server logs every ten seconds, so that a log alone tells how it went.

#include "core/clock.h"
#include "core/histogram.h"
#include "server/shard/metrics.h"

#include <string>

namespace tickbox::server {

inline constexpr Duration kSummaryInterval = std::chrono::seconds{10};

class Summary {
 public:
  explicit Summary(Instant start) : since_(start) {}

  /// A tick took this long, in nanoseconds.
  void add_tick(std::uint64_t nanoseconds) { ticks_.add(nanoseconds); }

  [[nodiscard]] bool due(Instant now) const { return now - since_ >= kSummaryInterval; }

  /// The line for the time since the last one; starts anew.
  [[nodiscard]] std::string take(const Metrics& metrics, Instant now);

 private:
  Instant since_;
  Histogram ticks_;
  Traffic before_;
  std::uint64_t drops_before_ = 0;
};

}  // namespace tickbox::server
