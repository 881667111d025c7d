#include "client/commands/load/requirement.h"

#include "client/commands/load/load_figures.h"
#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace tickbox::commands {
namespace {

/// The operators, longer ones first: "<=" starts with "<".
constexpr std::array<std::pair<std::string_view, Relation>, 6> kOperators = {
    {{"<=", Relation::AtMost},
     {">=", Relation::AtLeast},
     {"==", Relation::Equal},
     {"!=", Relation::Unequal},
     {"<", Relation::Below},
     {">", Relation::Above}}};

/// Common mistakes, and the operator meant.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kMistaken = {
    {{"=<", "<="}, {"=>", ">="}, {"<>", "!="}, {"=", "=="}}};

std::expected<Requirement, std::string> parse_requirement(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    return std::unexpected(fmt::format("\"{}\" {}; give one such as tick_ms.p99<=8", text, why));
  };
  const std::size_t at = std::min(text.find_first_of("<>=!"), text.size());
  const auto begins = [rest = text.substr(at)](const auto& each) {
    return rest.starts_with(each.first);
  };
  const auto found = std::ranges::find_if(kOperators, begins);
  const auto mistaken = std::ranges::find_if(kMistaken, begins);
  if (mistaken != kMistaken.end() && (found == kOperators.end() || found->first.size() == 1)) {
    return fail(fmt::format("has {}, did you mean {}?", mistaken->first, mistaken->second));
  }
  if (found == kOperators.end()) return fail("has no operator (<= >= < > == !=)");
  const std::string_view path = trimmed(text.substr(0, at));
  const std::string_view number = trimmed(text.substr(at + found->first.size()));
  Requirement requirement{
      .text = std::string{text}, .path = std::string{path}, .relation = found->second};
  const auto value = parse_as<double>(number);
  if (path.empty() || !value || !std::isfinite(*value)) {
    return fail(path.empty() ? "has no figure before the operator"
                             : "has no number after the operator");
  }
  requirement.number = *value;
  return requirement;
}

/// Returns the figures whose path begins so: "rtt_ms." has "rtt_ms.p50" and "rtt_ms.p99".
Figures figures_from(const std::string& start, const Figures& known) {
  Figures found;
  std::ranges::copy_if(known, std::back_inserter(found),
                       [&](const Figure& figure) { return figure.path.starts_with(start); });
  return found;
}

bool holds(double value, Relation relation, double number) {
  switch (relation) {
    case Relation::AtMost:
      return value <= number;
    case Relation::AtLeast:
      return value >= number;
    case Relation::Below:
      return value < number;
    case Relation::Above:
      return value > number;
    case Relation::Equal:
      return value == number;
    case Relation::Unequal:
      return value != number;
  }
  return false;
}

}  // namespace

std::expected<std::vector<Requirement>, std::string> parse_requirements(std::string_view text) {
  std::vector<Requirement> requirements;
  for (;;) {
    const std::size_t comma = text.find(',');
    auto requirement = parse_requirement(trimmed(text.substr(0, comma)));
    if (!requirement) return std::unexpected(std::move(requirement.error()));
    requirements.push_back(*std::move(requirement));
    if (comma == std::string_view::npos) return requirements;
    text.remove_prefix(comma + 1);
  }
}

std::expected<void, std::string> check_path(const Requirement& requirement, const Figures& known) {
  std::vector<std::string> paths;
  for (const Figure& figure : known) {
    if (figure.path == requirement.path) return {};
    paths.push_back(figure.path);
  }
  const std::string inside = list_of_paths(figures_from(requirement.path + ".", known));
  if (!inside.empty()) {
    return std::unexpected(
        fmt::format("{} is not a figure by itself; give one of {}", requirement.path, inside));
  }
  if (const auto near = nearest_name(requirement.path, paths)) {
    return std::unexpected(
        fmt::format("unknown figure {}; did you mean {}?", requirement.path, *near));
  }
  const std::string word = requirement.path.substr(0, requirement.path.find_first_of("._"));
  const Figures alike = figures_from(word, known);
  return std::unexpected(fmt::format("unknown figure {}; give one of {}", requirement.path,
                                     list_of_paths(alike.empty() ? known : alike)));
}

std::string list_of_paths(const Figures& known) {
  // A help text breaks lines at blanks. The longest group fits a narrow terminal with its indent.
  constexpr std::size_t kGroupMax = 56;
  std::string list;
  std::string_view last_object;
  for (const Figure& figure : known) {
    const std::string_view path = figure.path;
    const std::size_t dot = path.find_last_of('.');
    const std::string_view object = dot == std::string_view::npos ? "" : path.substr(0, dot);
    const std::string_view name = object.empty() ? path : path.substr(dot + 1);
    const std::size_t group = list.find_last_of(' ') + 1;
    const bool goes_on = !object.empty() && object == last_object &&
                         list.size() - group + name.size() + 2 <= kGroupMax;
    if (!last_object.empty()) list += goes_on ? "," : "}";
    if (!goes_on) {
      if (!list.empty()) list += ' ';
      list += object;
      if (!object.empty()) list += '{';
    }
    list += name;
    last_object = object;
  }
  return last_object.empty() ? list : list + '}';
}

bool is_on_hashes(std::string_view text) {
  return text.starts_with("state_hash.");
}

std::string check_requirements(const std::string& text) {
  const auto parsed = parse_requirements(text);
  if (!parsed) return parsed.error();
  const Figures known = requirable();
  for (const Requirement& each : *parsed) {
    if (const auto checked = check_path(each, known); !checked) return checked.error();
  }
  return {};
}

std::vector<Requirement> requirements_of(const std::vector<std::string>& texts) {
  std::vector<Requirement> all;
  for (const std::string& text : texts) {
    // Already checked when the option was parsed.
    const std::vector<Requirement> some = parse_requirements(text).value();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

RequirementResult check(const Requirement& requirement, const Figures& figures) {
  const auto value_of = [&](std::string_view path) {
    const auto found = std::ranges::find(figures, path, &Figure::path);
    return found != figures.end() ? number_of(found->value) : std::nullopt;
  };
  const bool is_known =
      !is_on_hashes(requirement.path) || value_of("state_hash.checked").value_or(0) > 0;
  const auto value = is_known ? value_of(requirement.path) : std::nullopt;
  return {.text = requirement.text,
          .held = value && holds(*value, requirement.relation, requirement.number),
          .value = value};
}

std::vector<RequirementResult> check_all(const std::vector<Requirement>& requirements,
                                         const Figures& figures) {
  std::vector<RequirementResult> results;
  results.reserve(requirements.size());
  for (const Requirement& each : requirements) {
    results.push_back(check(each, figures));
  }
  return results;
}

}  // namespace tickbox::commands
