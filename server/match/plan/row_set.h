#pragma once
// Rows of a world, put in order. The rows are in the order of their ids, so this sorts bodies by id
// without comparing them.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

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
