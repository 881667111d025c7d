#pragma once
// What a load run has shown: the exit code, the word of the document, and the reason for people.

#include "cli/exit_code.h"
#include "client/commands/document.h"
#include "client/commands/load/load_page.h"
#include "client/commands/load/load_report.h"
#include "client/commands/load/requirement.h"
#include "net/refusal.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::commands {

/// What a run has measured, and why a client does not play.
struct LoadMeasured {
  LoadReport report{};
  std::string reason{};  ///< of the first client that does not play, in words; empty if all play
  std::optional<net::RefuseReason> refused{};  ///< the server's, if that client was refused
  double apart_seconds = 0;  ///< of a merge: between the starts of its first and its last part
};

/// The longest time between the starts of two parts whose clients have played together, in seconds:
/// a tenth of what is measured, and at least 2.
[[nodiscard]] constexpr double apart_max(double measured_seconds) {
  return std::max(2.0, measured_seconds / 10);
}

struct LoadVerdict {
  cli::ExitCode code = cli::ExitCode::Done;
  LoadOutcome outcome = LoadOutcome::Passed;
  std::string word{};  ///< for the document
  std::string why{};   ///< for people
  std::optional<net::RefuseReason> refused{};
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

/// `results`: of all requirements.
[[nodiscard]] LoadVerdict judge(const LoadMeasured& measured,
                                const std::vector<RequirementResult>& results);

/// Returns the result of one run.
[[nodiscard]] LoadResult judged(LoadMeasured&& measured,
                                const std::vector<Requirement>& requirements);

}  // namespace tickbox::commands
