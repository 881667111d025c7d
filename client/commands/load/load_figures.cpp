#include "client/commands/load/load_figures.h"

#include "client/commands/commands.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tickbox::commands {
namespace {

/// The time between two snapshots of a client without news.
constexpr double kSecondsUnseen = 0.1;

std::vector<ListedFigure> listed(const LoadMeasured& measured, In in) {
  FigureLister lister;
  each_load_figure(lister, measured);
  std::vector<ListedFigure> all = lister.finish();
  std::erase_if(all, [in](const ListedFigure& each) {
    return each.entry.in != in && each.entry.in != In::Both;
  });
  return all;
}

double late_ms(const LoadMeasured& measured, std::uint32_t per_mille) {
  return static_cast<double>(measured.lateness.quantile(per_mille)) / 1'000;
}

// The text of `tickbox help figures`.

constexpr std::size_t kMeaningIndent = 6;

using Entry = std::pair<std::string_view, std::string_view>;

/// The figures of `connect` alone.
constexpr std::array kOfConnect = {
    Entry{"connected, resumed, sessions, game, seat, body, client",
          "Whether the client connected; whether it began with a resume ticket; its number of "
          "sessions; the game and its seat in it; the entity that it controls, the first if there "
          "are several; its id, as text because JSON numbers are exact only below 2^53, and null "
          "with --token."},
    Entry{"ticks", "Ticks that the client ran."},
    Entry{"snapshots.received, .lost, .late, .rejected",
          "Snapshots that made a new view; packets of every type that did not arrive in the newest "
          "session; snapshots that arrived too late to use; snapshots that were malformed or made "
          "a view with a wrong hash. A client in whose view nothing happens that it does not "
          "compute itself is sent ten a second."},
    Entry{"events",
          "Events that the client received, by the names of the game's events. Seat: new states of "
          "players, such as scores."},
    Entry{"interpolation.delay_ms", "Mean delay at which other bodies are shown."},
    Entry{"interpolation.extrapolated",
          "Share of ticks (0 to 1) that showed the others ahead of the newest snapshot."},
    Entry{"interpolation.unforeseen", "Share of ticks (0 to 1) in which that was a wrong guess."},
    Entry{"bytes_per_second", "UDP payload, in each direction."},
    Entry{"link", "With --net: what the simulated link did to packets."},
    Entry{
        "drain_ms",
        "Milliseconds until the stop of the server, when it first told the client that it drains; "
        "null if it did not."}};

/// Those that are in no list of what is measured.
constexpr std::array kOfTheEnd = {
    Entry{
        "find.clients, .clients_max, .limit, .steps",
        "With --find: the largest number of clients at which all requirements held each time, and "
        "at least once; what keeps it from growing (none, server, generator, network or seats); "
        "each number that was tried, with those that were measured again. The other figures are "
        "those of find.clients."},
    Entry{"exit, error, refused", "Exit code; what failed, in one line; why the server refused."}};

std::string help_of(std::string_view names, std::string_view meaning) {
  return "\n" + cli::wrapped("  ", names, 2) +
         cli::wrapped(std::string(kMeaningIndent, ' '), meaning, kMeaningIndent);
}

/// Figures, and what they mean.
struct FigureHelp {
  std::string names{};  ///< "state_hash.checked, .mismatched"
  std::string_view meaning{};
};

/// Returns the help of all figures of a run.
std::vector<FigureHelp> load_figures_help() {
  std::vector<FigureHelp> all;
  std::string last;
  for (const auto& [figure, entry] : listed({}, In::Run)) {
    // "rtt_ms" for "rtt_ms.p50", but "prediction.error_p99" as it is.
    const bool is_below = figure.path.starts_with(std::string{entry.path} + ".");
    const std::string name = is_below ? std::string{entry.path} : figure.path;
    if (name == last) continue;
    if (!entry.help.empty() && !last.starts_with(entry.path)) {
      all.push_back({name, entry.help});
    } else {
      // ".exact" stands for the same object as in the name before it.
      const std::string object = last.substr(0, last.find('.') + 1);
      const bool is_near = !object.empty() && name.starts_with(object);
      all.back().names += ", " + (is_near ? name.substr(object.size() - 1) : name);
    }
    last = name;
  }
  return all;
}

}  // namespace

std::optional<ServerFigures> figures_between(const ServerSample& before, const ServerSample& after,
                                             double ticks_seen, double seconds_seen) {
  const double seconds = std::chrono::duration<double>{after.at - before.at}.count();
  const bool goes_on = after.started_ms == before.started_ms &&
                       after.tick_ns.count() > before.tick_ns.count() &&
                       after.slipped >= before.slipped && after.overruns >= before.overruns &&
                       after.cpu_ms >= before.cpu_ms;
  if (!goes_on || seconds <= 0) return std::nullopt;
  ServerFigures figures{
      .tick_ns = after.tick_ns.added_since(before.tick_ns),
      .overruns = after.overruns - before.overruns,
      .skipped = after.slipped - before.slipped,
      .cpu_percent = static_cast<double>(after.cpu_ms - before.cpu_ms) / seconds / 10,
      .resident_bytes = after.resident_bytes};
  // A server that is merely slow skips no tick, so the ticks that its clients saw count too.
  // A view can be old by one interval of a client without news: those ticks are not missing.
  const auto rate = static_cast<double>(after.tick_rate);
  const double due = seconds_seen * rate;
  const bool all_seen = ticks_seen + kSecondsUnseen * rate + 2 >= due;
  const std::uint64_t ran = after.tick_ns.count() - before.tick_ns.count();
  figures.rate_held =
      std::min(share(ran, ran + figures.skipped), all_seen ? 1.0 : ticks_seen / due);
  return figures;
}

bool is_saturated(const LoadMeasured& measured) {
  const double tick_ms = measured.tick_ms;
  const bool is_too_late = late_ms(measured, 990) > tick_ms ||
                           late_ms(measured, 1'000) > std::max(kLateMaxMs, tick_ms) ||
                           measured.late_share > kLateShareMax;
  return measured.is_part_saturated || (tick_ms > 0 && is_too_late);
}

Figures tick_quantiles(const std::optional<ServerFigures>& server) {
  Figures figures;
  for (const auto& [name, per_mille] : kHalfToThousandth) {
    figures.push_back(
        {std::string{name},
         server ? FigureValue{static_cast<double>(server->tick_ns.quantile(per_mille)) / 1e6}
                : FigureValue{}});
  }
  return figures;
}

Figures outage_quantiles(const LoadMeasured& measured) {
  const bool is_known = measured.outages.count() > 0 || measured.clients_connected > 0;
  Figures figures;
  for (const auto& [name, per_mille] : kHalfToAll) {
    const auto outage = static_cast<double>(measured.outages.quantile(per_mille));
    figures.push_back({std::string{name}, is_known ? FigureValue{outage / 1'000} : FigureValue{}});
  }
  return figures;
}

Figures lateness_figures(const LoadMeasured& measured) {
  const auto if_known = [&](double value) {
    return measured.lateness.count() > 0 ? FigureValue{value} : FigureValue{};
  };
  return {{"_p99_ms", if_known(late_ms(measured, 990))},
          {"_max_ms", if_known(late_ms(measured, 1'000))},
          {"_share", if_known(measured.late_share)}};
}

Figures quantiles_of(std::vector<double> values, std::span<const Quantile> quantiles) {
  std::ranges::sort(values);
  Figures figures;
  for (const auto& [name, per_mille] : quantiles) {
    figures.push_back(
        {std::string{name}, values.empty()
                                ? FigureValue{}
                                : FigureValue{values[per_mille * (values.size() - 1) / 1'000]}});
  }
  return figures;
}

Figures figures_of(const LoadMeasured& run) {
  Figures figures;
  for (ListedFigure& each : listed(run, In::Run)) {
    figures.push_back(std::move(each.figure));
  }
  return figures;
}

Figures requirable() {
  Figures known = figures_of(LoadMeasured{});
  std::erase_if(known, [](const Figure& each) {
    return each.path == "state_hash.first_mismatch" || each.path == "clients.first_id";
  });
  return known;
}

bool is_told_by_server(std::string_view path) {
  return std::ranges::any_of(std::array{"tick_", "ticks_", "joining.", "server."},
                             [&](const char* prefix) { return path.starts_with(prefix); });
}

std::vector<SecondFigure> second_figures(const LoadMeasured& second) {
  std::vector<SecondFigure> figures;
  for (ListedFigure& each : listed(second, In::Second)) {
    figures.push_back({std::move(each.figure), each.entry.seconds});
  }
  return figures;
}

void add_figures_help(cli::Program& program) {
  std::string text =
      cli::wrapped("", "The figures of `connect` and `load`, as --json and --require name them:");
  for (const auto& [names, meaning] : kOfConnect) {
    text += help_of(names, meaning);
  }
  for (const auto& [names, meaning] : load_figures_help()) {
    text += help_of(names, meaning);
  }
  for (const auto& [names, meaning] : kOfTheEnd) {
    text += help_of(names, meaning);
  }
  program.add_topic("figures", text);
}

}  // namespace tickbox::commands
