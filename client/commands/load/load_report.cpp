#include "client/commands/load/load_report.h"

#include "client/commands/connect/play_figures.h"

#include <algorithm>
#include <array>

namespace tickbox::commands {
namespace {

using std::string_view_literals::operator""sv;

FigureValue or_null(std::optional<double> value) {
  return value ? FigureValue{*value} : FigureValue{};
}

void add_server(Figures& figures, const std::optional<ServerFigures>& server) {
  const auto tick_ms = [&](double q) -> FigureValue {
    const auto seconds = server ? server->tick_seconds.quantile(q) : std::nullopt;
    return seconds ? FigureValue{*seconds * 1'000} : FigureValue{};
  };
  figures.push_back({"tick_ms.p50", tick_ms(0.5)});
  figures.push_back({"tick_ms.p99", tick_ms(0.99)});
  figures.push_back({"tick_ms.p999", tick_ms(0.999)});
  figures.push_back({"tick_ms.max", tick_ms(1)});
  figures.push_back(
      {"tick_overruns",
       server ? FigureValue{static_cast<std::uint64_t>(server->overruns)} : FigureValue{}});
  figures.push_back({"tick_rate_held", server ? FigureValue{server->rate_held} : FigureValue{}});
}

void add_clients(Figures& figures, const LoadReport& report) {
  figures.push_back({"clients.asked", report.clients_asked});
  figures.push_back({"clients.connected", report.clients_connected});
  figures.push_back({"clients.dropped", report.clients_dropped});
  figures.push_back({"matches_ended", report.matches_ended});
  std::vector<double> rates = report.snapshot_rates;
  std::ranges::sort(rates);
  const bool any = !rates.empty();
  figures.push_back({"snapshots_per_client_per_second.min",
                     or_null(any ? std::optional{rates.front()} : std::nullopt)});
  figures.push_back({"snapshots_per_client_per_second.p50",
                     or_null(any ? std::optional{rates[(rates.size() - 1) / 2]} : std::nullopt)});
  const Histogram& gap = report.stats.snapshot_gap;
  figures.push_back({"snapshot_gap_ms.p50", milliseconds(gap, 500)});
  figures.push_back({"snapshot_gap_ms.p99", milliseconds(gap, 990)});
  figures.push_back({"snapshot_gap_ms.p999", milliseconds(gap, 999)});
}

}  // namespace

std::optional<ServerFigures> figures_between(const ServerSample& before, const ServerSample& after,
                                             double ticks_seen, double seconds_seen) {
  auto ticks = added_between(before.tick_seconds, after.tick_seconds);
  const double ran = after.ticks - before.ticks;
  const double slipped = after.slipped - before.slipped;
  const double seconds = std::chrono::duration<double>{after.at - before.at}.count();
  if (!ticks || ran <= 0 || slipped < 0 || seconds <= 0) return std::nullopt;
  ServerFigures figures{.tick_seconds = *std::move(ticks)};
  figures.overruns = after.overruns - before.overruns;
  // A server that is merely slow skips no tick, so the ticks that its clients saw count too.
  const double due = seconds_seen * after.tick_rate;
  const double seen = due > 0 ? std::min(1.0, ticks_seen / due) : 1.0;
  figures.rate_held = std::min(ran / (ran + slipped), seen);
  figures.cpu_percent = 100 * (after.cpu_seconds - before.cpu_seconds) / seconds;
  figures.resident_bytes = after.resident_bytes;
  return figures;
}

Figures figures_of(const LoadReport& report) {
  Figures figures;
  add_clients(figures, report);
  add_server(figures, report.server);
  const double client_seconds = report.seconds * static_cast<double>(report.clients_connected);
  const auto rate = [&](std::uint64_t bytes) {
    return or_null(client_seconds > 0 ? std::optional{static_cast<double>(bytes) / client_seconds}
                                      : std::nullopt);
  };
  figures.push_back({"bytes_per_client_per_second.down", rate(report.bytes_down)});
  figures.push_back({"bytes_per_client_per_second.up", rate(report.bytes_up)});
  add_round_trip(figures, report.stats);
  add_state_hash(figures, report.stats);
  add_prediction(figures, report.stats);
  const auto& server = report.server;
  figures.push_back(
      {"server.cpu_percent", server ? FigureValue{server->cpu_percent} : FigureValue{}});
  figures.push_back(
      {"server.rss_bytes",
       server ? FigureValue{static_cast<std::uint64_t>(server->resident_bytes)} : FigureValue{}});
  figures.push_back({"generator.cpu_percent", or_null(report.generator_cpu_percent)});
  figures.push_back({"generator.late_p99_ms", milliseconds(report.lateness, 990)});
  return figures;
}

bool is_told_by_server(std::string_view path) {
  constexpr std::array kPrefixes{"tick_"sv, "server."sv};
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return path.starts_with(prefix); });
}

bool is_saturated(const LoadReport& report) {
  return report.tick_ms > 0 &&
         static_cast<double>(report.lateness.quantile(990)) / 1'000 > report.tick_ms;
}

}  // namespace tickbox::commands
