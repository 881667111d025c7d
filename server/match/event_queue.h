#pragma once
// Events that a client has not acknowledged yet: sent in order, and sent again if they were lost.
//
// An event is in one snapshot, and in no other until it is probably lost. It counts as lost if the
// client acknowledges the view of that snapshot or of a later one, but not the event. It also
// counts as lost if the client does not acknowledge it for some ticks. Then the event and all later
// ones are sent again. The client accepts only the event with the next number, so it takes each
// event once.

#include "core/bytes.h"
#include "core/ids.h"
#include "views/events.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

/// The most events that wait for one client; events beyond this number are never sent.
inline constexpr std::size_t kEventsWaitingMax = 128;

class EventQueue {
 public:
  /// `repeat_ticks`: events are sent again after this many ticks without an acknowledgement.
  explicit EventQueue(std::uint32_t repeat_ticks);

  /// Adds an event of `tick`: `bits` bits from bit `first` of `bytes`, as views::write_event()
  /// writes it. Returns false if too many wait.
  bool add(Tick tick, ConstBytes bytes, std::size_t first, std::size_t bits);

  /// Receives an acknowledgement: the client has all events up to `number`, and the view of
  /// `newest_snapshot`. Ignores the number of an event that was never sent.
  void acknowledge(std::uint16_t number, Tick newest_snapshot);

  /// Events for a snapshot.
  struct Due {
    std::size_t count = 0;
    std::size_t bytes = 0;  ///< of their list
  };

  /// Returns which events a snapshot of tick `now` should have: at most views::kSnapshotEventsMax,
  /// in at most `bytes_max` bytes.
  [[nodiscard]] Due due(Tick now, std::size_t bytes_max);

  /// Writes the first `count` due events to the snapshot of tick `now`, as a whole list; nothing
  /// for no events. Requires: count ≤ due(now).count.
  void write(Tick now, std::size_t count, std::vector<std::byte>& out);

 private:
  struct Waiting {
    Tick happened;
    Tick sent;  ///< the tick of the last snapshot that had it
    std::uint32_t bits = 0;
    std::uint32_t first = 0;  ///< its first byte in bytes_
  };

  void remove_first(std::size_t events);

  std::uint32_t repeat_ticks_;
  std::uint16_t acknowledged_ = 0;  ///< number of the last acknowledged event
  std::vector<Waiting> waiting_;    ///< by number
  std::vector<std::byte> bytes_;    ///< of all, one after another
  std::size_t sent_ = 0;            ///< events that have been sent
  std::size_t in_transit_ = 0;      ///< of them, those that can still arrive; others are due
};

}  // namespace tickbox::server
