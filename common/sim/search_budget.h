#pragma once
// How many pairs the steps of a PhysicsStepper may look at, and how many are left.

#include <cstdint>
#include <functional>
#include <utility>

namespace tickbox::sim {

/// What a search costs more if it finds an overlap, which is listed and sorted twice.
inline constexpr std::uint64_t kSearchesPerOverlap = 8;
/// What an impact costs more than the search that found it: it is queued, and mostly out of date
/// when its turn comes.
inline constexpr std::uint64_t kSearchesPerImpact = 16;

/// How many pairs of bodies steps may look at. Where many bodies are in one place, each has to look
/// at all others; where they bounce there, each impact does so again.
struct SearchLimit {
  /// All looks at pairs, in proportion to their cost: an overlap or an impact counts several times.
  /// The step that exceeds it ends at once: no body is moved, or each to its place. Later steps
  /// move nothing. Nothing overlaps by that, but such worlds are of no further use.
  std::uint64_t searches = UINT64_MAX;
  /// Called after each `searches` searches: true gives up, false allows as many again. Empty: gives
  /// up the first time.
  std::function<bool()> gives_up{};
  /// The movers that movers look at again after impacts. Then every dynamic body is as one that has
  /// used up its events, until the tick ends. Bodies that nothing joins depend on each other by
  /// that, so a world that views are made of has no such limit.
  std::uint64_t searched_again = UINT64_MAX;
};

/// Counts down from a SearchLimit. Cost: a subtraction, so that the inner loops can count.
class SearchBudget {
 public:
  void start(SearchLimit limit) {
    limit_ = std::move(limit);
    remaining_ = limit_.searches;
    remaining_again_ = limit_.searched_again;
  }

  /// Counts pairs. Fails: false, if the step is to end at once, with all bodies where they were.
  bool count(std::uint64_t pairs) {
    if (pairs < remaining_) [[likely]] {
      remaining_ -= pairs;
      return true;
    }
    return run_out();
  }

  /// Counts movers that a mover looks at again after an impact.
  void count_again(std::uint64_t pairs) {
    count(pairs);
    remaining_again_ -= pairs < remaining_again_ ? pairs : remaining_again_;
  }

  [[nodiscard]] std::uint64_t remaining() const { return remaining_; }

  /// Returns whether the step is to end at once.
  [[nodiscard]] bool ends_step() const { return remaining_ == 0; }

  /// Returns whether no body may have impacts without end until the tick ends.
  [[nodiscard]] bool is_spent() const { return remaining_again_ == 0; }

 private:
  /// Returns whether the limit allows as many searches again.
  [[gnu::noinline]] bool run_out() {
    if (remaining_ == 0) return false;
    const bool goes_on = limit_.gives_up && !limit_.gives_up();
    remaining_ = goes_on ? limit_.searches : 0;
    return goes_on;
  }

  SearchLimit limit_;
  std::uint64_t remaining_ = limit_.searches;
  std::uint64_t remaining_again_ = limit_.searched_again;
};

}  // namespace tickbox::sim
