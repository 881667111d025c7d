#include "client/commands/play/play_figures.h"

#include "client/commands/text.h"
#include "core/fixed.h"
#include "engine/log/words.h"
#include "engine/log/world_difference.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace tickbox::commands {
namespace {

FigureValue units(const Histogram& sub_units, std::uint32_t per_mille) {
  if (sub_units.count() == 0) return {};
  return static_cast<double>(sub_units.quantile(per_mille)) / kUnit;
}

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

FigureValue milliseconds(const Histogram& microseconds, std::uint32_t per_mille) {
  if (microseconds.count() == 0) return {};
  return static_cast<double>(microseconds.quantile(per_mille)) / 1'000;
}

FigureValue id_or_null(std::optional<std::uint64_t> id) {
  return id ? FigureValue{std::to_string(*id)} : FigureValue{};
}

void add_state_hash(Figures& figures, const client::ClientStats& stats) {
  figures.push_back({"state_hash.checked", stats.hashes_checked});
  figures.push_back({"state_hash.mismatched", stats.hashes_mismatched});
  if (!stats.first_mismatch) {
    figures.push_back({"state_hash.first_mismatch", {}});
    return;
  }
  const client::HashMismatch& first = *stats.first_mismatch;
  const auto add = [&](const char* name, FigureValue value) {
    figures.push_back({std::string{"state_hash.first_mismatch."} + name, std::move(value)});
  };
  add("tick", std::uint64_t{first.tick.value});
  if (!first.difference) {
    for (const char* const name : {"entity", "field", "expected", "got"}) {
      add(name, {});
    }
    return;
  }
  const engine::WorldDifference& difference = *first.difference;
  add("entity", id_or_null(difference.entity.transform([](BodyId id) { return id.value; })));
  add("field", name_of(difference));
  add("expected", difference.first_fields[0].expected);
  add("got", difference.first_fields[0].got);
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

void add_prediction(Figures& figures, const client::ClientStats& stats) {
  figures.push_back({"prediction.checked", stats.untouched.checked});
  figures.push_back({"prediction.exact", stats.untouched.exact});
  figures.push_back({"prediction.corrected", stats.corrected});
  figures.push_back(
      {"prediction.corrected_share",
       or_null(share_of_any(stats.corrected, stats.untouched.checked + stats.touched.checked))});
  figures.push_back({"prediction.error_p99", units(stats.prediction_error, 990)});
  figures.push_back({"prediction.error_max", units(stats.prediction_error, 1'000)});
  figures.push_back({"prediction.touched.checked", stats.touched.checked});
  figures.push_back({"prediction.touched.exact", stats.touched.exact});
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

void add_loss(Figures& figures, const client::ClientStats& stats) {
  figures.push_back({"loss.up", or_null(loss_up(stats))});
  figures.push_back({"loss.down", or_null(loss_down(stats))});
  figures.push_back({"loss.up_packets", stats.up_sent});
  figures.push_back({"loss.down_packets", stats.down_sent});
}

void add_end(Figures& figures, const CommandEnd& end) {
  figures.push_back({"exit", static_cast<std::uint64_t>(cli::to_int(end.code))});
  if (end.code != cli::ExitCode::Done) figures.push_back({"error", end.error});
  if (end.refused) figures.push_back({"refused", std::string{net::name_of(*end.refused)}});
}

std::string replaced_in_words(const client::ClientStats& stats) {
  constexpr std::uint64_t kReplaced = 20;
  if (stats.inputs_sent == 0 || stats.inputs_substituted * kReplaced < stats.inputs_sent) return "";
  return fmt::format(
      ", but the server replaced {:.0f} % of the inputs, which came too late or not at all",
      100 * share(std::min(stats.inputs_substituted, stats.inputs_sent), stats.inputs_sent));
}

void add_inputs(Figures& figures, const client::ClientStats& stats) {
  figures.push_back({"inputs.sent", stats.inputs_sent});
  figures.push_back({"inputs.late", stats.inputs_late});
  figures.push_back({"inputs.substituted", stats.inputs_substituted});
  figures.push_back({"inputs.substituted_share",
                     or_null(share_of_any(std::min(stats.inputs_substituted, stats.inputs_sent),
                                          stats.inputs_sent))});
  figures.push_back({"inputs.discarded", stats.inputs_discarded});
}

void add_round_trip(Figures& figures, const client::ClientStats& stats) {
  figures.push_back({"rtt_ms.p50", milliseconds(stats.round_trip, 500)});
  figures.push_back({"rtt_ms.p99", milliseconds(stats.round_trip, 990)});
}

}  // namespace tickbox::commands
