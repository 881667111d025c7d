#pragma once
// `tickbox sim`: a scenario file stepped without a network, its course traced, its end summed up.

#include "cli/command_line.h"
#include "client/commands/sim/comparison.h"
#include "scenario/scenario.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::commands {

/// What a scenario is stepped beside.
enum class CompareWith : std::uint8_t {
  Nothing,
  Discrete,  ///< the plain test for overlap when a tick has ended
};

struct SimOptions {
  std::string scenario{};                ///< a file
  std::string trace{};                   ///< a file, "-" for stdout, empty for none
  std::optional<std::uint32_t> ticks{};  ///< in place of the scenario's own
  CompareWith compare = CompareWith::Nothing;
  cli::CommonFlags flags{};
};

/// Runs it and prints what came of it: for people, or as a document. Returns the exit code of the
/// program.
[[nodiscard]] int run_sim(const SimOptions& options);

/// What came of a scenario's run, as a document and as lines for people.
struct Outcome {
  std::uint32_t ticks = 0;
  std::uint64_t hash = 0;
  std::uint64_t contacts = 0;
  std::size_t movers = 0;
  std::size_t overlaps_left = 0;
  std::uint64_t freezes = 0;
  std::uint32_t events_max = 0;
  std::vector<double> step_us{};       ///< of each tick, sorted
  std::optional<Compared> compared{};  ///< where it was asked for
  std::uint32_t ticks_wanted = 0;
  bool interrupted = false;  ///< before the last tick that was asked for

  /// The least time that `percent` of the steps did not exceed.
  [[nodiscard]] double percentile(std::size_t percent) const;
};

/// What is wrong with an outcome that was interrupted.
[[nodiscard]] std::string interruption_of(const Outcome& outcome);

/// One line of JSON, its end included.
[[nodiscard]] std::string document_of(const Outcome& outcome);

[[nodiscard]] std::string summary_of(const scenario::Scenario& scenario, const Outcome& outcome);

}  // namespace tickbox::commands
