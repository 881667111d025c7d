#pragma once
// A histogram to which several clients add. Each of them knows the number and the sum of its own
// values: a histogram of 18 KB for each of thousands of clients would be most of their memory.

#include "core/histogram.h"

#include <cstdint>

namespace tickbox::client {

/// The number and the sum of some values.
struct ValueTotal {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;

  void add_all(const ValueTotal& other) {
    count += other.count;
    sum += other.sum;
  }
};

class SharedHistogram {
 public:
  /// Borrows `all`.
  explicit SharedHistogram(Histogram& all) : all_(all) {}

  /// Adds a value that counts `weight` times.
  void add(std::uint64_t value, std::uint64_t weight = 1) {
    all_.add(value, weight);
    own_.count += weight;
    own_.sum += value * weight;
  }

  /// Returns the total of the values that were added here.
  [[nodiscard]] const ValueTotal& own() const { return own_; }

 private:
  Histogram& all_;
  ValueTotal own_;
};

}  // namespace tickbox::client
