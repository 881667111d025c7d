#include "client/commands/load/load_report.h"

#include "client/commands/play/play_figures.h"

#include <algorithm>
#include <array>

namespace tickbox::commands {
namespace {

using std::string_view_literals::operator""sv;

/// The time between two snapshots of a client without news.
constexpr double kSecondsUnseen = 0.1;

FigureValue tick_ms(const std::optional<ServerFigures>& server, double q) {
  const auto seconds = server ? server->tick_seconds.quantile(q) : std::nullopt;
  return or_null(seconds.transform([](double each) { return each * 1'000; }));
}

FigureValue figure_of(const std::optional<ServerFigures>& server, double ServerFigures::* figure) {
  return server ? FigureValue{(*server).*figure} : FigureValue{};
}

/// Returns a count of the server's metrics, which are decimals.
FigureValue count_of(const std::optional<ServerFigures>& server, double ServerFigures::* count) {
  return server ? FigureValue{static_cast<std::uint64_t>((*server).*count)} : FigureValue{};
}

void add_server(Figures& figures, const std::optional<ServerFigures>& server) {
  figures.push_back({"tick_ms.p50", tick_ms(server, 0.5)});
  figures.push_back({"tick_ms.p99", tick_ms(server, 0.99)});
  figures.push_back({"tick_ms.p999", tick_ms(server, 0.999)});
  figures.push_back({"tick_ms.max", tick_ms(server, 1)});
  figures.push_back({"tick_overruns", count_of(server, &ServerFigures::overruns)});
  figures.push_back({"ticks_skipped", count_of(server, &ServerFigures::skipped)});
  figures.push_back({"tick_rate_held", figure_of(server, &ServerFigures::rate_held)});
}

void add_clients(Figures& figures, const LoadReport& report) {
  figures.push_back({"clients.asked", report.clients_asked});
  figures.push_back({"clients.connected", report.clients_connected});
  figures.push_back({"clients.dropped", report.clients_dropped});
  figures.push_back({"clients.first_id", id_or_null(report.first_client)});
  figures.push_back({"clients.rejoined", report.clients_rejoined});
  figures.push_back({"clients.moved", report.clients_moved});
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
  // Without an outage it is 0, as a count is: only a run without a client does not know it.
  const bool is_none = report.outages.count() == 0 && report.clients_connected > 0;
  const auto outage = [&](std::uint32_t per_mille) {
    return is_none ? FigureValue{0.0} : milliseconds(report.outages, per_mille);
  };
  figures.push_back({"outage_ms.p50", outage(500)});
  figures.push_back({"outage_ms.p99", outage(990)});
  figures.push_back({"outage_ms.max", outage(1'000)});
}

}  // namespace

std::optional<ServerFigures> figures_between(const ServerSample& before, const ServerSample& after,
                                             double ticks_seen, double seconds_seen) {
  auto ticks = added_between(before.tick_seconds, after.tick_seconds);
  const double ran = after.ticks - before.ticks;
  const double slipped = after.slipped - before.slipped;
  const double seconds = std::chrono::duration<double>{after.at - before.at}.count();
  if (after.started != before.started) return std::nullopt;
  if (!ticks || ran <= 0 || slipped < 0 || seconds <= 0) return std::nullopt;
  ServerFigures figures{.tick_seconds = *std::move(ticks)};
  figures.overruns = after.overruns - before.overruns;
  // A server that is merely slow skips no tick, so the ticks that its clients saw count too.
  // A view can be old by one interval of a client without news: those ticks are not missing.
  const double due = seconds_seen * after.tick_rate;
  const bool all_seen = ticks_seen + kSecondsUnseen * after.tick_rate + 2 >= due;
  const double seen = all_seen ? 1.0 : ticks_seen / due;
  figures.skipped = slipped;
  figures.rate_held = std::min(ran / (ran + slipped), seen);
  figures.cpu_percent = 100 * (after.cpu_seconds - before.cpu_seconds) / seconds;
  figures.resident_bytes = after.resident_bytes;
  return figures;
}

Figures figures_of(const LoadReport& report) {
  Figures figures;
  add_clients(figures, report);
  add_server(figures, report.server);
  figures.push_back({"joining.tick_ms_max", tick_ms(report.joining, 1)});
  figures.push_back({"joining.overruns", count_of(report.joining, &ServerFigures::overruns)});
  const double client_seconds = report.seconds * static_cast<double>(report.clients_connected);
  const auto rate = [&](std::uint64_t bytes) {
    return or_null(client_seconds > 0 ? std::optional{static_cast<double>(bytes) / client_seconds}
                                      : std::nullopt);
  };
  figures.push_back({"bytes_per_client_per_second.down", rate(report.bytes_down)});
  figures.push_back({"bytes_per_client_per_second.up", rate(report.bytes_up)});
  add_loss(figures, report.stats);
  add_inputs(figures, report.stats);
  add_round_trip(figures, report.stats);
  figures.push_back({"state_hash.clients_checked", report.clients_checked});
  add_state_hash(figures, report.stats);
  add_prediction(figures, report.stats);
  figures.push_back({"server.cpu_percent", figure_of(report.server, &ServerFigures::cpu_percent)});
  figures.push_back({"server.rss_bytes", count_of(report.server, &ServerFigures::resident_bytes)});
  figures.push_back({"generator.threads", report.generator_threads});
  figures.push_back({"generator.cpu_percent", or_null(report.generator_cpu_percent)});
  figures.push_back({"generator.late_p99_ms", milliseconds(report.lateness, 990)});
  figures.push_back({"generator.late_max_ms", milliseconds(report.lateness, 1'000)});
  figures.push_back(
      {"generator.late_share",
       or_null(report.lateness.count() > 0 ? std::optional{report.late_share} : std::nullopt)});
  return figures;
}

bool is_told_by_server(std::string_view path) {
  constexpr std::array kPrefixes{"tick_"sv, "ticks_"sv, "joining."sv, "server."sv};
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return path.starts_with(prefix); });
}

bool is_too_late(const Histogram& lateness, double late_share, double tick_ms) {
  const auto late_ms = [&](std::uint32_t per_mille) {
    return static_cast<double>(lateness.quantile(per_mille)) / 1'000;
  };
  return tick_ms > 0 && (late_ms(990) > tick_ms || late_ms(1'000) > std::max(kLateMaxMs, tick_ms) ||
                         late_share > kLateShareMax);
}

bool is_saturated(const LoadReport& report) {
  return report.is_part_saturated ||
         is_too_late(report.lateness, report.late_share, report.tick_ms);
}

}  // namespace tickbox::commands
