#include "client/commands/connect/play_summary.h"

#include "client/commands/document.h"
#include "client/commands/text.h"
#include "core/fixed.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace tickbox::commands {
namespace {

using client::ClientStats;

/// Returns a line of the summary, with its name in a column.
std::string line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<8}  {}\n", name, text);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return short_number(100 * share(part, whole)) + " %";
}

std::string state_line(const ClientStats& stats) {
  const std::uint64_t equal = stats.hashes_checked - stats.hashes_mismatched;
  std::string text = fmt::format("{} of {} snapshots have the server's hash", grouped(equal),
                                 grouped(stats.hashes_checked));
  if (stats.snapshots_rejected > 0) {
    text += fmt::format("; {} rejected", grouped(stats.snapshots_rejected));
  }
  return line("state", text);
}

std::string prediction_line(const ClientStats& stats) {
  const std::uint64_t checked = stats.untouched.checked + stats.touched.checked;
  const std::uint64_t exact = stats.untouched.exact + stats.touched.exact;
  std::string text = fmt::format("{} predictions, ", grouped(checked));
  if (exact == checked) {
    text += "all exact";
  } else {
    const auto units = [&](std::uint32_t per_mille) {
      return short_number(static_cast<double>(stats.prediction_error.quantile(per_mille)) / kUnit);
    };
    text += fmt::format("{} exact, {} corrected; errors: p99 {} units, at most {}", grouped(exact),
                        grouped(stats.corrected), units(990), units(1'000));
  }
  if (stats.touched.checked > 0) {
    text += fmt::format("; {} with contact, {} of them exact", grouped(stats.touched.checked),
                        grouped(stats.touched.exact));
  }
  return line("own body", text);
}

std::string others_line(const ClientStats& stats) {
  const double delay_ms = share(stats.presentation_delay, stats.ticks_shown) / 1'000;
  return line("others", fmt::format("shown {} ms late; {} of ticks ran ahead of the newest "
                                    "snapshot, {} of ticks a wrong guess",
                                    short_number(delay_ms),
                                    percent(stats.ticks_extrapolated, stats.ticks_shown),
                                    percent(stats.ticks_extrapolated_wrong, stats.ticks_shown)));
}

std::string inputs_line(const ClientStats& stats) {
  std::string text =
      fmt::format("{} sent, {} too late", grouped(stats.inputs_sent), grouped(stats.inputs_late));
  if (stats.inputs_substituted > 0) {
    text += "; the server used another one in " + counted(stats.inputs_substituted, "tick");
  }
  if (stats.inputs_discarded > 0) {
    text += fmt::format("; {} discarded by a pause of the server", grouped(stats.inputs_discarded));
  }
  return line("inputs", text);
}

std::string link_line(const PlaySummary& summary, const ClientStats& stats) {
  std::string text;
  if (stats.round_trip.count() > 0) {
    const auto ms = [&](std::uint32_t per_mille) {
      return short_number(static_cast<double>(stats.round_trip.quantile(per_mille)) / 1'000);
    };
    text += fmt::format("rtt {} ms (p99 {}), ", ms(500), ms(990));
  }
  const std::optional<double> up = loss_up(stats);
  text += fmt::format("loss {} up, {} down", up ? short_number(100 * *up) + " %" : "-",
                      percent(stats.down_sent - stats.down_arrived, stats.down_sent));
  if (summary.seconds > 0) {
    const auto rate = [&](std::uint64_t bytes) {
      return short_number(static_cast<double>(bytes) / summary.seconds / 1'000);
    };
    text += fmt::format(", {} kB/s down, {} up", rate(summary.use.bytes_down),
                        rate(summary.use.bytes_up));
  }
  return line("link", text);
}

std::string simulated_line(std::string_view name, const net::LinkCounts& counts) {
  std::string text = counted(counts.in, "packet");
  for (const auto& [number, what] :
       {std::pair{counts.lost, "lost"}, std::pair{counts.duplicated, "duplicated"},
        std::pair{counts.reordered, "reordered"}, std::pair{counts.corrupted, "corrupted"},
        std::pair{counts.truncated, "truncated"}}) {
    if (number > 0) text += fmt::format(", {} {}", grouped(number), what);
  }
  return line(name, text);
}

/// Returns the share of exact predictions in percent; "-" without any.
std::string exact(const client::PredictionCounts& counts) {
  return counts.checked > 0 ? fmt::format("{:.2f}%", 100 * share(counts.exact, counts.checked))
                            : "-";
}

}  // namespace

std::string summary_text(const PlaySummary& summary, const ClientStats& stats) {
  std::string text = fmt::format("connected to {} for {:.1f} s as player {} ({} at {} Hz)\n\n",
                                 summary.server, summary.seconds, summary.seat.value,
                                 counted(stats.ticks, "tick"), summary.tick_rate);
  if (summary.resumed > 0) {
    text += line("sessions", fmt::format("{} resumed", grouped(summary.resumed)));
  }
  if (summary.matches_ended > 0) {
    text += line("matches", fmt::format("{} ended", grouped(summary.matches_ended)));
  }
  text += state_line(stats);
  if (stats.untouched.checked + stats.touched.checked > 0) text += prediction_line(stats);
  if (stats.ticks_shown > 0) text += others_line(stats);
  text += inputs_line(stats);
  text += link_line(summary, stats);
  if (summary.link_up) text += simulated_line("net up", *summary.link_up);
  if (summary.link_down) text += simulated_line("net down", *summary.link_down);
  const bool is_done = summary.end.code == cli::ExitCode::Done;
  return text + line("verdict",
                     is_done ? "everything held" + bad_play_in_words(stats) : summary.end.error);
}

std::string live_line(const client::ClientStats& stats, Tick tick) {
  const std::string hash = stats.first_mismatch ? fmt::format("HASH DIFFERS since tick {}",
                                                              stats.first_mismatch->tick.value)
                           : tick == Tick{}     ? "no hash yet"
                                                : fmt::format("hash ok at tick {}", tick.value);
  const std::optional<double> up = loss_up(stats);
  return fmt::format(
      "{}  rtt {:.1f} ms  loss {:.1f}% down {} up  predictions {} exact, touched {}  {} "
      "corrections",
      hash, static_cast<double>(stats.round_trip.quantile(500)) / 1'000,
      100 * share(stats.down_sent - stats.down_arrived, stats.down_sent),
      up ? fmt::format("{:.1f}%", 100 * *up) : "-", exact(stats.untouched), exact(stats.touched),
      stats.corrected);
}

}  // namespace tickbox::commands
