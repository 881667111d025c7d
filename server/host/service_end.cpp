#include "server/host/service_end.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {

ServiceEnd::Change ServiceEnd::update(const Seen& seen, Instant now) {
  const bool begins = !drains_to_ && (seen.stop_signals > 0 || seen.drain_asked);
  const Duration least = seen.hands_over ? kHandOverTime : Duration{};
  if (begins) drains_to_ = now + std::max(limits_.drain_time, least);
  const bool is_over = drains_to_ && (now >= *drains_to_ || seen.seats_held == 0);
  if (seen.stop_signals > 1 || is_over) return Change::HasEnded;
  if (begins) return Change::Drains;
  return is_empty(seen, now) ? Change::IsEmpty : Change::None;
}

/// A server that nobody has joined yet waits for its first client without a limit: it may be one of
/// a fleet that wait for players. Once it is allocated, its time runs.
bool ServiceEnd::is_empty(const Seen& seen, Instant now) {
  if (limits_.exit_when_empty == Duration::zero()) return false;
  const bool is_allocated = std::exchange(allocations_, seen.allocations) != seen.allocations;
  if (seen.clients > 0 || is_allocated) {
    was_joined_ = true;
    empty_since_.reset();
  } else if (was_joined_ && !empty_since_) {
    empty_since_ = now;
  }
  return empty_since_ && now - *empty_since_ >= limits_.exit_when_empty;
}

}  // namespace tickbox::server
