#pragma once
// The events that the server sends, delivered once each and in order.

#include "core/ids.h"
#include "views/events.h"

#include <cstddef>
#include <cstdint>

namespace tickbox::client {

class EventInbox {
 public:
  /// Calls visit(tick, event) for the event with the next number and for those that directly
  /// follow it. Skips repeats, and events that arrive too early: the server sends those again.
  /// `tick`: the snapshot's; visit() gets that of the event, or a later one if it arrived more than
  /// 255 ticks after it.
  template <class Visit>
  void receive(const GameTable& game, const views::ReceivedEvents& received, Tick tick,
               Visit visit) {
    for (std::size_t i = 0; i < received.events.size(); ++i) {
      const views::ReceivedEvent& event = received.events[i];
      if (event.number != static_cast<std::uint16_t>(newest_ + 1)) continue;
      newest_ = event.number;
      const std::uint32_t age = event.age < tick.value ? event.age : tick.value;
      visit(Tick{tick.value - age}, received.event(game, i));
    }
  }

  /// Returns the number of the newest event taken, after all before it; 0: none yet.
  [[nodiscard]] std::uint16_t newest() const { return newest_; }

 private:
  std::uint16_t newest_ = 0;
};

}  // namespace tickbox::client
