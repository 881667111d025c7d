#pragma once
// A set of slots: a bit for each slot of a match, so that those of thousands stay in the cache.

#include "server/match/body_slots.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

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

}  // namespace tickbox::server
