#pragma once
// The events that the server sends, delivered once each and in order.

#include "core/ids.h"
#include "protocol/snapshot.h"

#include <cstdint>

namespace tickbox::client {

/// An event of the match, other than the movement of bodies.
struct MatchEvent {
  /// The tick of the event; a later tick if the event arrived more than 255 ticks after it.
  Tick tick;
  protocol::EventKind kind = protocol::EventKind::Hit;
  PlayerId subject;
  std::uint16_t what = 0;  ///< meaning depends on the kind: see protocol::EventKind

  friend bool operator==(const MatchEvent&, const MatchEvent&) = default;
};

class EventInbox {
 public:
  /// Calls `take` for the event with the next number and for those that directly follow it. Skips
  /// repeats, and events that arrive too early: the server sends those again. `tick`: the
  /// snapshot's.
  template <class Take>
  void receive(const protocol::Snapshot& snapshot, Tick tick, Take&& take) {
    for (const protocol::Event& event : snapshot.events) {
      if (event.number != static_cast<std::uint16_t>(newest_ + 1)) continue;
      newest_ = event.number;
      const std::uint32_t ago = event.ago < tick.value ? event.ago : tick.value;
      take(MatchEvent{.tick = {tick.value - ago},
                      .kind = event.kind,
                      .subject = event.subject,
                      .what = event.what});
    }
  }

  /// Returns the number of the newest event taken, after all before it; 0: none yet.
  [[nodiscard]] std::uint16_t newest() const { return newest_; }

 private:
  std::uint16_t newest_ = 0;
};

}  // namespace tickbox::client
