#include "client/commands/load/load_verdict.h"

#include "client/commands/play/play_figures.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace tickbox::commands {
namespace {

using cli::ExitCode;
using Kind = LoadVerdict::Kind;

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
