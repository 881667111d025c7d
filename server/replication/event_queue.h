#pragma once
// Events that a client has not acknowledged yet: sent in order, and sent again if they were lost.
//
// An event is in one snapshot, and in no other until it is probably lost. It counts as lost if the
// client acknowledges the view of that snapshot or of a later one, but not the event. It also
// counts as lost if the client acknowledges nothing for some ticks. Then it and all later events
// are sent again. The client accepts only the event with the next number, so it takes each event
// once.

#include "core/ids.h"
#include "core/inplace_vector.h"
#include "protocol/snapshot.h"

#include <cstddef>
#include <cstdint>

namespace tickbox::server {

/// The most events that wait for one client; events beyond this number are never sent.
inline constexpr std::size_t kEventsWaitingMax = 128;

class EventQueue {
 public:
  EventQueue() = default;

  /// `repeat_ticks`: events are sent again after this many ticks without an acknowledgement.
  explicit EventQueue(std::uint32_t repeat_ticks) : repeat_ticks_(repeat_ticks) {}

  /// Adds an event of `tick`; the queue sets its number and age. Returns false if too many wait.
  bool add(Tick tick, const protocol::Event& event);

  /// Takes an acknowledgement: the client has all events up to `number`, and the view of
  /// `newest_snapshot`. Ignores the number of an event that was never sent.
  void acknowledge(std::uint16_t number, Tick newest_snapshot);

  /// Returns how many events are due in a snapshot of tick `now`.
  [[nodiscard]] std::size_t due(Tick now);

  /// Writes the first `count` due events to the snapshot of tick `now`. Requires: count ≤
  /// due(now); `events` has space for them.
  void tell(Tick now, std::size_t count, protocol::Events& events);

 private:
  struct Waiting {
    protocol::Event event;
    Tick happened;
    Tick sent;  ///< the tick of the last snapshot that had it
  };

  std::uint32_t repeat_ticks_ = 1;
  std::uint16_t acknowledged_ = 0;                     ///< number of the last acknowledged event
  InplaceVector<Waiting, kEventsWaitingMax> waiting_;  ///< by number
  std::size_t sent_ = 0;                               ///< number of events that have been sent
  std::size_t in_transit_ = 0;  ///< number of sent events that can still arrive; others are due
};

}  // namespace tickbox::server
