#pragma once
// How many pairs the steps of a Stepper may still look at.

#include "sim/step.h"

#include <cstdint>
#include <utility>

namespace tickbox::sim {

/// What a search costs more if it finds an overlap, which is listed and sorted twice.
inline constexpr std::uint64_t kSearchesPerOverlap = 8;
/// What an impact costs more than the search that found it: it is queued, and mostly out of date
/// when its turn comes.
inline constexpr std::uint64_t kSearchesPerImpact = 16;

/// Counts down from a SearchLimit. Cost: a subtraction, so that the inner loops can count.
class SearchBudget {
 public:
  void start(SearchLimit limit) {
    limit_ = std::move(limit);
    left_ = limit_.searches;
    left_again_ = limit_.searched_again;
  }

  /// Counts pairs. Fails: false, if the step is to end at once, with all bodies where they were.
  bool count(std::uint64_t pairs) {
    if (pairs < left_) [[likely]] {
      left_ -= pairs;
      return true;
    }
    return run_out();
  }

  /// Counts movers that a mover looks at again after an impact.
  void count_again(std::uint64_t pairs) {
    count(pairs);
    left_again_ -= pairs < left_again_ ? pairs : left_again_;
  }

  [[nodiscard]] std::uint64_t left() const { return left_; }

  /// Returns whether the step is to end at once.
  [[nodiscard]] bool ends_step() const { return left_ == 0; }

  /// Returns whether no body may have impacts without end until the tick ends.
  [[nodiscard]] bool is_spent() const { return left_again_ == 0; }

 private:
  /// Returns whether the limit allows as many searches again.
  [[gnu::noinline]] bool run_out() {
    if (left_ == 0) return false;
    const bool goes_on = limit_.gives_up && !limit_.gives_up();
    left_ = goes_on ? limit_.searches : 0;
    return goes_on;
  }

  SearchLimit limit_;
  std::uint64_t left_ = limit_.searches;
  std::uint64_t left_again_ = limit_.searched_again;
};

}  // namespace tickbox::sim
