#pragma once
// Clocks of programs under test that a test moves while they run.

#include "core/clock.h"
#include "tests/integration/clocks/moved_time.h"

#include <string>
#include <vector>

namespace tickbox::integration {

/// Owns: the file that sets the clocks of the processes that are started with environment(); it
/// must outlive them. Thread: one.
class MovedClocks {
 public:
  /// Makes `file`; clocks are those of the machine at first. Throws std::system_error.
  explicit MovedClocks(std::string file);
  MovedClocks(const MovedClocks&) = delete;
  MovedClocks& operator=(const MovedClocks&) = delete;
  ~MovedClocks();

  [[nodiscard]] std::vector<std::string> environment() const;

  /// Sets the calendar ahead of the machine's by so much, or behind it.
  void put_calendar(Duration ahead);

  /// The steady clock leaps forward. Requires: not negative.
  void leap(Duration ahead);

  /// The steady clock stops within 20 ms, and stands until go_on().
  void stop_steady();
  /// The steady clock goes on from where it stands. Requires: after stop_steady().
  void go_on();

  /// Processes that have begun to use these clocks.
  [[nodiscard]] std::uint32_t processes() const { return time_->processes; }

 private:
  std::string file_;
  MovedTime* time_;
};

}  // namespace tickbox::integration
