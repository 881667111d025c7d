#pragma once
// What a load run has shown: whether its requirements hold, and its verdict, which gives the exit
// code, the word of the document, and the reason for people.

#include "cli/exit_code.h"
#include "client/commands/document.h"
#include "client/commands/load/load_figures.h"
#include "net/reasons.h"

#include <algorithm>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

// The requirements of a run, written as "tick_ms.p99<=8,state_hash.mismatched==0".

enum class Relation : std::uint8_t { AtMost, AtLeast, Below, Above, Equal, Unequal };

struct Requirement {
  std::string text{};  ///< as written
  std::string path{};
  Relation relation = Relation::Equal;
  double number = 0;
};

/// Reads one or more requirements, joined by commas. Fails: with one line that quotes the part.
[[nodiscard]] std::expected<std::vector<Requirement>, std::string> parse_requirements(
    std::string_view text);

/// Checks that the figure that the requirement names is one of `known`. Fails: with one line that
/// names the nearest path, or all paths.
[[nodiscard]] std::expected<void, std::string> check_path(const Requirement& requirement,
                                                          const Figures& known);

/// Returns the paths for people, grouped by object: "rtt_ms{p50,p99} tick_overruns".
[[nodiscard]] std::string list_of_paths(const Figures& known);

/// Returns whether a figure says how many hashes were checked and how many of them differ.
[[nodiscard]] bool is_on_hashes(std::string_view text);

/// Checks a text of --require of `load`. Returns the error, or an empty text.
[[nodiscard]] std::string check_requirements(const std::string& text);

/// Returns the requirements of texts that were checked.
[[nodiscard]] std::vector<Requirement> requirements_of(const std::vector<std::string>& texts);

/// Checks one requirement. It does not hold if its figure is not known. No figure on hashes is
/// known if no hash was checked.
[[nodiscard]] RequirementResult check(const Requirement& requirement, const Figures& figures);

[[nodiscard]] std::vector<RequirementResult> check_all(const std::vector<Requirement>& requirements,
                                                       const Figures& figures);

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
