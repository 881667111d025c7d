#include "client/commands/load/merge/load_output.h"

#include "client/commands/load/load_report.h"
#include "client/commands/play/play_figures.h"

#include <fmt/format.h>

#include <utility>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

/// Returns the figures of the run and of --find.
Figures measured_figures(const LoadResult& result) {
  Figures figures = figures_of(result.measured.report);
  figures.insert(figures.end(), result.find.begin(), result.find.end());
  return figures;
}

std::string text_for_people(const LoadResult& result) {
  const LoadVerdict& verdict = result.verdict;
  std::string text;
  for (const RequirementResult& each : result.requirements) {
    text += fmt::format("{}  {:<40} {}\n", each.held ? "held  " : "MISSED", each.text,
                        each.value ? fmt::format("is {:.6g}", *each.value) : "is not known");
  }
  return text + fmt::format("{}verdict: {}{}\n", to_table(measured_figures(result)), verdict.word,
                            verdict.code == ExitCode::Done ? " (" + verdict.why + ")" : "");
}

/// Returns the figures of the document.
Figures document_of(const LoadResult& result) {
  Figures figures = measured_figures(result);
  const LoadVerdict& verdict = result.verdict;
  add_end(figures, {.code = verdict.code, .error = verdict.why, .refused = verdict.refused});
  return figures;
}

std::string json_of(const LoadResult& result, const Figures& document) {
  std::string json = to_json(document, result.requirements, result.verdict.word, result.steps);
  if (result.part.empty()) return json;
  json.pop_back();
  return json + fmt::format(",\"part\":{}}}", result.part);
}

/// Adds to the verdict that a file could not be written. What the run has found counts more.
void add_failure(LoadVerdict& verdict, std::string&& why) {
  if (verdict.code == ExitCode::Done) {
    verdict.code = ExitCode::Failed;
    verdict.why = std::move(why);
  } else {
    verdict.why += "; " + why;
  }
}

}  // namespace

Figures requirable() {
  Figures known = figures_of(LoadReport{});
  std::erase_if(known, [](const Figure& each) {
    return each.path == "state_hash.first_mismatch" || each.path == "clients.first_id";
  });
  return known;
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

void end_files(LoadFiles& files, LoadResult& result) {
  const auto end_one = [&](auto end_file) {
    const Figures figures = document_of(result);
    const auto ended = (files.*end_file)({.outcome = result.verdict.outcome,
                                          .why = result.verdict.why,
                                          .document = json_of(result, figures),
                                          .figures = &figures,
                                          .requirements = result.requirements,
                                          .report = &result.measured.report});
    if (!ended) add_failure(result.verdict, std::string{ended.error()});
  };
  end_one(&LoadFiles::end_results);
  end_one(&LoadFiles::end_report);
}

ExitCode print_result(const Output& output, const LoadResult& result) {
  std::string text;
  if (output.json()) {
    text = json_of(result, document_of(result)) + "\n";
  } else if (result.measured.report.clients_connected > 0) {
    text = text_for_people(result);
  }
  const ExitCode printed = output.print(text);
  if (result.verdict.code == ExitCode::Done) return printed;
  return output.fell_short(result.verdict.code, result.verdict.why);
}

}  // namespace tickbox::commands
