#pragma once
// How much stepping a server may demand of a client.
//
// A client steps what its server sends, and the cost of a step is the server's choice: where all
// bodies are in one place, each looks at all others, and where they bounce there, they do so after
// each impact. A client that steps on holds everything else up. So the searches of all steps of a
// client (sim::SearchLimit) are counted. A saving covers views that are costly once; what is added
// each second covers the others. The count does not depend on the machine.

#include "core/clock.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tickbox::client {

/// What a server may demand at once: less than a second of work. A step of 1,000 boxes in a heap
/// that settles takes 10,000 searches, and a snapshot asks for at most some 180 steps.
inline constexpr std::int64_t kSearchesMax = 32'000'000;
/// What is added to the saving: about a third of a processor.
inline constexpr std::int64_t kSearchesPerMicrosecond = 16;

class WorkBudget {
 public:
  /// Begins with all of `searches_max`.
  WorkBudget(std::int64_t searches_max, Instant now)
      : searches_max_(searches_max), left_(searches_max), counted_to_(now) {}

  /// Returns the searches that are left at `now`, at least 1.
  [[nodiscard]] std::uint64_t at(Instant now) {
    const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(now - counted_to_);
    const std::int64_t more = std::clamp<std::int64_t>(passed.count(), 0, searches_max_);
    left_ = std::clamp<std::int64_t>(left_ + more * kSearchesPerMicrosecond, 1, searches_max_);
    counted_to_ = std::max(counted_to_, now);
    return static_cast<std::uint64_t>(left_);
  }

  /// Notes what is left after some steps.
  void set(std::uint64_t left) { left_ = static_cast<std::int64_t>(left); }

 private:
  std::int64_t searches_max_;
  std::int64_t left_;
  Instant counted_to_;
};

}  // namespace tickbox::client
