#include "client/commands/load/load_seconds.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace tickbox::commands {
namespace {

struct ClientFigure {
  std::string_view name;
  float ClientSample::* value;
};

/// The figures of each client.
constexpr std::array kClientFigures = {
    ClientFigure{.name = "snapshot_gap_ms", .value = &ClientSample::snapshot_gap_ms},
    ClientFigure{.name = "rtt_ms", .value = &ClientSample::rtt_ms},
    ClientFigure{.name = "corrected", .value = &ClientSample::corrected}};

FigureValue sum_of(const FigureValue& value, const FigureValue& more) {
  const auto* const count = std::get_if<std::uint64_t>(&value);
  const auto* const added = std::get_if<std::uint64_t>(&more);
  if (count != nullptr && added != nullptr) return *count + *added;
  const auto number = number_of(value);
  const auto number_added = number_of(more);
  return number && number_added ? FigureValue{*number + *number_added} : std::max(value, more);
}

void join(FigureValue& value, Joined how, const FigureValue& later) {
  switch (how) {
    case Joined::Sum:
      value = sum_of(value, later);
      return;
    case Joined::Largest:
      value = std::max(value, later);  // null is the least
      return;
    case Joined::First:
    case Joined::Last:
      value = later;
  }
}

/// Returns the figure of this path; nothing if it is not known.
std::optional<double> number_at(const LoadSecond& second, std::string_view path) {
  const auto found = std::ranges::find(
      second.figures, path,
      [](const SecondFigure& each) -> std::string_view { return each.figure.path; });
  return found != second.figures.end() ? number_of(found->figure.value) : std::nullopt;
}

}  // namespace

std::string live_line(const LoadSecond& last, const LiveMoment& moment) {
  const SwarmStates& states = moment.states;
  const std::size_t failed = states.never_connected + states.dropped - states.returning;
  std::string line;
  if (moment.hashes_mismatched > 0) {
    line += fmt::format("{} HASHES DIFFER  ", moment.hashes_mismatched);
  }
  if (states.returning > 0) line += fmt::format("{} AWAY  ", states.returning);
  if (failed > 0) line += fmt::format("{} FAILED  ", failed);
  if (moment.server_is_silent) line += "server silent  ";
  if (moment.seconds_of > 0) {
    line += fmt::format("{:.0f} of {:.4g} s  ", moment.seconds, moment.seconds_of);
  }
  line += fmt::format("{} up", states.connected);
  const auto number = [&](const char* path) { return number_at(last, path); };
  if (const auto tick = number("tick_ms.p99")) line += fmt::format("  tick {:.2f} ms", *tick);
  const auto known = [&](const char* path) { return number(path).value_or(0); };
  return line +
         fmt::format(
             "  gaps {:.1f}/{:.1f}/{:.1f} ms  rtt {:.1f}/{:.1f} ms  generator {:.1f} ms behind, "
             "{:.0f}% cpu  {} corrections  {:.1f} kB/s down each, {:.1f} up",
             known("snapshot_gap_ms.p50"), known("snapshot_gap_ms.p99"),
             known("snapshot_gap_ms.max"), known("rtt_ms.p50"), known("rtt_ms.p99"),
             known("generator.late_p99_ms"), known("generator.cpu_percent"),
             known("prediction.corrected"), known("bytes_per_client_per_second.down.p50") / 1'000,
             known("bytes_per_client_per_second.up.p50") / 1'000);
}

void join(LoadSecond& second, const LoadSecond& later) {
  for (std::size_t i = 0; i < second.figures.size(); ++i) {
    const auto& [figure, how] = second.figures[i];
    join(second.figures[i].figure.value, how, later.figures[i].figure.value);
  }
  for (std::size_t i = 0; i < std::min(second.clients.size(), later.clients.size()); ++i) {
    for (const ClientFigure& each : kClientFigures) {
      float& value = second.clients[i].*each.value;
      value = std::max(value, later.clients[i].*each.value);
    }
  }
}

std::string to_line(const LoadSecond& second) {
  Figures figures{{"line", std::string{"second"}}};
  for (const SecondFigure& each : second.figures) {
    figures.push_back(each.figure);
  }
  std::string line = to_json(figures);
  line.pop_back();
  std::string_view begin = R"(,"each_client":{)";
  for (const ClientFigure& figure : kClientFigures) {
    fmt::format_to(std::back_inserter(line), "{}\"{}\":[", begin, figure.name);
    for (const ClientSample& client : second.clients) {
      const float value = client.*figure.value;
      if (line.back() != '[') line += ',';
      if (value < 0) {
        line += "null";
      } else {
        fmt::format_to(std::back_inserter(line), "{:.4g}", value);
      }
    }
    line += ']';
    begin = ",";
  }
  return line + "}}\n";
}

void LoadTimeline::add(LoadSecond&& second) {
  if (!columns_.empty() && in_last_ < joined_) {
    join(columns_.back(), second);
    ++in_last_;
    return;
  }
  if (columns_.size() == columns_max_) {
    for (std::size_t i = 0; i < columns_max_ / 2; ++i) {
      join(columns_[2 * i], columns_[2 * i + 1]);
      if (i > 0) columns_[i] = std::move(columns_[2 * i]);
    }
    columns_.resize(columns_max_ / 2);
    joined_ *= 2;
  }
  columns_.push_back(std::move(second));
  in_last_ = 1;
}

}  // namespace tickbox::commands
