#include "client/commands/load/load_output.h"

#include "cli/build_info.h"
#include "client/commands/play/play_figures.h"
#include "client/commands/text.h"
#include "core/assert.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace tickbox {

/// Returns the page that the build has joined from report/report.html, without what it shows. It
/// has places, comments like `<!-- fill NAME -->`.
[[nodiscard]] std::string_view report_template();

}  // namespace tickbox

namespace tickbox::commands {
namespace {

using cli::ExitCode;

/// Returns a word as a shell reads it.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted{"'"};
  for (const char each : word) {
    if (each == '\'') {
      quoted += "'\\''";
    } else {
      quoted += each;
    }
  }
  return quoted + "'";
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += shell_word(word);
  }
  return text;
}

Figures figures_of(const LoadFacts& facts) {
  const cli::BuildInfo& own = cli::build_info();
  const auto text = [](const std::string& each) {
    return each.empty() ? FigureValue{} : FigureValue{each};
  };
  Figures figures{
      {"line", std::string{"run"}},
      {"command", text(command_text(facts.command))},
      {"started", utc_text(facts.started)},
      {"server.address", facts.server},
      {"server.version", or_null(facts.server_version)},
      {"generator.version", fmt::format("{} (commit {}, {}, simulation {})", own.version,
                                        own.commit, own.compiler, own.simulation_hash)},
      {"clients", facts.clients},
      {"players", facts.players},
      {"ramp_seconds", facts.ramp_seconds},
      {"seconds", facts.seconds},
      {"seed", facts.seed}};
  figures.push_back({"net", text(fmt::format("{}", fmt::join(facts.net, " and ")))});
  const os::Machine& machine = facts.machine;
  figures.push_back({"machine.host", text(machine.host)});
  figures.push_back({"machine.system", text(machine.system)});
  figures.push_back({"machine.processor", text(machine.processor)});
  figures.push_back({"machine.processors", machine.processors});
  figures.push_back({"machine.memory_bytes", machine.memory_bytes});
  return figures;
}

/// Returns a distribution as JSON: the upper ends of its bars in milliseconds, ten for each power
/// of ten, and how much is in each. `unit`: of the values, in milliseconds.
std::string bars_of(const Histogram& values, double unit) {
  constexpr int kFrom = -20;  // 10 us
  constexpr int kTo = 45;     // 31 s
  std::string ends;
  std::string counts;
  std::uint64_t below = 0;
  for (int i = kFrom; i <= kTo && below < values.count(); ++i) {
    const double end = std::pow(10, i / 10.0);
    const std::uint64_t up_to =
        i < kTo ? values.at_most(static_cast<std::uint64_t>(end / unit)) : values.count();
    if (up_to == 0) continue;
    const std::string_view comma = ends.empty() ? "" : ",";
    ends += fmt::format("{}{:.4g}", comma, end);
    counts += fmt::format("{}{}", comma, up_to - below);
    below = up_to;
  }
  return fmt::format(R"({{"to_ms":[{}],"count":[{}]}})", ends, counts);
}

std::string distributions_of(const LoadMeasured& measured) {
  constexpr double kNanosecond = 1e-6;
  constexpr double kMicrosecond = 1e-3;
  return fmt::format(R"({{"tick_ms":{},"snapshot_gap_ms":{},"rtt_ms":{},"generator.late_ms":{}}})",
                     measured.server ? bars_of(measured.server->tick_ns, kNanosecond) : "null",
                     bars_of(measured.stats.snapshot_gap, kMicrosecond),
                     bars_of(measured.stats.round_trip, kMicrosecond),
                     bars_of(measured.lateness, kMicrosecond));
}

/// Returns the figures of the run and of --find.
Figures measured_figures(const LoadResult& result) {
  Figures figures = figures_of(result.measured);
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
  const bool is_done = verdict.code() == ExitCode::Done;
  return text + fmt::format("{}verdict: {}{}\n", to_table(measured_figures(result)), verdict.word(),
                            is_done ? " (" + verdict.why + ")" : "");
}

std::string document_of(const LoadResult& result) {
  Figures figures = measured_figures(result);
  const LoadVerdict& verdict = result.verdict;
  add_end(figures, {.code = verdict.code(), .error = verdict.why, .refused = verdict.refused});
  std::string json = to_json(figures, result.requirements, verdict.word(), result.steps);
  if (result.part.empty()) return json;
  json.pop_back();
  return json + fmt::format(",\"part\":{}}}", result.part);
}

}  // namespace

std::string first_line(const LoadFacts& facts) {
  return to_json(figures_of(facts)) + "\n";
}

std::string last_line(const LoadResult& result) {
  const LoadMeasured& measured = result.measured;
  const FigureValue game =
      measured.game.empty()
          ? FigureValue{}
          : FigureValue{fmt::format("{} {}", measured.game, measured.game_version)};
  std::string json = to_json({{"line", std::string{"result"}},
                              {"headline", std::string{result.verdict.headline()}},
                              {"why", result.verdict.why},
                              {"game", game},
                              {"tick_ms", measured.tick_ms}});
  json.pop_back();
  return json + fmt::format(",\"document\":{},\"distributions\":{}}}\n", document_of(result),
                            distributions_of(measured));
}

std::string report_page(std::string_view lines) {
  constexpr std::string_view kPlace = "<!-- fill lines -->";
  const std::string_view page = report_template();
  const std::size_t place = page.find(kPlace);
  TICKBOX_ASSERT(place != std::string_view::npos);
  std::string filled{page.substr(0, place)};
  filled.reserve(page.size() + lines.size() + lines.size() / 16);
  for (const char each : lines) {
    // JSON then neither ends the element in which it is, nor begins a comment there.
    if (each == '<') {
      filled += "\\u003c";
    } else {
      filled += each;
    }
  }
  return filled.append(page.substr(place + kPlace.size()));
}

std::expected<std::unique_ptr<LoadFiles>, std::string> LoadFiles::open(const Paths& paths) {
  auto files = std::make_unique<LoadFiles>();
  files->report_has_seconds_ = paths.report_has_seconds;
  if (!paths.report.empty()) {
    auto report = NewFile::create(paths.report);
    if (!report) return std::unexpected(std::move(report.error()));
    files->report_ = *std::move(report);
  }
  if (!paths.results.empty()) {
    auto results = os::FileSink::create({.path = paths.results});
    if (!results) return std::unexpected(std::move(results.error()));
    files->results_ = *std::move(results);
  }
  return files;
}

void LoadFiles::begin(const LoadFacts& facts) {
  first_line_ = first_line(facts);
  timeline_.emplace(facts.clients);
  write_line(first_line_);
}

void LoadFiles::add(LoadSecond&& second) {
  if (results_) write_line(to_line(second));
  if (report_ && report_has_seconds_) timeline_->add(std::move(second));
}

void LoadFiles::end(LoadResult& result) {
  for (const auto end_file : {&LoadFiles::end_results, &LoadFiles::end_report}) {
    const auto ended = (this->*end_file)(result);
    if (ended) continue;
    // What the run has found counts more.
    LoadVerdict& verdict = result.verdict;
    verdict.why =
        verdict.code() == ExitCode::Done ? ended.error() : verdict.why + "; " + ended.error();
    if (verdict.code() == ExitCode::Done) verdict.kind = LoadVerdict::Kind::Broken;
  }
}

std::expected<void, std::string> LoadFiles::end_results(const LoadResult& result) {
  if (!results_) return {};
  write_line(last_line(result));
  auto closed = results_->close();
  if (closed && is_line_missing_) return std::unexpected(results_->failure());
  return closed;
}

std::expected<void, std::string> LoadFiles::end_report(const LoadResult& result) {
  if (!report_) return {};
  std::string lines = first_line_;
  for (const LoadSecond& column : timeline_->columns()) {
    lines += to_line(column);
  }
  const std::string page = report_page(lines + last_line(result));
  report_->write(std::as_bytes(std::span{page}));
  return report_->close();
}

void LoadFiles::write_line(std::string_view line) {
  if (results_ && !results_->write(std::as_bytes(std::span{line}))) is_line_missing_ = true;
}

ExitCode print_result(const Output& output, const LoadResult& result) {
  std::string text;
  if (output.json()) {
    text = document_of(result) + "\n";
  } else if (result.measured.clients_connected > 0) {
    text = text_for_people(result);
  }
  const ExitCode printed = output.print(text);
  const ExitCode code = result.verdict.code();
  return code == ExitCode::Done ? printed : output.fell_short(code, result.verdict.why);
}

}  // namespace tickbox::commands
