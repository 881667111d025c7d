#pragma once
// The figures of a command, as one list of paths and values. The list becomes the JSON document,
// the table for people, and the names that a requirement may use.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tickbox::commands {

/// The value of a figure; an empty value is not known, and null in the document.
using FigureValue = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;

/// Returns a value, or null for none.
template <class T>
[[nodiscard]] FigureValue or_null(const std::optional<T>& value) {
  return value ? FigureValue{*value} : FigureValue{};
}

struct Figure {
  std::string path{};  ///< "tick_ms.p99"
  FigureValue value{};
};

/// A list of figures in the order of the document; figures of one object are adjacent.
using Figures = std::vector<Figure>;

/// The result of one requirement.
struct RequirementResult {
  std::string text{};
  bool held = false;
  std::optional<double> value{};  ///< empty if not known
};

/// A number of clients that `load --find` has tried.
struct FindStep {
  std::uint64_t asked = 0;
  std::uint64_t clients = 0;  ///< that played
  std::string_view limit{};   ///< what kept a requirement from holding; "none" if all held
  std::vector<RequirementResult> requirements{};
};

/// Returns a value as JSON.
[[nodiscard]] std::string value_json(const FigureValue& value);

/// Returns the figures as one line of JSON; the dots of the paths nest the objects.
[[nodiscard]] std::string to_json(const Figures& figures);

/// Returns the same, followed by `requirements` and `verdict`. The steps, if there are any, become
/// `steps` of the object `find`.
[[nodiscard]] std::string to_json(const Figures& figures,
                                  const std::vector<RequirementResult>& requirements,
                                  std::string_view verdict,
                                  const std::vector<FindStep>& steps = {});

/// Returns the figures as lines for people: one object per line, its name, then its members.
[[nodiscard]] std::string to_table(const Figures& figures);

/// Returns a value as a number; nothing if it is not a number.
[[nodiscard]] std::optional<double> number_of(const FigureValue& value);

/// Returns part / whole, or 0 if `whole` is 0.
[[nodiscard]] double share(std::uint64_t part, std::uint64_t whole);

}  // namespace tickbox::commands
