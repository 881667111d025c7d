#include "server/shard/stall_log.h"

#include <fmt/core.h>

#include <utility>

namespace tickbox::server {

void StallLog::look(std::uint64_t slipped, Duration behind) {
  const std::uint64_t more = slipped - std::exchange(slipped_, slipped);
  if (more == 0) return;
  count_.add(more);
  stalled_ += behind;
}

std::optional<std::string> StallLog::take(Instant now) {
  const std::uint64_t count = count_.take(now);
  if (count == 0) return std::nullopt;
  const Duration stalled = std::exchange(stalled_, Duration{});
  return fmt::format("ticks_slipped count={} stalled_ms={}", count,
                     std::chrono::duration_cast<std::chrono::milliseconds>(stalled).count());
}

}  // namespace tickbox::server
