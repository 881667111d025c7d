#pragma once
// The requirements of a run, written as "tick_ms.p99<=8,state_hash.mismatched==0".

#include "client/commands/document.h"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

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

}  // namespace tickbox::commands
