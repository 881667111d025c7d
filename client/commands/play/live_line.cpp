#include "client/commands/play/live_line.h"

#include "client/commands/document.h"
#include "client/commands/play/play_figures.h"

#include <fmt/format.h>

namespace tickbox::commands {
namespace {

/// Returns the share of exact predictions in percent; "-" without any.
std::string exact(const client::PredictionCounts& counts) {
  return counts.checked > 0 ? fmt::format("{:.2f}%", 100 * share(counts.exact, counts.checked))
                            : "-";
}

}  // namespace

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
