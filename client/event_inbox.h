#pragma once
// Events as the server tells them, each once and in order.

#include "core/ids.h"
#include "protocol/snapshot.h"

#include <cstdint>

namespace tickbox::client {

/// Something that happened in the match beside the movement of bodies.
struct MatchEvent {
  Tick tick;  ///< when it happened; of one that took longer to be told than 255 ticks, later
  protocol::EventKind kind = protocol::EventKind::Hit;
  PlayerId subject;
  std::uint16_t what = 0;  ///< as protocol::EventKind says

  friend bool operator==(const MatchEvent&, const MatchEvent&) = default;
};

class EventInbox {
 public:
  /// Hands what is next by number, and what follows it, to `take`; what came before, or comes too
  /// early, is left for the server to tell again. `tick`: the snapshot's.
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

  /// Number of the newest that has come, with all before it; 0: none yet.
  [[nodiscard]] std::uint16_t newest() const { return newest_; }

 private:
  std::uint16_t newest_ = 0;
};

}  // namespace tickbox::client
