#pragma once
// The first few findings of each checker: expected value, actual value and time of each.

#include "core/clock.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::simulator {

struct Finding {
  std::string checker;
  std::string expected;
  std::string got;
  Duration at{};  ///< virtual time since the start
};

class Findings {
 public:
  /// Borrows the clock.
  explicit Findings(const Clock& clock) : clock_(clock), start_(clock.now()) {}

  void add(std::string_view checker, std::string_view expected, std::string got) {
    if (std::ranges::count(all_, checker, &Finding::checker) >= kKept) return;
    all_.push_back({.checker = std::string{checker},
                    .expected = std::string{expected},
                    .got = std::move(got),
                    .at = clock_.now() - start_});
  }

  [[nodiscard]] const std::vector<Finding>& all() const { return all_; }

  [[nodiscard]] bool none() const { return all_.empty(); }

 private:
  static constexpr std::ptrdiff_t kKept = 4;  ///< of each checker

  const Clock& clock_;
  Instant start_;
  std::vector<Finding> all_;
};

}  // namespace tickbox::simulator
