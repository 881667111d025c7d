#pragma once
// A value for each slot of a room, all of them reset at once.
//
// A plan needs values for a few bodies of a room that can have thousands. Writing all values before
// each plan would cost more than the plan, so each value has the number of the plan that wrote it.

#include "server/room/body_slots.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

template <class Value>
class SlotTable {
 public:
  /// Makes space for slots below `slots`.
  void resize(std::size_t slots) { entries_.resize(slots); }

  /// Resets all values to the default.  Cost: constant.
  void clear() { ++generation_; }

  /// Returns whether the value was accessed for writing since clear().
  [[nodiscard]] bool contains(SlotId slot) const {
    return entries_[slot].generation == generation_;
  }

  [[nodiscard]] Value& operator[](SlotId slot) {
    Entry& entry = entries_[slot];
    if (entry.generation != generation_) entry = {.generation = generation_, .value = {}};
    return entry.value;
  }

  [[nodiscard]] const Value& operator[](SlotId slot) const {
    return contains(slot) ? entries_[slot].value : kDefault;
  }

 private:
  struct Entry {
    std::uint64_t generation = 0;
    Value value;
  };

  static constexpr Value kDefault{};

  std::uint64_t generation_ = 1;
  std::vector<Entry> entries_;
};

}  // namespace tickbox::server
