#pragma once
// The events of one kind in the last ticks, found by tick or by life.
//
// A query by tick returns all events of the tick. A query by life walks back from the newest event
// of that life and visits no other life's events. A client sees a few bodies of a room in which
// thousands act in every tick.

#include "core/ids.h"
#include "core/tick_ring.h"
#include "server/room/body_slots.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {

/// `Event` has a member `LifeId life`.
template <class Event>
class Chronicle {
  /// The place of an event. No event is in tick 0, which a room begins with.
  struct Position {
    Tick tick;
    std::uint32_t index = 0;
  };

 public:
  struct Entry : Event {
    Position before;  ///< the previous event of the same life
  };

  void reserve(std::size_t lives, std::size_t events_per_tick) {
    newest_.reserve(lives);
    ticks_.for_each_slot([&](std::vector<Entry>& events) { events.reserve(events_per_tick); });
  }

  /// Begins a tick with this number of lives; replaces the tick protocol::kTicksRemembered before.
  void begin(Tick tick, std::size_t lives) {
    tick_ = tick;
    newest_.resize(lives);
    ticks_.insert(tick).clear();
  }

  /// Adds an event to the current tick. Ignores an event without a life (kNoLife).
  void note(const Event& event) {
    if (event.life == kNoLife) return;
    std::vector<Entry>& events = ticks_.at(tick_);
    Position& newest = newest_[event.life];
    events.push_back({event, newest});
    newest = {.tick = tick_, .index = static_cast<std::uint32_t>(events.size() - 1)};
  }

  /// Returns the events of a tick in the order of note(); none if the tick is not remembered.
  [[nodiscard]] std::span<const Entry> of(Tick tick) const {
    const std::vector<Entry>* events = ticks_.find(tick);
    return events != nullptr ? std::span{*events} : std::span<const Entry>{};
  }

  /// Returns whether the life has an event after `tick`.  Requires: one of the last
  /// protocol::kTicksRemembered ticks.
  [[nodiscard]] bool has_since(LifeId life, Tick tick) const { return newest_[life].tick > tick; }

  /// Calls `visit(tick, event)` for all events of the life after `base`, newest first. (The
  /// previous body with this number was gone before any tick that may be passed.)  Requires: as
  /// has_since().
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
  std::vector<Position> newest_;  ///< the newest event of each life
};

}  // namespace tickbox::server
