#include "server/shard/tick_pacer.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::server {

TickPacer::TickPacer(Instant start, std::uint32_t ticks_per_second)
    : start_(start), rate_(ticks_per_second) {
  TICKBOX_ASSERT(ticks_per_second > 0);
}

Instant TickPacer::deadline(std::int64_t tick) const {
  return start_ + std::chrono::seconds{tick / rate_} +
         Duration{tick % rate_ * 1'000'000'000 / rate_};
}

std::int64_t TickPacer::due(Instant now, std::uint64_t left) {
  behind_ = std::max(Duration::zero(), now - next());
  std::int64_t ticks = 0;
  while (ticks < kCatchUpMax && deadline(ticks_ + ticks + 1) <= now) {
    ++ticks;
  }
  const Duration behind = now - deadline(ticks_ + ticks + 1);
  if (ticks == kCatchUpMax && behind >= Duration::zero()) {
    const std::int64_t beyond =
        behind.count() / tick_duration(static_cast<std::uint32_t>(rate_)).count() + 1;
    slipped_ += static_cast<std::uint64_t>(beyond);
    start_ += Duration{beyond * 1'000'000'000 / rate_};
  }
  return left < static_cast<std::uint64_t>(ticks) ? static_cast<std::int64_t>(left) : ticks;
}

}  // namespace tickbox::server
