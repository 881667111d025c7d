#pragma once
// Times the cases by turns, on the thread's own processor time.

#include "tests/bench/net/cases.h"

#include <span>
#include <string>
#include <vector>

namespace tickbox::bench {

struct Line {
  std::string name{};
  std::size_t bytes = 0;
  std::vector<double> ns{};  ///< per packet, of every batch, the least first
  double yardstick_ns = 0;   ///< per packet of this size, at best
  bool sound = true;         ///< every batch had the result that the name says

  [[nodiscard]] double best() const { return ns.front(); }

  [[nodiscard]] double median() const { return ns[ns.size() / 2]; }

  /// To the yardstick, at best both.
  [[nodiscard]] double ratio() const { return best() / yardstick_ns; }
};

/// A line for each case, in their order. They take turns, the yardsticks among them, so that a slow
/// spell of the machine meets all. Requires: repeats ≥ 1.
[[nodiscard]] std::vector<Line> measure(std::span<const Case> cases, int repeats);

/// Whether every packet was treated as its name says.
[[nodiscard]] bool is_sound(std::span<const Line> lines);

/// For people, and on one line for programs.
[[nodiscard]] std::string table_of(std::span<const Line> lines);
[[nodiscard]] std::string json_of(std::span<const Line> lines);

}  // namespace tickbox::bench
