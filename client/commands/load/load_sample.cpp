#include "client/commands/load/load_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace tickbox::commands {
namespace {

void add_spread(Figures& figures, const std::string& object, const std::optional<Spread>& spread) {
  const auto add = [&](const char* name, double Spread::* value) {
    figures.push_back({object + name, spread ? FigureValue{(*spread).*value} : FigureValue{}});
  };
  add(".p50", &Spread::p50);
  add(".p99", &Spread::p99);
  add(".max", &Spread::max);
}

void add_server(Figures& figures, const LoadSample& sample) {
  add_spread(figures, "tick_ms", sample.tick_ms);
  figures.push_back({"tick_overruns", or_null(sample.tick_overruns)});
  figures.push_back({"ticks_skipped", or_null(sample.ticks_skipped)});
  figures.push_back({"server.cpu_percent", or_null(sample.server_cpu_percent)});
  figures.push_back({"server.rss_bytes", or_null(sample.server_rss_bytes)});
}

void add_generator(Figures& figures, const LoadSample& sample) {
  figures.push_back({"generator.cpu_percent", or_null(sample.generator_cpu_percent)});
  const std::optional<Spread>& late = sample.late_ms;
  figures.push_back({"generator.late_p99_ms", late ? FigureValue{late->p99} : FigureValue{}});
  figures.push_back({"generator.late_max_ms", late ? FigureValue{late->max} : FigureValue{}});
  figures.push_back({"generator.late_share", sample.late_share});
  figures.push_back({"generator.is_too_late", sample.is_too_late});
}

void add_counts(client::PredictionCounts& counts, const client::PredictionCounts& more) {
  counts.checked += more.checked;
  counts.exact += more.exact;
}

template <class T>
void keep_larger(std::optional<T>& value, const std::optional<T>& other) {
  if (other && (!value || *value < *other)) value = other;
}

void keep_larger(std::optional<Spread>& spread, const std::optional<Spread>& other) {
  if (!spread || !other) {
    if (other) spread = other;
    return;
  }
  for (double Spread::* each : {&Spread::p50, &Spread::p99, &Spread::max}) {
    (*spread).*each = std::max((*spread).*each, (*other).*each);
  }
}

void add_count(std::optional<std::uint64_t>& count, const std::optional<std::uint64_t>& more) {
  if (more) count = count.value_or(0) + *more;
}

}  // namespace

Figures figures_of(const LoadSample& sample) {
  Figures figures;
  figures.push_back({"at", sample.at});
  figures.push_back({"seconds", sample.seconds});
  figures.push_back({"joining", sample.joining});
  const SwarmStates& states = sample.states;
  figures.push_back({"clients.connected", std::uint64_t{states.connected}});
  figures.push_back({"clients.away", std::uint64_t{states.returning}});
  figures.push_back({"clients.failed",
                     std::uint64_t{states.never_connected + states.dropped - states.returning}});
  add_spread(figures, "snapshot_gap_ms", sample.snapshot_gap_ms);
  add_server(figures, sample);
  add_spread(figures, "bytes_per_client_per_second.down", sample.bytes_down);
  add_spread(figures, "bytes_per_client_per_second.up", sample.bytes_up);
  add_spread(figures, "rtt_ms", sample.rtt_ms);
  figures.push_back({"state_hash.checked", sample.hashes_checked});
  figures.push_back({"state_hash.mismatched", sample.hashes_mismatched});
  figures.push_back({"prediction.checked", sample.untouched.checked});
  figures.push_back({"prediction.exact", sample.untouched.exact});
  figures.push_back({"prediction.corrected", sample.corrected});
  figures.push_back({"prediction.touched.checked", sample.touched.checked});
  figures.push_back({"prediction.touched.exact", sample.touched.exact});
  add_generator(figures, sample);
  return figures;
}

void merge(LoadSample& sample, const LoadSample& later) {
  sample.at = later.at;
  sample.seconds += later.seconds;
  sample.joining = sample.joining && later.joining;
  sample.states = later.states;
  keep_larger(sample.snapshot_gap_ms, later.snapshot_gap_ms);
  keep_larger(sample.rtt_ms, later.rtt_ms);
  keep_larger(sample.bytes_down, later.bytes_down);
  keep_larger(sample.bytes_up, later.bytes_up);
  sample.hashes_checked += later.hashes_checked;
  sample.hashes_mismatched += later.hashes_mismatched;
  add_counts(sample.untouched, later.untouched);
  add_counts(sample.touched, later.touched);
  sample.corrected += later.corrected;
  keep_larger(sample.tick_ms, later.tick_ms);
  add_count(sample.tick_overruns, later.tick_overruns);
  add_count(sample.ticks_skipped, later.ticks_skipped);
  keep_larger(sample.server_cpu_percent, later.server_cpu_percent);
  keep_larger(sample.server_rss_bytes, later.server_rss_bytes);
  keep_larger(sample.generator_cpu_percent, later.generator_cpu_percent);
  keep_larger(sample.late_ms, later.late_ms);
  sample.late_share = std::max(sample.late_share, later.late_share);
  sample.is_too_late = sample.is_too_late || later.is_too_late;
  for (std::size_t i = 0; i < std::min(sample.clients.size(), later.clients.size()); ++i) {
    for (const ClientFigure& each : client_figures()) {
      float& value = sample.clients[i].*each.value;
      value = std::max(value, later.clients[i].*each.value);
    }
  }
}

std::span<const ClientFigure> client_figures() {
  static constexpr std::array kFigures{
      ClientFigure{.name = "snapshot_gap_ms", .value = &ClientSample::snapshot_gap_ms},
      ClientFigure{.name = "rtt_ms", .value = &ClientSample::rtt_ms},
      ClientFigure{.name = "corrected", .value = &ClientSample::corrected}};
  return kFigures;
}

std::string to_line(const LoadSample& sample) {
  Figures figures = figures_of(sample);
  figures.insert(figures.begin(), {"line", std::string{"second"}});
  std::string line = to_json(figures);
  line.pop_back();
  line += ",\"each_client\":{";
  for (const ClientFigure& figure : client_figures()) {
    if (line.back() == '}' || line.back() == ']') line += ',';
    fmt::format_to(std::back_inserter(line), "\"{}\":[", figure.name);
    for (const ClientSample& client : sample.clients) {
      const float value = client.*figure.value;
      if (line.back() != '[') line += ',';
      if (value < 0) {
        line += "null";
      } else {
        fmt::format_to(std::back_inserter(line), "{:.4g}", value);
      }
    }
    line += ']';
  }
  return line + "}}\n";
}

}  // namespace tickbox::commands
