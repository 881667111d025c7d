#include "client/commands/load/load_verdict.h"

#include "client/commands/play/play_figures.h"
#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

namespace tickbox::commands {
namespace {

using cli::ExitCode;
using Kind = LoadVerdict::Kind;

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

/// Returns what the run knows of hashes. Requires: none differs.
std::string hashes_in_words(const LoadMeasured& measured) {
  if (measured.stats.hashes_checked == 0) return "no hash was checked";
  if (measured.clients_checked == measured.clients_connected) return "no hash differs";
  return fmt::format("no hash of {} of {} clients differs", measured.clients_checked,
                     measured.clients_connected);
}

std::string lateness_in_words(const LoadMeasured& measured) {
  return fmt::format(
      "the load generator was behind schedule by more than a tick: for {:.3g} % of the time, at "
      "most {:.0f} ms; try fewer clients, more --threads if processors are free, or a faster "
      "machine",
      100 * measured.late_share, static_cast<double>(measured.lateness.quantile(1'000)) / 1'000);
}

std::string success_in_words(const LoadMeasured& measured, bool has_requirements) {
  std::string why = hashes_in_words(measured);
  if (has_requirements) why += ", and every requirement held";
  why += bad_play_in_words(measured.stats);
  if (measured.server && measured.server->rate_held < kRateHeldMin) {
    why += fmt::format(", but the server ran {:.1f} % of the ticks due and skipped {}",
                       100 * measured.server->rate_held, measured.server->skipped);
  }
  if (measured.was_restarted) {
    why += ", but the server was restarted: its own figures are not known";
  }
  return why;
}

/// Returns the verdict if the generator has not made the load that was asked for. What the server
/// itself has missed counts nevertheless.
std::optional<LoadVerdict> verdict_of_generator(
    const LoadMeasured& measured, const std::vector<RequirementResult>& requirements) {
  const bool server_missed = std::ranges::any_of(requirements, [](const RequirementResult& each) {
    return !each.held && each.value && is_told_by_server(each.text);
  });
  if (server_missed) return std::nullopt;
  if (is_saturated(measured)) return LoadVerdict{Kind::TooSlow, lateness_in_words(measured)};
  if (measured.apart_seconds <= apart_max(measured.seconds)) return std::nullopt;
  return LoadVerdict{Kind::Apart, fmt::format("the parts did not play at once: the last one began "
                                              "{:.1f} s after the first one; start them together, "
                                              "or measure for longer",
                                              measured.apart_seconds)};
}

/// Returns the verdict if some or all clients do not play to the end.
std::optional<LoadVerdict> verdict_of_connections(const LoadMeasured& measured) {
  const auto not_playing = [&](Kind kind, std::string&& why) {
    return LoadVerdict{kind, std::move(why), measured.refused};
  };
  if (measured.clients_connected == 0) {
    return not_playing(
        Kind::NotConnected,
        "no client could connect: " +
            (measured.reason.empty() ? "stopped before the server answered" : measured.reason));
  }
  if (measured.clients_dropped > 0) {
    return not_playing(
        Kind::Disconnected,
        fmt::format("{} of {} clients were disconnected: {}", measured.clients_dropped,
                    measured.clients_connected, measured.reason));
  }
  if (measured.was_stopped) {
    return LoadVerdict{
        Kind::Stopped,
        fmt::format("stopped after {:.1f} s, before its time was up: too early to judge",
                    measured.seconds)};
  }
  if (measured.clients_connected < measured.clients_asked) {
    return not_playing(Kind::NotConnected,
                       fmt::format("{} of {} clients could not connect: {}",
                                   measured.clients_asked - measured.clients_connected,
                                   measured.clients_asked, measured.reason));
  }
  return std::nullopt;
}

/// What a kind of verdict is elsewhere.
struct Meaning {
  ExitCode code;
  std::string_view word;
  std::string_view headline;
};

const Meaning& meaning_of(Kind kind) {
  static constexpr std::array kMeanings = {
      Meaning{ExitCode::Done, "passed", "Passed"},
      Meaning{ExitCode::CheckFailed, "failed", "Failed"},
      Meaning{ExitCode::Failed, "failed", "Failed"},
      Meaning{ExitCode::NotConnected, "not connected", "Not connected"},
      Meaning{ExitCode::NotConnected, "disconnected", "Disconnected"},
      Meaning{ExitCode::Inconclusive, "inconclusive", "Stopped early"},
      Meaning{ExitCode::Inconclusive, "inconclusive", "Load generator too slow"},
      Meaning{ExitCode::Inconclusive, "inconclusive", "Parts not at once"}};
  return kMeanings.at(static_cast<std::size_t>(kind));
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

ExitCode LoadVerdict::code() const {
  return meaning_of(kind).code;
}

std::string_view LoadVerdict::word() const {
  return meaning_of(kind).word;
}

std::string_view LoadVerdict::headline() const {
  return meaning_of(kind).headline;
}

LoadVerdict verdict_of(const LoadMeasured& measured,
                       const std::vector<RequirementResult>& requirements) {
  const auto& stats = measured.stats;
  if (stats.first_mismatch) return {Kind::Missed, mismatches_in_words(stats)};
  if (auto verdict = verdict_of_connections(measured)) return *std::move(verdict);
  if (auto verdict = verdict_of_generator(measured, requirements)) return *std::move(verdict);
  const auto missed = std::ranges::count(requirements, false, &RequirementResult::held);
  if (missed == 0) return {Kind::Passed, success_in_words(measured, !requirements.empty())};
  const bool is_unchecked =
      stats.hashes_checked == 0 &&
      std::ranges::any_of(requirements, is_on_hashes, &RequirementResult::text);
  return {Kind::Missed,
          fmt::format("{} of {} requirements missed: {}{}", missed, requirements.size(),
                      in_words(requirements, false),
                      is_unchecked ? "; no hash was checked: give more clients to --verify, such "
                                     "as 1/1 for all"
                                   : "")};
}

std::string in_words(const std::vector<RequirementResult>& requirements, bool held) {
  std::string words;
  for (const RequirementResult& each : requirements) {
    if (each.held != held) continue;
    if (!words.empty()) words += ", ";
    words += each.value ? fmt::format("{} is {:.6g}", each.text, *each.value)
                        : each.text + " is not known";
  }
  return words;
}

LoadResult result_of(LoadMeasured&& measured, const std::vector<Requirement>& requirements) {
  LoadResult result{.measured = std::move(measured)};
  result.requirements = check_all(requirements, figures_of(result.measured));
  result.verdict = verdict_of(result.measured, result.requirements);
  return result;
}

}  // namespace tickbox::commands
