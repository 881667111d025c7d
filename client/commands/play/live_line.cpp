#include "client/commands/play/live_line.h"

#include "client/commands/document.h"
#include "client/commands/play/play_figures.h"

#include <fmt/format.h>

namespace tickbox::commands {
namespace {

std::string alarms(const LiveFigures& figures) {
  std::string text;
  if (figures.hashes_mismatched > 0) {
    text += fmt::format("{} HASHES DIFFER  ", figures.hashes_mismatched);
  }
  if (figures.away > 0) text += fmt::format("{} AWAY  ", figures.away);
  if (figures.failed > 0) text += fmt::format("{} FAILED  ", figures.failed);
  if (figures.server_is_silent) text += "server silent  ";
  return text;
}

/// Returns the share of exact predictions in percent; "-" without any.
std::string exact(const client::PredictionCounts& counts) {
  return counts.checked > 0 ? fmt::format("{:.2f}%", 100 * share(counts.exact, counts.checked))
                            : "-";
}

}  // namespace

std::string live_line(const LiveFigures& figures) {
  const std::string server = figures.server_tick_ms_p99
                                 ? fmt::format("  tick {:.2f} ms", *figures.server_tick_ms_p99)
                                 : "";
  const std::string time = figures.seconds_of > 0 ? fmt::format("{:.0f} of {:.4g} s  ",
                                                                figures.seconds, figures.seconds_of)
                                                  : "";
  return fmt::format(
      "{}{}{} up{}  gaps {:.1f}/{:.1f}/{:.1f} ms  rtt {:.1f}/{:.1f} ms  generator {:.1f} ms "
      "behind, "
      "{:.0f}% cpu  {:.0f} snapshots/s  {} corrections  {:.2f} MB/s down, {:.2f} up",
      alarms(figures), time, figures.up, server, figures.gap_ms_p50, figures.gap_ms_p99,
      figures.gap_ms_p999, figures.rtt_ms_p50, figures.rtt_ms_p99, figures.late_ms_p99,
      figures.cpu_percent, figures.snapshots_per_second, figures.corrections,
      figures.megabytes_down_per_second, figures.megabytes_up_per_second);
}

std::string hash_in_words(const client::ClientStats& stats, Tick tick) {
  if (stats.first_mismatch) {
    return fmt::format("HASH DIFFERS since tick {}", stats.first_mismatch->tick.value);
  }
  if (tick == Tick{}) return "no hash yet";
  return fmt::format("hash ok at tick {}", tick.value);
}

std::vector<std::string> link_in_words(const client::ClientStats& stats) {
  const std::optional<double> up = loss_up(stats);
  return {fmt::format("rtt {:.1f} ms", static_cast<double>(stats.round_trip.quantile(500)) / 1'000),
          fmt::format("loss {:.1f}% down {} up",
                      100 * share(stats.down_sent - stats.down_arrived, stats.down_sent),
                      up ? fmt::format("{:.1f}%", 100 * *up) : std::string{"-"}),
          "predictions " + exact(stats.untouched) + " exact, touched " + exact(stats.touched),
          fmt::format("{} corrections", stats.corrected)};
}

std::string live_line(const client::ClientStats& stats, Tick tick) {
  std::string line = hash_in_words(stats, tick);
  for (const std::string& figure : link_in_words(stats)) {
    line += "  " + figure;
  }
  return line;
}

}  // namespace tickbox::commands
