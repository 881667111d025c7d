#include "client/commands/load/load_verdict.h"

#include "client/commands/play/play_figures.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

/// Returns what the run knows of hashes. Requires: none differs.
std::string hashes_in_words(const LoadReport& report) {
  if (report.stats.hashes_checked == 0) return "no hash was checked";
  if (report.clients_checked == report.clients_connected) return "no hash differs";
  return fmt::format("no hash of {} of {} clients differs", report.clients_checked,
                     report.clients_connected);
}

std::string lateness_in_words(const LoadReport& report) {
  return fmt::format(
      "the load generator was behind schedule by more than a tick: for {:.3g} % of the time, at "
      "most {:.0f} ms; try fewer clients, more --threads if processors are free, or a faster "
      "machine",
      100 * report.late_share, static_cast<double>(report.lateness.quantile(1'000)) / 1'000);
}

std::string success_in_words(const LoadReport& report, bool has_requirements) {
  std::string why = hashes_in_words(report);
  if (has_requirements) why += ", and every requirement held";
  why += replaced_in_words(report.stats);
  if (report.server && report.server->rate_held < kRateHeldMin) {
    why += fmt::format(", but the server ran {:.1f} % of the ticks due and skipped {:.0f}",
                       100 * report.server->rate_held, report.server->skipped);
  }
  if (report.was_restarted) why += ", but the server was restarted: its own figures are not known";
  return why;
}

/// Returns the verdict if the generator has not made the load that was asked for. What the server
/// itself has missed counts nevertheless.
std::optional<LoadVerdict> judge_generator(const LoadMeasured& measured,
                                           const std::vector<RequirementResult>& results) {
  const LoadReport& report = measured.report;
  const bool server_missed = std::ranges::any_of(results, [](const RequirementResult& each) {
    return !each.held && each.value && is_told_by_server(each.text);
  });
  if (server_missed) return std::nullopt;
  LoadVerdict verdict{.code = ExitCode::Inconclusive, .word = "inconclusive"};
  if (is_saturated(report)) {
    verdict.outcome = LoadOutcome::TooSlow;
    verdict.why = lateness_in_words(report);
  } else if (measured.apart_seconds > apart_max(report.seconds)) {
    verdict.outcome = LoadOutcome::Apart;
    verdict.why = fmt::format(
        "the parts did not play at once: the last one began {:.1f} s after "
        "the first one; start them together, or measure for longer",
        measured.apart_seconds);
  } else {
    return std::nullopt;
  }
  return verdict;
}

}  // namespace

LoadVerdict judge(const LoadMeasured& measured, const std::vector<RequirementResult>& results) {
  const LoadReport& report = measured.report;
  const std::string& reason = measured.reason;
  const auto& stats = report.stats;
  if (stats.first_mismatch) {
    return {.code = ExitCode::CheckFailed,
            .outcome = LoadOutcome::Failed,
            .word = "failed",
            .why = mismatches_in_words(stats)};
  }
  const auto not_playing = [&](LoadOutcome outcome, std::string&& why) {
    return LoadVerdict{
        .code = ExitCode::NotConnected,
        .outcome = outcome,
        .word = outcome == LoadOutcome::Disconnected ? "disconnected" : "not connected",
        .why = std::move(why),
        .refused = measured.refused};
  };
  if (report.clients_connected == 0) {
    return not_playing(LoadOutcome::NotConnected,
                       "no client could connect: " +
                           (reason.empty() ? "stopped before the server answered" : reason));
  }
  if (report.clients_dropped > 0) {
    return not_playing(LoadOutcome::Disconnected,
                       fmt::format("{} of {} clients were disconnected: {}", report.clients_dropped,
                                   report.clients_connected, reason));
  }
  if (report.was_stopped) {
    return {.code = ExitCode::Inconclusive,
            .outcome = LoadOutcome::Stopped,
            .word = "inconclusive",
            .why = fmt::format("stopped after {:.1f} s, before its time was up: too early to judge",
                               report.seconds)};
  }
  if (report.clients_connected < report.clients_asked) {
    return not_playing(
        LoadOutcome::NotConnected,
        fmt::format("{} of {} clients could not connect: {}",
                    report.clients_asked - report.clients_connected, report.clients_asked, reason));
  }
  if (auto unfit = judge_generator(measured, results)) return *std::move(unfit);
  const auto missed = std::ranges::count(results, false, &RequirementResult::held);
  if (missed > 0) {
    const bool is_unchecked = stats.hashes_checked == 0 &&
                              std::ranges::any_of(results, is_on_hashes, &RequirementResult::text);
    return {.code = ExitCode::CheckFailed,
            .outcome = LoadOutcome::Failed,
            .word = "failed",
            .why = fmt::format("{} of {} requirements missed{}", missed, results.size(),
                               is_unchecked ? "; no hash was checked: give more clients to "
                                              "--verify, such as 1/1 for all"
                                            : "")};
  }
  return {.word = "passed", .why = success_in_words(report, !results.empty())};
}

LoadResult judged(LoadMeasured&& measured, const std::vector<Requirement>& requirements) {
  LoadResult result{.measured = std::move(measured)};
  result.requirements = check_all(requirements, figures_of(result.measured.report));
  result.verdict = judge(result.measured, result.requirements);
  return result;
}

}  // namespace tickbox::commands
