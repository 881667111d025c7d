#include "client/commands/document.h"

#include "core/text.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace tickbox::commands {
namespace {

using Json = nlohmann::ordered_json;

/// The columns before the members of an object in the table, and those of a line.
constexpr std::size_t kTableIndent = 36;
constexpr std::size_t kTableColumns = 80;

/// Rounds to six decimals: enough for clocks and counters, and readable in a document.
double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

struct ToJson {
  Json operator()(std::monostate) const { return nullptr; }

  Json operator()(double value) const { return rounded(value); }

  template <class T>
  Json operator()(const T& value) const {
    return value;
  }
};

struct ToText {
  std::string operator()(std::monostate) const { return "-"; }

  std::string operator()(bool value) const { return value ? "yes" : "no"; }

  std::string operator()(std::uint64_t value) const { return fmt::format("{}", value); }

  std::string operator()(double value) const { return fmt::format("{:.4g}", value); }

  std::string operator()(const std::string& value) const { return printable(value); }
};

Json document_of(const Figures& figures) {
  Json document = Json::object();
  for (const Figure& figure : figures) {
    Json* place = &document;
    std::string_view path = figure.path;
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
      place = &(*place)[std::string{path.substr(0, dot)}];
      path.remove_prefix(dot + 1);
    }
    (*place)[std::string{path}] = std::visit(ToJson{}, figure.value);
  }
  return document;
}

Json list_of(const std::vector<RequirementResult>& requirements) {
  Json list = Json::array();
  for (const RequirementResult& each : requirements) {
    const Json value = each.value ? Json(rounded(*each.value)) : Json();
    list.push_back({{"text", each.text}, {"held", each.held}, {"value", value}});
  }
  return list;
}

/// Returns the document as ASCII, even if text from a server has other bytes.
std::string dump(const Json& document) {
  return document.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace

std::string value_json(const FigureValue& value) {
  return dump(std::visit(ToJson{}, value));
}

std::string to_json(const Figures& figures) {
  return dump(document_of(figures));
}

std::string to_json(const Figures& figures, const std::vector<RequirementResult>& requirements,
                    std::string_view verdict, const std::vector<FindStep>& steps) {
  Json document = document_of(figures);
  for (const FindStep& step : steps) {
    document["find"]["steps"].push_back({{"asked", step.asked},
                                         {"clients", step.clients},
                                         {"limit", step.limit},
                                         {"requirements", list_of(step.requirements)}});
  }
  document["requirements"] = list_of(requirements);
  document["verdict"] = verdict;
  return dump(document);
}

std::string to_table(const Figures& figures) {
  std::string table;
  std::string_view last_group;
  for (const Figure& figure : figures) {
    const std::string_view path = figure.path;
    const std::size_t dot = path.find('.');
    const std::string_view group = path.substr(0, dot);
    if (group != last_group || table.empty()) {
      table += fmt::format("{}  {:<34}", table.empty() ? "" : "\n", group);
      last_group = group;
    }
    std::string entry = fmt::format(" {}", std::visit(ToText{}, figure.value));
    if (dot != std::string_view::npos) {
      entry = fmt::format(" {}{}", path.substr(dot + 1), entry);
    }
    const std::size_t line = table.size() - (table.rfind('\n') + 1);
    if (line > kTableIndent && line + entry.size() > kTableColumns) {
      table += fmt::format("\n{:<{}}", "", kTableIndent);
    }
    table += entry;
  }
  return table + "\n";
}

std::optional<double> number_of(const FigureValue& value) {
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
  if (const auto* decimal = std::get_if<double>(&value)) return *decimal;
  return std::nullopt;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace tickbox::commands
