#pragma once
// `tickbox sim`: a scenario file stepped without a network, its course traced, its end summed up.

#include "cli/command_line.h"

#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace tickbox::commands
