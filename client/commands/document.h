#pragma once
// What a command found, as paths and values: one list that becomes the JSON document, the table for
// people, and the names a requirement may use.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tickbox::commands {

/// Nothing: not known, null in the document.
using FigureValue = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;

struct Figure {
  std::string path{};  ///< "tick_ms.p99"
  FigureValue value{};
};

/// In the order of the document; figures of one object stand together.
using Figures = std::vector<Figure>;

/// What became of one requirement.
struct RequirementResult {
  std::string text{};
  bool held = false;
  std::optional<double> value{};  ///< nothing: not known
};

/// The figures as one line of JSON, objects nested by the dots of their paths.
[[nodiscard]] std::string to_json(const Figures& figures);

/// The same, then `requirements`, then `verdict`.
[[nodiscard]] std::string to_json(const Figures& figures,
                                  const std::vector<RequirementResult>& requirements,
                                  std::string_view verdict);

/// The figures as lines for people: an object a line, its name, then its members.
[[nodiscard]] std::string to_table(const Figures& figures);

/// A value as a number; nothing for null and for words.
[[nodiscard]] std::optional<double> number_of(const FigureValue& value);

/// A share of a whole from 0 to 1; nothing of nothing is 0.
[[nodiscard]] double share(std::uint64_t part, std::uint64_t whole);

}  // namespace tickbox::commands
