#pragma once
// What a load run has shown: its verdict, which gives the exit code, the word of the document, and
// the reason for people.

#include "cli/exit_code.h"
#include "client/commands/document.h"
#include "client/commands/load/load_figures.h"
#include "client/commands/load/requirement.h"
#include "net/reasons.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

/// The longest time between the starts of two parts whose clients have played together, in seconds:
/// a tenth of what is measured, and at least 2.
[[nodiscard]] constexpr double apart_max(double measured_seconds) {
  return std::max(2.0, measured_seconds / 10);
}

struct LoadVerdict {
  enum class Kind : std::uint8_t {
    Passed,
    Missed,        ///< a requirement, or a hash differs
    Broken,        ///< it could not begin, or a file could not be written
    NotConnected,  ///< some or all clients
    Disconnected,
    Stopped,  ///< before its time was up
    TooSlow,  ///< the load generator
    Apart,    ///< the parts of a merge did not play at once
  };

  Kind kind = Kind::Passed;
  std::string why{};  ///< in words
  std::optional<net::RefuseReason> refused{};

  [[nodiscard]] cli::ExitCode code() const;
  [[nodiscard]] std::string_view word() const;      ///< "passed", for the document
  [[nodiscard]] std::string_view headline() const;  ///< "Stopped early", for the page
};

/// What the command prints, and writes to its files.
struct LoadResult {
  LoadMeasured measured{};
  std::vector<RequirementResult> requirements{};
  LoadVerdict verdict{};
  Figures find{};  ///< find{clients,limit}; empty without --find, as the steps
  std::vector<FindStep> steps{};
  std::string part{};  ///< of the document, as JSON; empty without --part
};

/// `requirements`: of the run, all checked.
[[nodiscard]] LoadVerdict verdict_of(const LoadMeasured& measured,
                                     const std::vector<RequirementResult>& requirements);

/// Returns the requirements that were missed, or those that were held, with their values.
[[nodiscard]] std::string in_words(const std::vector<RequirementResult>& requirements, bool held);

/// Returns the result of one run.
[[nodiscard]] LoadResult result_of(LoadMeasured&& measured,
                                   const std::vector<Requirement>& requirements);

}  // namespace tickbox::commands
