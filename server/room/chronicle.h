#pragma once
// What happened in the last ticks, of one kind: by tick, and by life.
//
// Whoever asks for a tick gets it all; whoever asks for a life walks from its newest event back,
// and meets nobody else's: a client sees a few bodies of a room in which thousands do something
// every tick.

#include "core/ids.h"
#include "core/tick_ring.h"
#include "server/room/lives.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {

/// `Event` has a `LifeId life`.
template <class Event>
class Chronicle {
  /// Where an event stands. Nothing stands in tick 0, which a room begins with.
  struct Position {
    Tick tick;
    std::uint32_t index = 0;
  };

 public:
  struct Entry : Event {
    Position before;  ///< the one that the same life had before
  };

  void reserve(std::size_t lives, std::size_t events_per_tick) {
    newest_.reserve(lives);
    ticks_.for_each_slot([&](std::vector<Entry>& events) { events.reserve(events_per_tick); });
  }

  /// Begins a tick, of so many lives; the one of protocol::kTicksRemembered before is forgotten.
  void begin(Tick tick, std::size_t lives) {
    tick_ = tick;
    newest_.resize(lives);
    ticks_.insert(tick).clear();
  }

  /// What is nobody's (kNoLife) is not noted.
  void note(const Event& event) {
    if (event.life == kNoLife) return;
    std::vector<Entry>& events = ticks_.at(tick_);
    Position& newest = newest_[event.life];
    events.push_back({event, newest});
    newest = {.tick = tick_, .index = static_cast<std::uint32_t>(events.size() - 1)};
  }

  /// In the order of note(); nothing of a tick that is not remembered.
  [[nodiscard]] std::span<const Entry> of(Tick tick) const {
    const std::vector<Entry>* events = ticks_.find(tick);
    return events != nullptr ? std::span{*events} : std::span<const Entry>{};
  }

  /// Whether the life has any after `tick`.  Requires: one of the last protocol::kTicksRemembered
  /// ticks.
  [[nodiscard]] bool has_since(LifeId life, Tick tick) const { return newest_[life].tick > tick; }

  /// Calls `visit(tick, event)` for all that the life has after `base`, newest first. (Who had its
  /// number before was gone before any tick that may be asked for.)  Requires: as has_since().
  template <class Visit>
  void visit_since(LifeId life, Tick base, Visit visit) const {
    Position at = newest_[life];
    while (at.tick > base) {
      const Tick tick = at.tick;
      const std::vector<Entry>& events = ticks_.at(tick);
      do {
        const Entry& entry = events[at.index];
        visit(tick, entry);
        at = entry.before;
      } while (at.tick == tick);
    }
  }

 private:
  Tick tick_;
  TickRing<std::vector<Entry>, protocol::kTicksRemembered> ticks_;
  std::vector<Position> newest_;  ///< of each life
};

}  // namespace tickbox::server
