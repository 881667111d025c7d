#pragma once
// A value for each slot of a match, of which few are in use.

#include "server/match/body_slots.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

/// A plan needs the values of a few bodies among thousands, so each value has the number of the
/// plan that wrote it, and a reset costs nothing.
template <class Value>
class SlotTable {
 public:
  /// Makes space for slots below `slots`, and keeps what there is.
  void grow(std::size_t slots) {
    if (entries_.size() < slots) entries_.resize(slots);
  }

  /// Resets all values to the default. Cost: constant.
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
