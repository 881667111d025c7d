#pragma once
// `tickbox sim`: steps a scenario file without a network, traces its ticks and prints a summary.

#include "cli/command_line.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::commands {

/// The method with which the simulation is compared.
enum class CompareWith : std::uint8_t {
  Nothing,
  Discrete,  ///< moves, then a plain test for overlap at the end of the tick
};

struct SimOptions {
  std::string name = "tickbox sim";      ///< of the command, for messages
  std::string scenario{};                ///< a file, "-" for stdin
  std::string trace{};                   ///< a file, "-" for stdout, empty for none
  std::optional<std::uint32_t> ticks{};  ///< replaces the scenario's number
  CompareWith compare = CompareWith::Nothing;
  cli::CommonFlags flags{};
};

/// Runs a scenario and prints the result, for people or as a document. Returns the exit code of the
/// program.
[[nodiscard]] int run_sim(const SimOptions& options);

}  // namespace tickbox::commands
