#pragma once
// Events that a client has not acknowledged yet: told in order, and again when they were lost.
//
// An event travels in one snapshot, and in no other until there is reason to think that it did not
// arrive: the client holds the view of that snapshot or of a later one and does not acknowledge the
// event, or has said nothing for long. Then it and all after it are told again. The client takes
// the next by number only, so each comes once.

#include "core/bounded.h"
#include "core/ids.h"
#include "protocol/snapshot.h"

#include <cstddef>
#include <cstdint>

namespace tickbox::server {

/// Events that wait for one client at most; those beyond are never told.
inline constexpr std::size_t kEventsWaitingMax = 128;

class EventQueue {
 public:
  EventQueue() = default;

  /// `repeat_ticks`: without any word from the client, events are told again after so long.
  explicit EventQueue(std::uint32_t repeat_ticks) : repeat_ticks_(repeat_ticks) {}

  /// Adds an event of `tick`; its number and age are given here.  False: too many wait.
  bool add(Tick tick, const protocol::Event& event);

  /// The client has all up to `number`, and holds the view of `newest_snapshot`. Whoever
  /// acknowledges what was never told changes nothing.
  void acknowledge(std::uint16_t number, Tick newest_snapshot);

  /// How many a snapshot of tick `now` must tell.
  [[nodiscard]] std::size_t due(Tick now);

  /// Tells `count` of them in the snapshot of tick `now`.  Requires: count ≤ due(now), and fits.
  void tell(Tick now, std::size_t count, protocol::Events& events);

 private:
  struct Waiting {
    protocol::Event event;
    Tick happened;
    Tick told;  ///< in the snapshot of that tick, the last time
  };

  std::uint32_t repeat_ticks_ = 1;
  std::uint16_t acknowledged_ = 0;  ///< number of the last event that is not among those that wait
  BoundedVector<Waiting, kEventsWaitingMax> waiting_;  ///< by number
  std::size_t told_ = 0;                               ///< so many of them have been told
  std::size_t hoped_ = 0;  ///< so many of those may still arrive; the others are told again
};

}  // namespace tickbox::server
