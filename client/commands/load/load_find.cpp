#include "client/commands/load/load_find.h"

#include "client/commands/load/client_search.h"
#include "client/commands/play/play_figures.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

/// What one number of clients has shown.
struct Tried {
  SearchStep step{};
  LoadMeasured measured{};
  std::vector<RequirementResult> results{};
  LoadVerdict verdict{};
};

std::string in_words(std::size_t clients) {
  return fmt::format("{} {}", clients, clients == 1 ? "client" : "clients");
}

std::string words_of(const std::vector<RequirementResult>& results, bool held) {
  std::string words;
  for (const RequirementResult& each : results) {
    if (each.held != held) continue;
    if (!words.empty()) words += ", ";
    words += each.value ? fmt::format("{} is {:.6g}", each.text, *each.value)
                        : each.text + " is not known";
  }
  return words;
}

Tried try_clients(std::size_t asked, LoadMeasured&& measured,
                  const std::vector<Requirement>& requirements) {
  const LoadReport& report = measured.report;
  const bool is_full =
      measured.refused == net::RefuseReason::Full && report.clients_connected < asked;
  Tried tried{.results = check_all(requirements, figures_of(report))};
  // Those that found no seat are no failure: the others were measured.
  LoadMeasured seated = measured;
  if (is_full) seated.report.clients_asked = report.clients_connected;
  tried.verdict = judge(seated, tried.results);
  tried.step = {
      .asked = asked,
      .clients = is_full ? report.clients_connected : asked,
      .held = tried.verdict.code == ExitCode::Done,
      .server_missed = std::ranges::any_of(
          tried.results,
          [](const RequirementResult& each) { return !each.held && is_told_by_server(each.text); }),
      .is_late = is_saturated(report),
      .generator_cpu_percent =
          report.generator_cpu_percent.value_or(0) / static_cast<double>(report.generator_threads),
      .loss = loss_down(report.stats).value_or(0),
      .rate_held = report.server ? report.server->rate_held : 1};
  tried.measured = std::move(measured);
  return tried;
}

/// Returns whether no other number of clients can show more.
bool ends_search(const Tried& tried) {
  const LoadReport& report = tried.measured.report;
  const auto is_unknown = [](const RequirementResult& each) {
    return !each.value && !is_told_by_server(each.text);
  };
  // A server that admits no more for its load has shown how many it holds.
  const bool is_refused =
      tried.verdict.outcome == LoadOutcome::NotConnected &&
      (report.clients_connected == 0 ||
       (tried.verdict.refused && tried.verdict.refused != net::RefuseReason::Overloaded));
  return report.stats.first_mismatch || report.was_stopped || is_refused ||
         (tried.verdict.outcome == LoadOutcome::Failed &&
          std::ranges::any_of(tried.results, is_unknown));
}

/// Returns why a number of clients does not hold.
std::string reason_of(const Tried& tried, ClientLimit limit) {
  std::string words = tried.verdict.outcome == LoadOutcome::Failed || tried.step.server_missed
                          ? words_of(tried.results, false)
                          : tried.verdict.why;
  if (limit == ClientLimit::Network) {
    words += fmt::format(", and {:.3g} % of the server's packets were lost", 100 * tried.step.loss);
  } else if (limit == ClientLimit::Generator && !tried.step.is_late) {
    words += fmt::format(
        ", and the load generator used {:.0f} % of a processor{}; try --verify 1/16, more "
        "--threads if processors are free, or a faster machine",
        tried.step.generator_cpu_percent,
        tried.measured.report.generator_threads > 1 ? " for each thread" : "");
  }
  return words;
}

/// Returns the verdict of a search that is over. `missed`: why search.missed() clients do not hold.
LoadVerdict verdict_of(const ClientSearch& search, const std::string& missed) {
  const ClientLimit limit = search.limit();
  const std::string held = "every requirement holds with " + in_words(search.held());
  if (limit == ClientLimit::None) return {.word = "passed", .why = held + ", the most to try"};
  if (limit == ClientLimit::Seats) {
    return {.word = "passed",
            .why = fmt::format("{}; the server has seats for {}", held, search.most())};
  }
  LoadVerdict verdict{
      .word = "passed",
      .why = fmt::format("{} with {}: {}. The limit is the {}",
                         search.held() > 0 ? held + ", but not" : "not every requirement holds",
                         search.missed(), missed,
                         limit == ClientLimit::Generator ? "load generator" : name_of(limit))};
  if (limit == ClientLimit::Generator) {
    verdict.code = ExitCode::Inconclusive;
    verdict.outcome = LoadOutcome::TooSlow;
    verdict.word = "inconclusive";
  } else if (search.held() == 0) {
    verdict.code = ExitCode::CheckFailed;
    verdict.outcome = LoadOutcome::Failed;
    verdict.word = "failed";
  }
  return verdict;
}

/// Returns the verdict of a search that `last` has ended before it was over.
LoadVerdict verdict_of(const ClientSearch& search, const Tried& last) {
  LoadVerdict verdict = last.verdict;
  const LoadReport& report = last.measured.report;
  if (!report.stats.first_mismatch && report.was_stopped) {
    verdict = {.code = ExitCode::Inconclusive,
               .outcome = LoadOutcome::Stopped,
               .word = "inconclusive",
               .why = "stopped before the end of the search"};
  } else if (!report.stats.first_mismatch && verdict.outcome == LoadOutcome::Failed) {
    verdict.why += ": " + words_of(last.results, false);
  }
  if (search.held() > 0) {
    verdict.why += "; every requirement held with " + in_words(search.held());
  }
  return verdict;
}

}  // namespace

std::expected<LoadResult, LoadVerdict> find_clients(const FindParts& parts) {
  ClientSearch search{parts.most, parts.least};
  LoadResult found;
  std::string missed;
  const auto keep = [&found](Tried&& tried) {
    found.measured = std::move(tried.measured);
    found.requirements = std::move(tried.results);
  };
  const auto figures = [&search](FigureValue limit) {
    const bool is_known = search.held() + search.missed() > 0;
    return Figures{{"find.clients", is_known ? FigureValue{search.held()} : FigureValue{}},
                   {"find.limit", std::move(limit)}};
  };
  while (const auto asked = search.next()) {
    parts.print_note(fmt::format("{}: trying", in_words(*asked)));
    auto measured = parts.measure(*asked);
    if (!measured) return std::unexpected(std::move(measured.error()));
    Tried tried = try_clients(*asked, *std::move(measured), parts.requirements);
    if (ends_search(tried)) {
      found.verdict = verdict_of(search, tried);
      found.find = figures({});
      if (search.held() == 0 || found.verdict.outcome != LoadOutcome::Stopped) {
        keep(std::move(tried));
      }
      return found;
    }
    const ClientLimit limit = search.record(tried.step);
    const std::size_t clients = tried.step.clients;
    const bool is_held = limit == ClientLimit::None;
    const std::string words =
        is_held ? "held, " + words_of(tried.results, true) : reason_of(tried, limit);
    parts.print_note(
        fmt::format("{}{}: {}{}", in_words(clients),
                    clients < *asked ? ", all that the server has seats for" : "",
                    is_held ? "" : fmt::format("not held (limit: {}), ", name_of(limit)), words));
    found.steps.push_back({.asked = *asked,
                           .clients = clients,
                           .limit = name_of(limit),
                           .requirements = tried.results});
    if (!is_held && clients == search.missed()) missed = words;
    if (search.held() == (is_held ? clients : 0)) keep(std::move(tried));
  }
  found.verdict = verdict_of(search, missed);
  found.find = figures(std::string{name_of(search.limit())});
  return found;
}

}  // namespace tickbox::commands
