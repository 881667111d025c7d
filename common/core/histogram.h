#pragma once
// Counts values by size in fixed memory; a quantile below 2^40 is accurate to 1.6 %.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tickbox {

/// A histogram that counts values below 128 exactly, and larger values in 64 buckets per power of
/// two.
/// Source: the log-linear layout of HdrHistogram (Tene).
class Histogram {
 public:
  /// The number of buckets. Values from 2^40 on (12 days in microseconds) count in the last one.
  static constexpr std::size_t kBuckets = 128 + 33 * 64;

  /// Adds a value that counts `weight` times.
  void add(std::uint64_t value, std::uint64_t weight = 1) {
    counts_[bucket_of(value)] += weight;
    total_ += weight;
    sum_ += value * weight;
  }

  void add_all(const Histogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      counts_[i] += other.counts_[i];
    }
    total_ += other.total_;
    sum_ += other.sum_;
  }

  /// Returns the values that were added since `before`, an earlier state of this histogram. A value
  /// that was replaced by a larger one since, as that of an open wait, counts as the larger one.
  [[nodiscard]] Histogram added_since(const Histogram& before) const {
    Histogram added;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      if (counts_[i] > before.counts_[i]) added.counts_[i] = counts_[i] - before.counts_[i];
      added.total_ += added.counts_[i];
    }
    if (sum_ > before.sum_) added.sum_ = sum_ - before.sum_;
    return added;
  }

  [[nodiscard]] std::uint64_t count() const { return total_; }

  [[nodiscard]] std::uint64_t sum() const { return sum_; }

  /// Returns the smallest value that `per_mille` of 1,000 values do not exceed, rounded up to the
  /// end of its bucket. Returns 0 when empty.
  [[nodiscard]] std::uint64_t quantile(std::uint32_t per_mille) const {
    const std::uint64_t wanted = (total_ * per_mille + 999) / 1'000;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += counts_[i];
      if (seen >= wanted && seen > 0) {
        return last_of(i);
      }
    }
    return 0;
  }

  /// Calls `call` with each bucket that has values, ascending: its last value, and their number.
  template <class Call>
  void for_each_bucket(const Call& call) const {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      if (counts_[i] != 0) call(last_of(i), counts_[i]);
    }
  }

  /// Returns the number of values that are at most `value`, to the resolution of the buckets.
  [[nodiscard]] std::uint64_t at_most(std::uint64_t value) const {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets && last_of(i) <= value; ++i) {
      seen += counts_[i];
    }
    return seen;
  }

 private:
  static constexpr std::size_t bucket_of(std::uint64_t value) {
    if (value < 128) {
      return static_cast<std::size_t>(value);
    }
    const int shift = static_cast<int>(std::bit_width(value)) - 7;
    if (shift > 33) {
      return kBuckets - 1;
    }
    return 128 + static_cast<std::size_t>(shift - 1) * 64 +
           static_cast<std::size_t>((value >> shift) - 64);
  }

  static constexpr std::uint64_t last_of(std::size_t bucket) {
    if (bucket < 128) {
      return bucket;
    }
    const std::size_t shift = (bucket - 128) / 64 + 1;
    const std::uint64_t first = (64 + (bucket - 128) % 64) << shift;
    return first + (std::uint64_t{1} << shift) - 1;
  }

  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t total_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace tickbox
