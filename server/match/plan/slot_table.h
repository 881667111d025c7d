#pragma once
// What plans keep of bodies from plan to plan: values by slot, and sets of slots and of rows.

#include "server/match/body_slots.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

/// A value for each slot of a match, of which few are in use.
///
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

/// A set of slots: a bit for each slot of a match, so that those of thousands stay in the cache.
class SlotSet {
 public:
  /// Makes space for slots below `slots`.
  void grow(std::size_t slots) {
    const std::size_t words = (slots + kBits - 1) / kBits;
    if (words_.size() < words) words_.resize(words);
  }

  /// Cost: one step for each 64 slots.
  void clear() { std::ranges::fill(words_, 0); }

  void add(SlotId slot) { words_[slot / kBits] |= std::uint64_t{1} << slot % kBits; }

  [[nodiscard]] bool contains(SlotId slot) const {
    return (words_[slot / kBits] >> slot % kBits & 1U) != 0;
  }

 private:
  static constexpr std::size_t kBits = 64;

  std::vector<std::uint64_t> words_;
};

/// Rows of a world, put in order. The rows are in the order of their ids, so this sorts bodies by
/// id without comparing them.
class RowSet {
 public:
  /// Makes space for rows below `rows`. Requires: empty.
  void resize(std::size_t rows) { words_.resize((rows + kBits - 1) / kBits); }

  void add(std::uint32_t row) { words_[row / kBits] |= std::uint64_t{1} << row % kBits; }

  /// Removes all rows and calls visit(row) for each, ascending.
  /// Cost: linear in them, and one step for each 64 rows of the world.
  template <class Visit>
  void pop_all(Visit visit) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        visit(static_cast<std::uint32_t>(i * kBits) +
              static_cast<std::uint32_t>(std::countr_zero(word)));
      }
      words_[i] = 0;
    }
  }

 private:
  static constexpr std::uint32_t kBits = 64;

  std::vector<std::uint64_t> words_;
};

}  // namespace tickbox::server
