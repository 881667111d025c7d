#pragma once
// The part of a work that one of several processes does: `--part I/N`. An Indexed Job of Kubernetes
// numbers its pods from 0 and tells each of them its number in JOB_COMPLETION_INDEX.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tickbox::commands {

inline constexpr std::uint32_t kPartsMax = 10'000;

struct Part {
  std::uint32_t index = 0;  ///< below `of`
  std::uint32_t of = 1;     ///< parts

  /// Returns whether a thing of this name is in the part. Of all parts one has it, whatever other
  /// things there are.
  [[nodiscard]] bool has(std::string_view name) const;

  friend bool operator==(const Part&, const Part&) = default;
};

/// Parses "0/4" to "3/4"; in "auto/4" the first number is JOB_COMPLETION_INDEX. Fails: with one
/// line.
[[nodiscard]] std::expected<Part, std::string> parse_part(std::string_view text);

/// Returns "0/4".
[[nodiscard]] std::string to_text(const Part& part);

}  // namespace tickbox::commands
