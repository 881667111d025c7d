#pragma once
// Counts of values up to fixed bounds, as a histogram of Prometheus has them: a few words each,
// where core/histogram.h takes 18 KB.

#include <array>
#include <cstddef>
#include <cstdint>

namespace tickbox::server {

/// `kBounds`: an ascending std::array of std::int64_t.
template <const auto& kBounds>
class BucketCounts {
 public:
  void add(std::int64_t value) {
    std::size_t bucket = 0;
    while (bucket < kBounds.size() && value > kBounds[bucket]) {
      ++bucket;
    }
    ++counts_[bucket];
    sum_ += value;
  }

  [[nodiscard]] static constexpr const auto& bounds() { return kBounds; }

  /// Of each bound's own bucket, not of those below it; the last is of what is beyond all bounds.
  [[nodiscard]] const auto& counts() const { return counts_; }

  [[nodiscard]] std::int64_t sum() const { return sum_; }

 private:
  std::array<std::uint64_t, kBounds.size() + 1> counts_{};
  std::int64_t sum_ = 0;
};

}  // namespace tickbox::server
