#include "server/host/service_end.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {

ServiceEnd::Change ServiceEnd::update(const Seen& seen, Instant now) {
  const std::optional<Instant> before = drains_to_;
  if (!drains_to_ && (seen.stop_signals > 0 || seen.drain_asked)) {
    drains_to_ = now + drain_time_;
  }
  if (seen.hands_over && !std::exchange(hands_over_, true)) {
    drains_to_ = std::max(*drains_to_, now + kHandOverTime);
  }
  const bool is_over = drains_to_ && (now >= *drains_to_ || seen.seats_held == 0);
  if (seen.stop_signals > 1 || is_over) return Change::HasEnded;
  if (drains_to_ != before) return Change::Drains;
  return is_empty(seen, now) ? Change::IsEmpty : Change::None;
}

/// A server that nobody has joined yet waits for its first client without a limit: it may be one of
/// a fleet that wait for players. Once it is allocated, its time runs.
bool ServiceEnd::is_empty(const Seen& seen, Instant now) {
  const bool is_allocated = std::exchange(allocations_, seen.allocations) != seen.allocations;
  if (seen.clients == 0 && !is_allocated) return was_joined_ && empty_.poll(now);
  was_joined_ = true;
  empty_.restart();
  return false;
}

}  // namespace tickbox::server
