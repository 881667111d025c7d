#pragma once
// What fixed bodies cost: one world of movers with and without thousands of fixed sensors.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::bench {

inline constexpr int kFixedMovers = 64;
inline constexpr int kFixedSensors = 4'000;

/// The sensors in the world of the movers.
enum class FixedCase : std::uint8_t {
  None,      ///< none: what the others are compared with
  AtRest,    ///< where no mover comes
  Changing,  ///< where no mover comes; one is removed and one added before each tick
  Among,     ///< where the movers run and jump, four in each unit of area
  Taken,     ///< where the movers are; one is removed and one added before each tick
};

/// The result of one case.
struct FixedLine {
  FixedCase which = FixedCase::None;
  std::vector<double> us_per_tick;  ///< the mean step of each repetition, the least first
  std::vector<double> ratios;       ///< to FixedCase::None in the same repetition, the least first
  double add_us = 0;                ///< to add all sensors, before the first tick; the least
  std::uint64_t motion = 0;         ///< hash of the movers at the end
  std::size_t overlaps = 0;         ///< begins and ends reported in a repetition

  [[nodiscard]] double best() const { return us_per_tick.front(); }

  [[nodiscard]] double ratio() const { return ratios[ratios.size() / 2]; }
};

struct FixedResult {
  std::vector<FixedLine> lines;
  bool repeatable = true;  ///< all repetitions of a case ended alike

  /// Whether it is repeatable, and the movers moved alike in all cases: sensors stop none.
  [[nodiscard]] bool is_sound() const;
};

/// Measures all cases by turns.
[[nodiscard]] FixedResult measure_fixed(int repeats);

[[nodiscard]] std::string fixed_table(const FixedResult& result);

/// Returns one line of JSON.
[[nodiscard]] std::string json_of(const FixedResult& result);

}  // namespace tickbox::bench
