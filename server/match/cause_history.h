#pragma once
// The causes of the last ticks, found by tick or by the body that they act on.

#include "core/ids.h"
#include "core/tick_ring.h"
#include "protocol/history_depths.h"
#include "server/match/body_slots.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {

/// The causes of one kind in the last ticks, found by tick or by slot. `Cause` has a member `SlotId
/// slot`.
///
/// A query by tick returns all causes of the tick. A query by slot walks back from the newest cause
/// of that slot and visits no other slot's causes: a client sees a few bodies of a room in which
/// thousands act in every tick.
template <class Cause>
class CauseHistory {
  /// The position of a cause. No cause is in tick 0, which a room begins with.
  struct Position {
    Tick tick;
    std::uint32_t index = 0;
  };

 public:
  struct Entry : Cause {
    Position before;  ///< the previous cause of the same slot
  };

  void reserve_slots(std::size_t slots) { newest_.reserve(slots); }

  void reserve_causes(std::size_t per_tick) {
    ticks_.for_each_slot([&](std::vector<Entry>& causes) { causes.reserve(per_tick); });
  }

  /// Begins a tick with this number of slots; replaces the tick protocol::kTicksRemembered before.
  void begin(Tick tick, std::size_t slots) {
    tick_ = tick;
    newest_.resize(slots);
    ticks_.insert(tick).clear();
  }

  /// Adds a cause to the current tick. Ignores a cause without a slot (kNoSlot).
  void add(const Cause& cause) {
    if (cause.slot == kNoSlot) return;
    std::vector<Entry>& causes = ticks_.at(tick_);
    Position& newest = newest_[cause.slot];
    causes.push_back({cause, newest});
    newest = {.tick = tick_, .index = static_cast<std::uint32_t>(causes.size() - 1)};
  }

  /// Returns the causes of a tick in the order of add(); none if the tick is not remembered.
  [[nodiscard]] std::span<const Entry> causes_of(Tick tick) const {
    const std::vector<Entry>* causes = ticks_.find(tick);
    return causes != nullptr ? std::span{*causes} : std::span<const Entry>{};
  }

  /// Returns whether the slot has a cause after `tick`. Requires: one of the last
  /// protocol::kTicksRemembered ticks.
  [[nodiscard]] bool has_since(SlotId slot, Tick tick) const { return newest_[slot].tick > tick; }

  /// Calls `visit(tick, cause)` for the causes of the slot after `base`, newest first, while it
  /// returns true. (The previous body in this slot despawned before any tick that may be passed.)
  /// Returns whether all were visited. Requires: as has_since().
  template <class Visit>
  bool visit_since(SlotId slot, Tick base, Visit visit) const {
    Position at = newest_[slot];
    while (at.tick > base) {
      const Tick tick = at.tick;
      const std::vector<Entry>& causes = ticks_.at(tick);
      do {
        const Entry& entry = causes[at.index];
        if (!visit(tick, entry)) return false;
        at = entry.before;
      } while (at.tick == tick);
    }
    return true;
  }

 private:
  Tick tick_;
  TickRing<std::vector<Entry>, protocol::kTicksRemembered> ticks_;
  std::vector<Position> newest_;  ///< the newest cause of each slot
};

}  // namespace tickbox::server
