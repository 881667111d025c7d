#pragma once
// A binary search without branches: in a list of some hundred ids, a processor guesses every second
// branch of std::lower_bound() wrong.

#include <cstddef>
#include <functional>
#include <span>

namespace tickbox {

/// Returns the index of the first value that is not before `sought`, or the number of values.
/// Requires: sorted by `key_of`.
template <class Value, class Key, class KeyOf = std::identity>
[[nodiscard]] std::size_t first_not_before(std::span<const Value> values, const Key& sought,
                                           KeyOf key_of = {}) {
  if (values.empty()) return 0;
  const Value* first = values.data();
  for (std::size_t left = values.size(); left > 1;) {
    const std::size_t half = left / 2;
    first += std::invoke(key_of, first[half - 1]) < sought ? half : 0;
    left -= half;
  }
  const std::size_t behind = std::invoke(key_of, *first) < sought ? 1 : 0;
  return static_cast<std::size_t>(first - values.data()) + behind;
}

}  // namespace tickbox
