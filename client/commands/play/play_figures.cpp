#include "client/commands/play/play_figures.h"

#include "client/commands/text.h"
#include "engine/log/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace tickbox::commands {
namespace {

/// Returns part / whole; nothing of nothing.
std::optional<double> share_of_any(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? std::optional{share(part, whole)} : std::nullopt;
}

/// Returns the name of a field. A field that is not of an entity has its subject before it.
std::string name_of(const engine::WorldDifference& difference) {
  const std::string& field = difference.first_fields[0].field;
  return difference.entity || difference.subject.empty() ? field : difference.subject + " " + field;
}

}  // namespace

FigureValue id_or_null(std::optional<std::uint64_t> id) {
  return id ? FigureValue{std::to_string(*id)} : FigureValue{};
}

FigureValue share_or_null(std::uint64_t part, std::uint64_t whole) {
  return or_null(share_of_any(part, whole));
}

Figures first_mismatch(const client::ClientStats& stats) {
  if (!stats.first_mismatch) return {{"", {}}};
  const client::HashMismatch& first = *stats.first_mismatch;
  Figures figures{{".tick", std::uint64_t{first.tick.value}}};
  if (!first.difference) {
    for (const char* const name : {".entity", ".field", ".expected", ".got"}) {
      figures.push_back({name, {}});
    }
    return figures;
  }
  const engine::WorldDifference& difference = *first.difference;
  figures.push_back(
      {".entity", id_or_null(difference.entity.transform([](BodyId id) { return id.value; }))});
  figures.push_back({".field", name_of(difference)});
  figures.push_back({".expected", difference.first_fields[0].expected});
  figures.push_back({".got", difference.first_fields[0].got});
  return figures;
}

void add_stats(Figures& figures, const client::ClientStats& stats) {
  FigureLister lister;
  each_stats_figure(lister, stats);
  for (ListedFigure& each : lister.finish()) {
    figures.push_back(std::move(each.figure));
  }
}

std::string mismatches_in_words(const client::ClientStats& stats) {
  const client::HashMismatch& first = *stats.first_mismatch;
  std::string words = fmt::format(
      "{} of {} hashes differ, first at tick {}: {:08x} at the server, {:08x} here",
      stats.hashes_mismatched, stats.hashes_checked, first.tick.value, first.expected, first.got);
  if (first.difference) {
    const engine::WorldDifference& difference = *first.difference;
    const engine::FieldDifference& field = difference.first_fields[0];
    const std::string& subject = difference.subject;
    words += fmt::format(
        "; {}: {} is {} at the server, {} here",
        difference.entity
            ? engine::entity_in_words(subject.substr(0, subject.find(' ')), *difference.entity)
            : subject,
        field.field, field.expected, field.got);
  }
  return words;
}

void add_events(Figures& figures, const client::ClientStats& stats, const GameTable* game) {
  figures.push_back({"events.Seat", stats.events[0]});
  if (game == nullptr) return;
  for (std::size_t i = 0; i < game->events.size(); ++i) {
    figures.push_back({"events." + std::string{game->events[i].name}, stats.events[i + 1]});
  }
}

void add_interpolation(Figures& figures, const client::ClientStats& stats) {
  const auto of_all = [&](std::uint64_t ticks) {
    return stats.ticks_shown > 0 ? FigureValue{share(ticks, stats.ticks_shown)} : FigureValue{};
  };
  figures.push_back({"interpolation.delay_ms",
                     stats.ticks_shown > 0
                         ? FigureValue{share(stats.presentation_delay, stats.ticks_shown) / 1'000}
                         : FigureValue{}});
  figures.push_back({"interpolation.extrapolated", of_all(stats.ticks_extrapolated)});
  figures.push_back({"interpolation.unforeseen", of_all(stats.ticks_extrapolated_wrong)});
}

std::optional<double> loss_up(const client::ClientStats& stats) {
  if (stats.up_sent < kLossPacketsMin) return std::nullopt;
  return share(stats.up_sent - stats.up_arrived, stats.up_sent);
}

std::optional<double> loss_down(const client::ClientStats& stats) {
  return share_of_any(stats.down_sent - stats.down_arrived, stats.down_sent);
}

void add_end(Figures& figures, const CommandEnd& end) {
  figures.push_back({"exit", static_cast<std::uint64_t>(cli::to_int(end.code))});
  if (end.code != cli::ExitCode::Done) figures.push_back({"error", end.error});
  if (end.refused) figures.push_back({"refused", std::string{net::name_of(*end.refused)}});
}

std::string bad_play_in_words(const client::ClientStats& stats) {
  constexpr std::uint64_t kMany = 20;
  const auto is_many = [](std::uint64_t part, std::uint64_t whole) {
    return whole > 0 && part * kMany >= whole;
  };
  std::string words;
  if (is_many(stats.inputs_substituted, stats.inputs_sent)) {
    words += fmt::format(
        ", but the server replaced {:.0f} % of the inputs, which came too late or not at all",
        100 * share(std::min(stats.inputs_substituted, stats.inputs_sent), stats.inputs_sent));
  }
  const std::uint64_t predicted = stats.untouched.checked + stats.touched.checked;
  if (is_many(stats.corrected, predicted)) {
    words += fmt::format(", {} {:.0f} % of the predictions were corrected",
                         words.empty() ? "but" : "and", 100 * share(stats.corrected, predicted));
  }
  return words;
}

}  // namespace tickbox::commands
